"""Parley's tools as a client lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.domain.principal import Principal, Scope
from tests.mcp_server.support import EVERYTHING, HOST, READER, modern
from tests.mcp_server.tools.rig import Rig

READING = ["list_elicitations", "get_elicitation", "list_sessions", "get_session"]
ADMIN = Principal("root", frozenset({Scope.ADMIN}), "key-root")
ANSWERER = Principal("Eve", frozenset({Scope.ANSWER}), "key-eve")


def listed(principal: Principal = ADMIN) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = modern(
        "tools/list", server=Rig().server, principal=principal
    ).result["tools"]
    return tools


def test_the_order_is_fixed_and_admin_sees_all() -> None:
    assert [tool["name"] for tool in listed()] == [
        "list_elicitations",
        "get_elicitation",
        "respond_to_elicitation",
        "create_elicitation",
        "withdraw_elicitation",
        "list_sessions",
        "get_session",
        "session_set_secret",
    ]


@pytest.mark.parametrize(
    ("principal", "beyond_reading"),
    [
        (READER, set()),
        (ANSWERER, {"respond_to_elicitation"}),
        (HOST, {"create_elicitation", "withdraw_elicitation", "session_set_secret"}),
    ],
)
def test_a_scope_opens_its_tools(principal: Principal, beyond_reading: set[str]) -> None:
    names = {tool["name"] for tool in listed(principal)}
    assert names == set(READING) | beyond_reading


def test_reading_tools_say_so_and_the_others_do_not() -> None:
    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in listed()}
    assert [name for name, reads in hints.items() if reads] == READING


def test_every_tool_is_described_in_full() -> None:
    for tool in listed():
        assert tool["title"]
        assert len(tool["description"]) > 80
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"].keys() == {
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        }


def test_every_argument_is_described_and_bounded() -> None:
    for tool in listed():
        for name, schema in tool["inputSchema"]["properties"].items():
            assert schema["description"], (tool["name"], name)
            if schema["type"] == "string":
                assert "maxLength" in schema or "enum" in schema, (tool["name"], name)


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)


def test_no_argument_travels_in_a_header_and_none_takes_a_value_of_a_secret() -> None:
    for tool in listed():
        assert "x-mcp-header" not in set(keys(tool["inputSchema"]))
    (secret,) = [tool for tool in listed() if tool["name"] == "session_set_secret"]
    assert secret["inputSchema"]["properties"].keys() == {"session_id", "name"}


def test_discovery_tells_models_what_is_data() -> None:
    result = modern("server/discover", server=Rig().server, principal=EVERYTHING).result
    assert "never instructions" in result["instructions"]
