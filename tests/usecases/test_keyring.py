"""Signing keys in memory: read seldom, and again when they age or do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.errors import TryAgain
from chalicelib.usecases.keyring import ASK_AGAIN_AFTER, FRESH_FOR, Keyring


class Secret:
    """The secret at rest, with a clock beside it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, tzinfo=UTC)
        self.stored: list[str] | None = ["a"]
        self.reads = 0

    def load(self) -> Sequence[str]:
        self.reads += 1
        if self.stored is None:
            raise TryAgain("unreachable")
        return list(self.stored)

    def clock(self) -> datetime:
        return self.now


@pytest.fixture
def secret() -> Secret:
    return Secret()


def test_the_keys_are_read_once_while_they_are_fresh(secret: Secret) -> None:
    ring = Keyring(secret.load, secret.clock)
    for _ in range(3):
        assert ring.keys() == ["a"]
    secret.now += FRESH_FOR
    ring.keys()
    assert secret.reads == 1
    secret.stored = ["a", "b"]
    secret.now += timedelta(milliseconds=1)
    assert ring.keys() == ["a", "b"]
    assert secret.reads == 2


def test_forged_tokens_cost_at_most_one_read_a_minute(secret: Secret) -> None:
    ring = Keyring(secret.load, secret.clock)
    ring.keys()
    for _ in range(50):
        assert ring.newer_keys() is None
    secret.now += ASK_AGAIN_AFTER
    assert ring.newer_keys() == ["a"]
    assert ring.newer_keys() is None
    assert secret.reads == 2


def test_keys_that_cannot_be_read_at_first_are_read_later(secret: Secret) -> None:
    ring = Keyring(secret.load, secret.clock)
    secret.stored = None
    with pytest.raises(TryAgain):
        ring.keys()
    secret.stored = ["a"]
    assert ring.keys() == ["a"]


def test_keys_in_memory_outlast_an_outage_of_their_store(secret: Secret) -> None:
    """Every poll needs them; stale ones are good ones, for keys are added and hardly ever go."""
    ring = Keyring(secret.load, secret.clock)
    ring.keys()
    secret.stored = None
    secret.now += FRESH_FOR + timedelta(seconds=1)
    assert ring.keys() == ["a"]
    assert ring.newer_keys() is None
    reads = secret.reads
    assert ring.keys() == ["a"]
    assert secret.reads == reads, "not with every request, either"
    secret.stored = ["b"]
    secret.now += ASK_AGAIN_AFTER
    assert ring.keys() == ["b"]
