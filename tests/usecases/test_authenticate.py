"""From an API key to a principal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.api_key import ApiKey
from chalicelib.domain.errors import Unauthenticated
from chalicelib.domain.principal import Scope
from chalicelib.usecases.authenticate import MOST_REMEMBERED, Authenticator, make_key

SECRET = "s" * 43


class Keys:
    """Keys in memory, with a count of reads."""

    def __init__(self) -> None:
        self.rows: dict[str, ApiKey] = {}
        self.reads = 0
        self.now = datetime(2026, 5, 4, tzinfo=UTC)

    def find(self, key_id: str) -> ApiKey | None:
        self.reads += 1
        return self.rows.get(key_id)

    def add(self, key: ApiKey) -> None:
        self.rows[key.key_id] = key

    def revoke(self, key_id: str, now: datetime) -> bool:
        raise NotImplementedError

    def clock(self) -> datetime:
        return self.now

    def make(self, key_id: str = "abcdefghijkl") -> str:
        scopes = frozenset({Scope.HOST})
        return make_key(
            name="ops", scopes=scopes, key_id=key_id, secret=SECRET, now=self.now, keys=self
        )


def test_a_key_is_looked_up_once_in_thirty_seconds() -> None:
    keys = Keys()
    raw, door = keys.make(), Authenticator(keys, keys.clock)
    for _ in range(3):
        assert door.principal(f" {raw}\n").name == "ops"
    assert keys.reads == 1
    keys.now += timedelta(seconds=30)
    door.principal(raw)
    assert keys.reads == 2


def test_every_refusal_but_absence_has_the_same_words() -> None:
    """Nobody learns whether a key's id exists."""
    keys = Keys()
    keys.make()
    door = Authenticator(keys, keys.clock)
    told = set()
    for raw in ("x", f"parley_zzzzzzzzzzzz_{SECRET}", f"parley_abcdefghijkl_{'t' * 43}"):
        with pytest.raises(Unauthenticated) as refused:
            door.principal(raw)
        told.add(refused.value.message)
    assert len(told) == 1
    for absent in (None, ""):
        with pytest.raises(Unauthenticated, match="needed"):
            door.principal(absent)


def test_a_wrong_secret_is_wrong_also_beside_a_remembered_key() -> None:
    keys = Keys()
    door = Authenticator(keys, keys.clock)
    door.principal(keys.make())
    with pytest.raises(Unauthenticated):
        door.principal(f"parley_abcdefghijkl_{'t' * 43}")


def test_what_is_remembered_is_bounded() -> None:
    keys = Keys()
    door = Authenticator(keys, keys.clock)
    for number in range(MOST_REMEMBERED + 5):
        door.principal(keys.make(f"{number:012d}"))
    reads = keys.reads
    door.principal(keys.make(f"{MOST_REMEMBERED + 4:012d}"))
    assert keys.reads == reads
