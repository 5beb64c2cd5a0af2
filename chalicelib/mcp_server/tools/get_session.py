"""`get_session`: one run of an agent, with the names of its secrets."""

from __future__ import annotations

from functools import partial

from chalicelib.domain.principal import Scope
from chalicelib.mcp_server.backend import Sessions
from chalicelib.mcp_server.registry import Annotations, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.schemas import SESSION, SESSION_ID, arguments, one
from chalicelib.mcp_server.untrusted import NOTE
from chalicelib.mcp_server.views import session_fields, session_lines


def get_session(backend: Sessions) -> Tool:
    """Read-only; secrets are told by name, there is no way to read one."""
    return Tool(
        name="get_session",
        title="Show one session",
        description=(
            "Shows one session: its status, whether it waits for a person and for which "
            "elicitations, a question that ended without an answer (lost), and the names of the "
            "secrets stored for it. Values of secrets are never shown."
        ),
        input_schema=arguments({"session_id": SESSION_ID}, required=("session_id",)),
        output_schema=one("session", SESSION),
        annotations=Annotations(
            read_only=True, destructive=False, idempotent=True, open_world=False
        ),
        scopes=frozenset(Scope),
        call=partial(_call, backend),
    )


def _call(backend: Sessions, call: ToolCall) -> ToolResult:
    session_id = call.arguments["session_id"]
    session = backend.get_session(principal=call.principal, session_id=session_id)
    names = backend.secret_names(principal=call.principal, session_id=session_id)
    fields = session_fields(session, call.now, secret_names=names)
    return ToolResult(text=f"{session_lines(fields)}\n\n{NOTE}", structured={"session": fields})
