"""The conversation in the journal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.domain.events import Event, NumberedEvent
from chalicelib.domain.tool_results import text_part
from chalicelib.domain.transcript import transcript

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def journal(*told: tuple[str, dict[str, Any]]) -> list[NumberedEvent]:
    return [
        NumberedEvent(version=number, event=Event(type=type_, at=NOW, data=data))
        for number, (type_, data) in enumerate(told, start=1)
    ]


def message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"message": {"id": "m", "role": role, "content": [text_part(text)], **more}}


def test_messages_and_results_in_their_order() -> None:
    calls = [{"id": "c", "name": "mcp_a__x", "arguments": {}}]
    done = {"tool_call_id": "c", "tool_name": "mcp_a__x", "success": True, "status": "success"}
    found = transcript(
        journal(
            ("session.opened", {"title": None}),
            ("input.message", message("user", "Hi")),
            ("turn.started", {"turn_id": "t"}),
            ("output.message.completed", message("assistant", "", tool_calls=calls)),
            ("tool.completed", {**done, "result": [text_part("fine")]}),
            ("tool.completed", {**done, "success": False, "error": "broken"}),
        )
    )
    assert [(one.role, one.version, one.text) for one in found] == [
        ("user", 2, "Hi"),
        ("assistant", 4, ""),
        ("tool", 5, "fine"),
        ("tool", 6, "broken"),
    ]
    assert found[1].calls == calls
    assert [one.is_ok for one in found[2:]] == [True, False]


def test_of_a_cards_own_call_only_a_timeout_is_told() -> None:
    done = {"tool_call_id": "c", "tool_name": "confirm_url_elicitation", "success": True}
    found = transcript(
        journal(
            ("tool.completed", {**done, "status": "success", "result": [text_part("{}")]}),
            ("tool.completed", {**done, "status": "cancelled", "error": "x"}),
            ("tool.completed", {**done, "status": "timeout", "error": "Nobody confirmed."}),
        )
    )
    assert [(one.role, one.text) for one in found] == [("note", "Nobody confirmed.")]
