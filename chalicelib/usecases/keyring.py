"""The signing keys in memory: loaded once, looked up again when they age or do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from chalicelib.usecases.ports import Clock

FRESH_FOR: Final = timedelta(minutes=10)
ASK_AGAIN_AFTER: Final = timedelta(minutes=1)


class Keyring:
    """`tokens.KeySource` over a loader; what the loader raises passes."""

    def __init__(self, load: Callable[[], Sequence[str]], clock: Clock) -> None:
        self._load = load
        self._clock = clock
        self._keys: Sequence[str] = ()
        self._loaded_at: datetime | None = None

    def keys(self) -> Sequence[str]:
        """The keys, loaded anew when they are older than `FRESH_FOR`."""
        now = self._clock()
        if self._loaded_at is None or now - self._loaded_at > FRESH_FOR:
            self._reload(now)
        return self._keys

    def newer_keys(self) -> Sequence[str] | None:
        """The keys loaded anew, at most once in `ASK_AGAIN_AFTER`: forged tokens cost no call
        each."""
        now = self._clock()
        if self._loaded_at is not None and now - self._loaded_at < ASK_AGAIN_AFTER:
            return None
        self._reload(now)
        return self._keys

    def _reload(self, now: datetime) -> None:
        self._keys = self._load()
        self._loaded_at = now
