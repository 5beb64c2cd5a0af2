"""`list_sessions`: the runs of agents, and which of them wait for a person."""

from __future__ import annotations

from functools import partial
from typing import Any

from chalicelib.domain.principal import Scope
from chalicelib.mcp_server.backend import Sessions
from chalicelib.mcp_server.registry import Annotations, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.schemas import DEFAULT_PAGE, PAGING, SESSION, arguments, page_of
from chalicelib.mcp_server.untrusted import NOTE
from chalicelib.mcp_server.views import session_fields, session_lines


def list_sessions(backend: Sessions) -> Tool:
    """Read-only; a host sees its own sessions."""
    return Tool(
        name="list_sessions",
        title="List sessions",
        description=(
            "Lists agents' sessions, newest first. needs_input tells which of them wait for "
            "a person, live_request_ids which elicitations they wait for."
        ),
        input_schema=arguments(
            {
                "needs_input": {
                    "type": "boolean",
                    "description": "true: only sessions that wait for a person.",
                    "default": False,
                },
                **PAGING,
            }
        ),
        output_schema=page_of("sessions", SESSION),
        annotations=Annotations(
            read_only=True, destructive=False, idempotent=True, open_world=False
        ),
        scopes=frozenset(Scope),
        call=partial(_call, backend),
    )


def _call(backend: Sessions, call: ToolCall) -> ToolResult:
    page = backend.list_sessions(
        principal=call.principal,
        needs_input=call.arguments.get("needs_input", False),
        limit=call.arguments.get("limit", DEFAULT_PAGE),
        cursor=call.arguments.get("cursor"),
    )
    listed = [session_fields(session, call.now) for session in page.items]
    structured: dict[str, Any] = {"sessions": listed}
    if not listed:
        return ToolResult(text="There are no such sessions.", structured=structured)
    lines = [NOTE, *map(session_lines, listed)]
    if page.cursor is not None:
        structured["next_cursor"] = page.cursor
        lines.append(f"There are more: call again with cursor {page.cursor}")
    return ToolResult(text="\n\n".join(lines), structured=structured)
