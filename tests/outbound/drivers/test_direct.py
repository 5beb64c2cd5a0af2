"""The agent without a model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.domain.turn import Told, ToolCall, Turn
from chalicelib.outbound.drivers.direct import NOTHING, DirectDriver
from chalicelib.usecases.turn_ports import Move, Situation

CALL = ToolCall("acme", "report", {"month": "2026-08"})


def move(**over: Any) -> Move:
    turn = Turn(
        id="turn_1",
        session_id="session_1",
        message_id="message_1",
        created_at=datetime(2026, 11, 3, tzinfo=UTC),
        **over,
    )
    return DirectDriver().next(Situation(turn))


def test_the_named_calls_come_first() -> None:
    assert move(named=(CALL,)) == Move("", (CALL,))


def test_then_what_came_of_them_is_said() -> None:
    told = (Told("mcp_a__x", True, "fine"), Told("mcp_a__y", False, "no such month"))
    said = move(told=told, notes=("Nobody confirmed.",))
    assert said.calls == ()
    assert said.text == "mcp_a__x: fine\nmcp_a__y failed: no such month\nNobody confirmed."


def test_nothing_to_do_is_said_too() -> None:
    assert move() == Move(NOTHING)
