"""Signed tokens: what they hold, when they end, and that no kind passes for another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chalicelib.domain.errors import NotFound, Unauthenticated
from chalicelib.domain.tokens import (
    LINK_OUTLIVES_DEADLINE,
    LONGEST_TOKEN,
    POLL_OUTLIVES_TOKEN,
    SessionToken,
    Tokens,
)

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
GRANT = SessionToken("s1", 3, NOW + timedelta(days=1))


class Keys:
    """Signing keys in memory; `later` are found by looking anew."""

    def __init__(self, *keys: str, later: Sequence[str] | None = None) -> None:
        self.now, self.later, self.looked = keys, later, 0

    def keys(self) -> Sequence[str]:
        return self.now

    def newer_keys(self) -> Sequence[str] | None:
        self.looked += 1
        return self.later


def test_a_session_token_says_what_was_put_into_it() -> None:
    """122."""
    tokens = Tokens(Keys("k"))
    made = tokens.session_token(GRANT)
    assert tokens.read_session_token(made, NOW, polling=False) == GRANT
    assert made == tokens.session_token(GRANT), "123: the same for the same"


def test_a_session_token_ends_and_polls_a_week_longer() -> None:
    tokens = Tokens(Keys("k"))
    made = tokens.session_token(GRANT)
    for polling, end in (
        (False, GRANT.expires_at),
        (True, GRANT.expires_at + POLL_OUTLIVES_TOKEN),
    ):
        just_before = end - timedelta(milliseconds=1)
        assert tokens.read_session_token(made, just_before, polling=polling) == GRANT
        with pytest.raises(Unauthenticated):
            tokens.read_session_token(made, end, polling=polling)


def test_a_link_holds_one_question_and_outlives_its_deadline() -> None:
    tokens = Tokens(Keys("k"))
    made = tokens.link("key-1", NOW)
    end = NOW + LINK_OUTLIVES_DEADLINE
    assert tokens.read_link(made, end - timedelta(seconds=1)) == "key-1"
    with pytest.raises(NotFound):
        tokens.read_link(made, end)


def test_no_kind_passes_for_another() -> None:
    """124, 125: each has a salt of its own."""
    tokens = Tokens(Keys("k"))
    link, grant = tokens.link("s1", NOW), tokens.session_token(GRANT)
    with pytest.raises(Unauthenticated):
        tokens.read_session_token(link, NOW, polling=True)
    with pytest.raises(NotFound):
        tokens.read_link(grant, NOW)
    assert tokens.read("cookie", grant) is None


@pytest.mark.parametrize(
    "payload", [None, [], "s1", {"a": 1}, ["s1", 3], ["s1", "3", 1], [1, 1, 1]]
)
def test_a_signed_payload_of_another_shape_is_nothing(payload: Any) -> None:
    """125: a token of ours for something else."""
    tokens = Tokens(Keys("k"))
    with pytest.raises(Unauthenticated):
        tokens.read_session_token(tokens.sign("session", payload), NOW, polling=True)
    with pytest.raises(NotFound):
        tokens.read_link(tokens.sign("link", payload), NOW)


def test_any_change_of_any_character_breaks_a_token() -> None:
    """121, 124, 125; itsdangerous ignores the last two bits of base64, so those may differ."""
    tokens = Tokens(Keys("k"))
    made = tokens.session_token(GRANT)
    for index in range(len(made) - 1):
        changed = "A" if made[index] != "A" else "B"
        bent = made[:index] + changed + made[index + 1 :]
        assert tokens.read("session", bent) is None, index
    for bent in ("", ".", made[:-3], made + "x", made.replace(".", ""), made * 2):
        assert tokens.read("session", bent) is None


@pytest.mark.parametrize("token", ["\u00e9.\u00e9", "\ud800.x", "a.\udfff", "\x00.\x00"])
def test_a_token_with_characters_of_no_token_is_none_of_ours(token: str) -> None:
    assert Tokens(Keys("k")).read("link", token) is None


def test_every_key_verifies_and_the_newest_signs() -> None:
    old = Tokens(Keys("one")).link("q", NOW)
    rotated = Tokens(Keys("one", "two"))
    assert rotated.read_link(old, NOW) == "q"
    new = rotated.link("q", NOW)
    assert Tokens(Keys("two")).read_link(new, NOW) == "q"
    with pytest.raises(NotFound):
        Tokens(Keys("one")).read_link(new, NOW)
    with pytest.raises(NotFound):
        Tokens(Keys("two")).read_link(old, NOW)


def test_a_key_that_is_not_known_yet_is_looked_for_once() -> None:
    """Another instance rotated a moment ago."""
    made = Tokens(Keys("two")).link("q", NOW)
    keys = Keys("one", later=("one", "two"))
    assert Tokens(keys).read_link(made, NOW) == "q"
    assert keys.looked == 1


def test_what_cannot_be_a_token_costs_no_look_up() -> None:
    keys = Keys("one", later=("one",))
    for junk in ("", "abc", "a.b.c", "x" * LONGEST_TOKEN + ".y"):
        assert Tokens(keys).read("link", junk) is None
    assert keys.looked == 0


def test_tokens_stand_in_a_url_as_they_are() -> None:
    """112: clients put them there unencoded."""
    for made in (Tokens(Keys("k")).link("q", NOW), Tokens(Keys("k")).session_token(GRANT)):
        assert set(made) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
