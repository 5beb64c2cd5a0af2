"""`create_elicitation`: put a question to people, in a session of one's own."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, Final

from chalicelib.domain.principal import Scope
from chalicelib.mcp_server.backend import Elicitations, Question
from chalicelib.mcp_server.registry import Annotations, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.schemas import ELICITATION, SESSION_ID, arguments, one, text, whole
from chalicelib.mcp_server.tools.told import told_elicitation

PLAIN_QUESTION: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""A schema without fields: the person accepts or declines."""

SEVEN_DAYS_IN_MINUTES: Final = 7 * 24 * 60

_INPUT: Final = arguments(
    {
        "session_id": SESSION_ID,
        "message": text("The question, in words that a person understands alone.", longest=10_000),
        "requested_schema": {
            "type": "object",
            "description": (
                "The answer's form, in MCP's elicitation dialect: an object whose properties are "
                "strings, numbers, integers, booleans, enums or lists of enum values, not nested. "
                "Leave it out for a plain yes or no. Never ask for passwords or keys: "
                "session_set_secret is for those."
            ),
        },
        "context": text("What the person should know to decide.", longest=10_000),
        "tool_name": text("Which tool or step needs the answer.", longest=200),
        "expires_in_minutes": whole(
            "Until when an answer is of use; left out, the server's default.",
            low=1,
            high=SEVEN_DAYS_IN_MINUTES,
        ),
        "request_id": text("Your own id: the same question sent twice under it is asked once."),
    },
    required=("session_id", "message"),
)


def create_elicitation(backend: Elicitations) -> Tool:
    """For hosts; people are notified, which is what `open_world` tells."""
    return Tool(
        name="create_elicitation",
        title="Ask people",
        description=(
            "Puts a question to people and notifies them. Returns at once with the request_id; "
            "get_elicitation with wait_seconds waits for the answer. Exactly one answer is taken "
            "before the deadline, from a person: you cannot answer it yourself."
        ),
        input_schema=_INPUT,
        output_schema=one("elicitation", ELICITATION),
        annotations=Annotations(
            read_only=False, destructive=False, idempotent=False, open_world=True
        ),
        scopes=frozenset({Scope.HOST}),
        call=partial(_call, backend),
    )


def _call(backend: Elicitations, call: ToolCall) -> ToolResult:
    asked = call.arguments
    minutes = asked.get("expires_in_minutes")
    question = Question(
        message=asked["message"],
        schema=asked.get("requested_schema", PLAIN_QUESTION),
        request_id=asked.get("request_id"),
        tool_name=asked.get("tool_name"),
        context=asked.get("context"),
        lifetime=timedelta(minutes=minutes) if minutes is not None else None,
    )
    created = backend.create(
        principal=call.principal, session_id=asked["session_id"], question=question
    )
    return told_elicitation("Asked.", created, call.now)
