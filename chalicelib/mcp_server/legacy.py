"""The leg for the revisions of 2025, stateless: a handshake that stores nothing, no back channel.

JSON-RPC errors go out with HTTP 200 here: the SDKs of these revisions read a body only then. Only
what is wrong with the transport has another status.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.answers import McpAnswer, refusal_answer, result_answer
from chalicelib.mcp_server.calls import call_tool
from chalicelib.mcp_server.capabilities import Capabilities, needed_for
from chalicelib.mcp_server.envelope import Request
from chalicelib.mcp_server.headers import Headers
from chalicelib.mcp_server.legacy_session import LegacySession, read_session, write_session_id
from chalicelib.mcp_server.refusals import Code, InvalidParams, MissingCapability, Refusal
from chalicelib.mcp_server.registry import InputRequired, ToolResult
from chalicelib.mcp_server.results import complete_result, list_tools
from chalicelib.mcp_server.revisions import LEGACY, MODERN, SESSION_HEADER
from chalicelib.mcp_server.server import McpServer

URL_MODE = "elicitation.url"


def answer_legacy(
    request: Request, headers: Headers, *, server: McpServer, principal: Principal, now: datetime
) -> McpAnswer:
    """Raises `Refusal` only for a session id that is not ours."""
    try:
        if request.method == "initialize":
            return _initialize(request, server, principal, now)
    except Refusal as refusal:
        return refusal_answer(request.id, refusal, status=200)
    session = read_session(headers.get(SESSION_HEADER), server, principal, now)
    try:
        result = _result(request, session, server=server, principal=principal, now=now)
    except Refusal as refusal:
        return refusal_answer(request.id, refusal, status=200)
    return result_answer(request.id, result)


def _initialize(
    request: Request, server: McpServer, principal: Principal, now: datetime
) -> McpAnswer:
    asked = request.params.get("protocolVersion")
    if not isinstance(asked, str):
        raise InvalidParams("params.protocolVersion must be a string.")
    session = LegacySession(
        version=asked if asked in LEGACY else LEGACY[-1],
        capabilities=Capabilities.read(request.params.get("capabilities", {})),
    )
    result = {
        "protocolVersion": session.version,
        "capabilities": {"tools": {}},
        "serverInfo": server.info(),
        "instructions": server.instructions,
    }
    session_id = write_session_id(session, server, principal, now)
    return result_answer(request.id, result, {SESSION_HEADER: session_id})


def _result(
    request: Request,
    session: LegacySession,
    *,
    server: McpServer,
    principal: Principal,
    now: datetime,
) -> dict[str, Any]:
    match request.method:
        case "ping":
            return {}
        case "tools/list":
            return list_tools(server, request.params, principal)
        case "tools/call":
            return _call(request, session, server=server, principal=principal, now=now)
    raise Refusal(Code.METHOD_NOT_FOUND, "Unknown method.")


def _call(
    request: Request,
    session: LegacySession,
    *,
    server: McpServer,
    principal: Principal,
    now: datetime,
) -> dict[str, Any]:
    """Retries do not exist here, so what a retry would carry is not looked at."""
    first = {name: request.params[name] for name in ("name", "arguments") if name in request.params}
    try:
        outcome = call_tool(
            server, first, principal=principal, capabilities=session.capabilities, now=now
        )
        if isinstance(outcome, InputRequired):
            outcome = _ask_for_urls(outcome, session.capabilities)
    except MissingCapability as missing:
        outcome = ToolResult(text=missing.message, is_error=True)
    return complete_result(outcome)


def _ask_for_urls(pause: InputRequired, capabilities: Capabilities) -> ToolResult:
    """-32042 (2025-11-25, "URL mode"), where all that is needed is pages for the client to open."""
    entries = [
        {**asked["params"], "elicitationId": pause.elicitation_ids[key]}
        for key, asked in pause.input_requests.items()
        if needed_for(asked) == URL_MODE
    ]
    if not entries or len(entries) != len(pause.input_requests):
        return ToolResult(text=f"This needs a client of MCP {MODERN[0]}.", is_error=True)
    capabilities.require(URL_MODE)
    raise Refusal(
        Code.URL_ELICITATION_REQUIRED,
        "A page has to be opened first. Call the tool again afterwards.",
        data={"elicitations": entries},
    )
