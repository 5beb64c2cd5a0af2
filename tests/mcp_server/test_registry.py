"""What a tool may say of itself and hand back."""

from __future__ import annotations

import pytest

from chalicelib.domain.principal import Principal, Scope
from chalicelib.mcp_server.registry import Annotations, InputRequired, Tool, ToolResult
from tests.mcp_server.support import READER, url_request


def test_a_pause_needs_a_question_or_a_state() -> None:
    with pytest.raises(ValueError, match="needs a question or a state"):
        InputRequired()
    InputRequired(request_state="")
    InputRequired(input_requests={"page": url_request()})


def make_tool(**fields: object) -> Tool:
    defaults: dict[str, object] = {
        "name": "t",
        "description": "d",
        "input_schema": {"type": "object"},
        "call": lambda _call: ToolResult(),
        "scopes": frozenset({Scope.ANSWER, Scope.HOST}),
    }
    return Tool(**defaults | fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scopes", "is_open"),
    [({Scope.ANSWER}, True), ({Scope.HOST}, True), ({Scope.ADMIN}, True), ({Scope.READ}, False)],
)
def test_any_one_of_its_scopes_opens_a_tool(scopes: set[Scope], is_open: bool) -> None:
    assert make_tool().is_open_to(Principal("p", frozenset(scopes), "k")) is is_open
    assert make_tool(scopes=frozenset()).is_open_to(READER) is False


def test_what_a_tool_leaves_out_is_not_on_the_wire() -> None:
    assert make_tool().to_wire() == {
        "name": "t",
        "description": "d",
        "inputSchema": {"type": "object"},
    }


def test_hints_have_their_names_on_the_wire() -> None:
    hints = Annotations(read_only=True, destructive=False, idempotent=True, open_world=False)
    assert make_tool(annotations=hints, title="T").to_wire()["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
