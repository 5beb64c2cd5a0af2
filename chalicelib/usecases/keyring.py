"""The signing keys in memory: loaded once, looked up again when they age or do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from chalicelib.domain.errors import TryAgain
from chalicelib.usecases.ports import Clock

FRESH_FOR: Final = timedelta(minutes=10)
ASK_AGAIN_AFTER: Final = timedelta(minutes=1)


class Keyring:
    """`tokens.KeySource` over a loader. `TryAgain` passes only until the keys were loaded once:
    old keys are good keys, and every poll needs them."""

    def __init__(self, load: Callable[[], Sequence[str]], clock: Clock) -> None:
        self._load = load
        self._clock = clock
        self._keys: Sequence[str] = ()
        self._loaded_at: datetime | None = None
        self._tried_at: datetime | None = None

    def keys(self) -> Sequence[str]:
        """The keys, loaded anew when they are older than `FRESH_FOR`."""
        now = self._clock()
        if self._loaded_at is None or (
            now - self._loaded_at > FRESH_FOR and not self._tried_just_now(now)
        ):
            self._reload(now)
        return self._keys

    def newer_keys(self) -> Sequence[str] | None:
        """The keys loaded anew, at most once in `ASK_AGAIN_AFTER`: forged tokens cost no call
        each."""
        now = self._clock()
        if self._tried_just_now(now):
            return None
        self._reload(now)
        return self._keys

    def _tried_just_now(self, now: datetime) -> bool:
        return self._tried_at is not None and now - self._tried_at < ASK_AGAIN_AFTER

    def _reload(self, now: datetime) -> None:
        self._tried_at = now
        try:
            self._keys = self._load()
        except TryAgain:
            if self._loaded_at is None:
                raise
        else:
            self._loaded_at = now
