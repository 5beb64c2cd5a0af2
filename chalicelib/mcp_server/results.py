"""Results in the words of the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.refusals import InvalidParams
from chalicelib.mcp_server.registry import InputRequired, ToolResult
from chalicelib.mcp_server.server import McpServer

CACHE: Final = {"ttlMs": 300_000, "cacheScope": "private"}
"""Lists differ by the caller's scopes, so no shared cache may keep them."""


def list_tools(
    server: McpServer, params: Mapping[str, Any], principal: Principal
) -> dict[str, Any]:
    """The result of `tools/list`: one page. Raises `InvalidParams` for a cursor: none is given."""
    if "cursor" in params:
        raise InvalidParams("The list has one page: there is no cursor to go on from.")
    return {"tools": [tool.to_wire() for tool in server.tools_for(principal)]}


def complete_result(result: ToolResult) -> dict[str, Any]:
    """A finished call, as in every revision."""
    content = [{"type": "text", "text": result.text}] if result.content is None else result.content
    wire: dict[str, Any] = {"content": content}
    if result.structured is not None:
        wire["structuredContent"] = result.structured
    if result.is_error:
        wire["isError"] = True
    return wire


def input_required_result(pause: InputRequired) -> dict[str, Any]:
    """A call that goes on after the client's answers (2026-07-28)."""
    wire: dict[str, Any] = {}
    if pause.input_requests:
        wire["inputRequests"] = pause.input_requests
    if pause.request_state is not None:
        wire["requestState"] = pause.request_state
    return wire
