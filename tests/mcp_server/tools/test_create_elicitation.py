"""Asking through MCP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.mcp_server.support import HOST, NOW, READER
from tests.mcp_server.tools.rig import Rig

TOOL = "create_elicitation"


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_bare_question_has_no_fields_and_the_default_deadline(rig: Rig) -> None:
    asked = rig.call(TOOL, {"session_id": "s_host", "message": "Go on?"}, principal=HOST)
    assert asked["elicitation"]["status"] == "pending"
    (stored,) = rig.backend.elicitations.values()
    assert stored.schema == {"type": "object", "properties": {}}
    assert stored.expires_at == NOW + timedelta(minutes=15)


def test_everything_that_was_asked_reaches_the_question(rig: Rig) -> None:
    schema = {"type": "object", "properties": {"env": {"type": "string"}}}
    arguments = {
        "session_id": "s_host",
        "message": "Which one?",
        "requested_schema": schema,
        "context": "release 7",
        "tool_name": "deploy",
        "expires_in_minutes": 5,
        "request_id": "mine-1",
    }
    shown = rig.call(TOOL, arguments, principal=HOST)["elicitation"]
    assert shown["expires_at"] == "2026-09-01T12:05:00Z"
    stored = rig.backend.elicitations["mine-1"]
    assert (stored.message, stored.schema) == ("Which one?", schema)
    assert (stored.context, stored.tool_name) == ("release 7", "deploy")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"message": ""}, "message: must have at least 1 characters"),
        ({"message": "x" * 10_001}, "message: must have at most 10000 characters"),
        ({"requested_schema": "{}"}, "requested_schema: must be an object"),
        ({"expires_in_minutes": 0}, "expires_in_minutes: must be at least 1"),
        ({"expires_in_minutes": 10_081}, "expires_in_minutes: must be at most 10080"),
        ({"url": "https://x.example"}, "url: is not an argument of this tool"),
    ],
)
def test_arguments_are_checked_before_anything_is_asked(
    rig: Rig, change: dict[str, object], problem: str
) -> None:
    arguments = {"session_id": "s_host", "message": "Go on?", **change}
    assert problem in rig.complaint(TOOL, arguments, principal=HOST)
    assert rig.backend.elicitations == {}


def test_only_a_session_of_ones_own_can_ask(rig: Rig) -> None:
    arguments = {"session_id": "s_ada", "message": "Go on?"}
    assert rig.complaint(TOOL, arguments, principal=HOST).startswith("not_found: ")
    assert rig.send(TOOL, arguments, principal=READER).verdict == (400, -32602)
