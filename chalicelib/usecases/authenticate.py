"""From an API key to a principal; a found key is believed for 30 seconds (so is a revoked one)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Protocol

from chalicelib.domain.api_key import ApiKey, hash_secret, is_valid, join_key, split_key
from chalicelib.domain.errors import Unauthenticated
from chalicelib.domain.principal import Principal, Scope
from chalicelib.usecases.ports import Clock

BELIEVED_FOR: Final = timedelta(seconds=30)
MOST_REMEMBERED: Final = 1_000


class ApiKeys(Protocol):
    """Keys at rest."""

    def find(self, key_id: str) -> ApiKey | None:
        """The key with this id, revoked or not."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""

    def revoke(self, key_id: str, now: datetime) -> bool:
        """Revoke a key; False when there is none."""


class Authenticator:
    """Looks keys up, and remembers them briefly so that not every request costs a read."""

    def __init__(self, keys: ApiKeys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._remembered: dict[str, tuple[datetime, ApiKey]] = {}

    def principal(self, raw: str | None) -> Principal:
        """Raises `Unauthenticated`, with the same words for every reason but absence."""
        if not raw:
            message = "An API key is needed, in X-API-Key or as Authorization: Bearer."
            raise Unauthenticated(message)
        parts = split_key(raw.strip())
        if parts is not None:
            key = self._find(parts[0])
            if key is not None and is_valid(key, parts[1]):
                return key.principal()
        raise Unauthenticated("The API key is not valid.")

    def holder(self, key_id: str) -> Principal:
        """The holder of a key that proved itself before (a signed cookie names it).

        Raises `Unauthenticated` when the key was revoked since.
        """
        key = self._find(key_id)
        if key is None or key.revoked_at is not None:
            raise Unauthenticated("The API key was revoked.")
        return key.principal()

    def _find(self, key_id: str) -> ApiKey | None:
        now = self._clock()
        remembered = self._remembered.get(key_id)
        if remembered is not None and now - remembered[0] < BELIEVED_FOR:
            return remembered[1]
        found = self._keys.find(key_id)
        if found is not None:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key_id] = (now, found)
        return found


def make_key(
    *, name: str, scopes: frozenset[Scope], key_id: str, secret: str, now: datetime, keys: ApiKeys
) -> str:
    """Store a new key and return it as its holder sends it; it cannot be shown again."""
    key = ApiKey(
        key_id=key_id,
        secret_hash=hash_secret(secret),
        name=name,
        scopes=scopes,
        created_at=now,
    )
    keys.add(key)
    return join_key(key_id, secret)
