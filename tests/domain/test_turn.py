"""Hints, leases and the names of upstream servers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.turn import HINT, LEASE, Phase, Turn, is_hinted
from chalicelib.domain.upstream import check_server_name

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
TURN = Turn(id="turn_1", session_id="session_1", message_id="message_1", created_at=NOW)


@pytest.mark.parametrize("value", ["true", 1, 1.0, [True], {"a": True}, None, False])
def test_a_hint_is_the_json_value_true(value: Any) -> None:
    assert not is_hinted(HINT, {HINT: value})
    assert is_hinted(HINT, {HINT: True})


def test_the_last_bag_that_has_a_hint_decides() -> None:
    assert is_hinted(HINT, {HINT: True}, {})
    assert not is_hinted(HINT, {HINT: True}, {HINT: False})
    assert is_hinted(HINT, {HINT: False}, {HINT: True})


def test_a_lease_holds_others_off_until_its_end() -> None:
    held = replace(TURN, worker="a", leased_until=NOW + LEASE)
    assert held.is_held("b", NOW)
    assert not held.is_held("a", NOW)
    assert not held.is_held("b", NOW + LEASE)
    assert not TURN.is_held("b", NOW)


def test_a_lease_outlasts_the_workers_function() -> None:
    """`.chalice/config.json` gives it 120 s."""
    assert timedelta(seconds=120) < LEASE


@pytest.mark.parametrize("phase", list(Phase))
def test_only_a_paused_or_ended_turn_wants_no_worker(phase: Phase) -> None:
    wants = replace(TURN, phase=phase).wants_worker
    assert wants is (phase not in (Phase.PAUSED, Phase.ENDED))


@pytest.mark.parametrize("name", ["acme", "acme_analytics", "a", "A-1", "a_b_c", "x" * 40])
def test_names_that_tools_can_be_named_by(name: str) -> None:
    check_server_name(name)


@pytest.mark.parametrize(
    "name", ["", "a__b", "a_", "_a", "-a", "a b", "a.b", "ä", "a/b", "x" * 41, "a\n"]
)
def test_names_that_would_not_come_apart_again(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_server_name(name)
