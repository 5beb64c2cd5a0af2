"""Sealed state: opens for the same call, keys and time, and for nothing else."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mcp_server.state_token import (
    KeyringSealer,
    SignedSealer,
    call_context,
    digest,
)
from tests.mcp_server.support import EVERYTHING, HOST, KEYS, NOW

SEALER = SignedSealer(KEYS)
LATER = NOW + timedelta(minutes=10)
ARGUMENTS = {"session_id": "s_1", "name": "STRIPE_API_KEY"}
CONTEXT = call_context(EVERYTHING, "session_set_secret", ARGUMENTS)


def seal(payload: Any = "handle") -> str:
    return SEALER.seal(payload, context=CONTEXT, expires_at=LATER)


def test_a_seal_opens_to_what_was_sealed() -> None:
    payload = ["handle", 3, True]
    assert SEALER.unseal(seal(payload), context=CONTEXT, now=NOW) == payload


@pytest.mark.parametrize(
    "context",
    [
        call_context(HOST, "session_set_secret", ARGUMENTS),
        call_context(EVERYTHING, "withdraw_elicitation", ARGUMENTS),
        call_context(EVERYTHING, "session_set_secret", {**ARGUMENTS, "name": "OTHER"}),
        call_context(EVERYTHING, "session_set_secret", {**ARGUMENTS, "extra": None}),
        (),
    ],
)
def test_a_seal_opens_in_its_own_context_only(context: tuple[str, ...]) -> None:
    assert SEALER.unseal(seal(), context=context, now=NOW) is None


def test_a_seal_is_dead_from_its_expiry_on() -> None:
    almost = LATER - timedelta(seconds=1)
    assert SEALER.unseal(seal(), context=CONTEXT, now=almost) == "handle"
    assert SEALER.unseal(seal(), context=CONTEXT, now=LATER) is None


def test_the_order_of_argument_names_does_not_count() -> None:
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})


def test_older_keys_open_and_unknown_ones_do_not() -> None:
    old = SignedSealer(KEYS[:1]).seal("handle", context=CONTEXT, expires_at=LATER)
    assert SEALER.unseal(old, context=CONTEXT, now=NOW) == "handle"
    assert SignedSealer(KEYS[:1]).unseal(seal(), context=CONTEXT, now=NOW) is None


def test_the_text_tells_nothing_of_who_calls_what() -> None:
    body = seal("r4nd0m").partition(".")[0]
    readable = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()
    for word in (EVERYTHING.name, EVERYTHING.key_id, "STRIPE_API_KEY", "s_1", *CONTEXT[1:]):
        assert word not in readable


@given(st.data())
def test_no_changed_character_goes_unseen(data: st.DataObject) -> None:
    token = seal(["handle", 1])
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda character: character != token[place]))
    forged = token[:place] + other + token[place + 1 :]
    # The last character of a base64 text has bits that decode to nothing.
    opened = SEALER.unseal(forged, context=CONTEXT, now=NOW)
    assert opened is None or (place == len(token) - 1 and opened == ["handle", 1])


@given(st.text(max_size=3000))
def test_any_text_is_refused_quietly(token: str) -> None:
    assert SEALER.unseal(token, context=CONTEXT, now=NOW) is None


class RotatingKeys:
    """Keys as one process knows them; another one added `added` meanwhile."""

    def __init__(self, known: list[str], added: str) -> None:
        self.known = known
        self.added = added

    def keys(self) -> list[str]:
        return self.known

    def newer_keys(self) -> list[str]:
        self.known = [*self.known, self.added]
        return self.known


def test_a_state_sealed_with_a_key_that_was_just_added_elsewhere_opens() -> None:
    elsewhere = SignedSealer(["old", "new"]).seal([1], context=["c"], expires_at=LATER)
    sealer = KeyringSealer(RotatingKeys(["old"], "new"))
    assert sealer.unseal(elsewhere, context=["c"], now=NOW) == [1]
    own = sealer.seal([2], context=["c"], expires_at=LATER)
    assert SignedSealer(["new"]).unseal(own, context=["c"], now=NOW) == [2]
    assert sealer.unseal(own, context=["d"], now=NOW) is None
