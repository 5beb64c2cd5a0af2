"""Which ids of askers stand in a URL as they are, and what stands for the others."""

from __future__ import annotations

import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.request_id import derived_handle, is_strong, may_be_handle


@given(st.uuids(version=4))
def test_a_random_uuid_is_strong_in_either_case(made: uuid.UUID) -> None:
    assert is_strong(str(made))
    assert is_strong(str(made).upper())


@pytest.mark.parametrize(
    "weak",
    [
        "",
        "1",
        "approve-deploy-17",
        "a" * 64,
        "abababababababababababababababababab",
        "00000000-0000-0000-0000-000000000000",
        str(uuid.UUID("5b0c2f9e-7f0a-1d61-9c1e-000000000001")),  # version 1: a clock
        "abcdefghijklmnopqrstuvwxyz/012345",
        "abcdefghijklmnopqrstuvwxyz.012345",
        "abcdefghijklmnopqrstuvwxyz012345\n",
        "\u00e9" * 12 + "abcdefghijklmnopqrstuvwxyz",
        "abcdefghijklmnopqrstuvwxyz" * 6,
    ],
)
def test_what_can_be_guessed_or_breaks_a_url_is_weak(weak: str) -> None:
    assert not is_strong(weak)


def test_long_random_ids_of_other_makers_are_strong() -> None:
    assert is_strong("Q3nV0xkT9pLmB7sYc2WdZ8rHf5JgA1eK")
    assert is_strong("018f3b5c-9a2e-7c41-8f00-3d2b1a0c9e7f"), "version 7"
    assert is_strong("01HZX3T4M7N8P9Q0R1S2T3V4W5X6Y7Z8")


@given(st.text(max_size=600), st.text(min_size=1))
def test_a_handle_is_url_safe_strong_and_the_same_for_a_replay(odd: str, secret: str) -> None:
    handle = derived_handle(odd, session_secret=secret.encode("utf-8", "replace").decode())
    assert re.fullmatch(r"h[A-Za-z0-9_-]{32}", handle)
    assert may_be_handle(handle)
    assert handle == derived_handle(odd, session_secret=secret.encode("utf-8", "replace").decode())


def test_a_handle_depends_on_the_session_and_on_the_id() -> None:
    made = {
        derived_handle(request_id, session_secret=secret)
        for request_id in ("1", "2", "")
        for secret in ("a", "b")
    }
    assert len(made) == 6


@pytest.mark.parametrize("text", ["", "a.b", "a/b", "a b", "x" * 129, "\u00e9", "a\n", "\x00"])
def test_what_cannot_name_a_row_is_known_without_a_read(text: str) -> None:
    assert not may_be_handle(text)
