"""The way in: one HTTP request to `/mcp`, one answer.

Who calls is established before (`principal` is None for a missing or wrong credential); everything
from there on is decided here, in the order of MCP 2026-07-28 and its conformance suite.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from chalicelib.domain.principal import Principal, Scope
from chalicelib.mcp_server.answers import McpAnswer, accepted, refusal_answer
from chalicelib.mcp_server.envelope import Notification, Request, read_message
from chalicelib.mcp_server.headers import Headers
from chalicelib.mcp_server.json_body import read_json
from chalicelib.mcp_server.legacy import answer_legacy
from chalicelib.mcp_server.modern import answer_modern
from chalicelib.mcp_server.refusals import Code, Refusal
from chalicelib.mcp_server.revisions import LEGACY, VERSION_HEADER
from chalicelib.mcp_server.server import McpServer


def handle(
    method: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    principal: Principal | None,
    server: McpServer,
    now: datetime,
) -> McpAnswer:
    """Answer one HTTP request. Never raises; what nobody expected is reported and becomes -32603.

    `now` is aware UTC. A tool may hold the answer back for as long as its own wait allows.
    """
    sent = Headers(headers)
    try:
        caller = _admit(method, sent, principal, server)
        message = read_message(read_json(body))
    except Refusal as refusal:
        return refusal_answer(None, refusal)
    if isinstance(message, Request):
        return _answer(message, sent, server=server, principal=caller, now=now)
    if isinstance(message, Notification) or sent.get(VERSION_HEADER) in LEGACY:
        return accepted()
    return refusal_answer(None, Refusal(Code.INVALID_REQUEST, "This server sends no requests."))


def _admit(
    method: str, headers: Headers, principal: Principal | None, server: McpServer
) -> Principal:
    if principal is None:
        raise _unauthenticated(headers, server)
    origin = headers.get("Origin")
    if origin is not None and origin not in server.allowed_origins:
        raise Refusal(Code.INVALID_REQUEST, "This origin is not allowed.", status=403)
    if method.upper() != "POST":
        allow = {"Allow": "POST"}
        raise Refusal(Code.INVALID_REQUEST, "Only POST is served.", status=405, headers=allow)
    return principal


def _unauthenticated(headers: Headers, server: McpServer) -> Refusal:
    """401 with a challenge (RFC 6750): an error is named only if a credential was sent."""
    parts = [f'scope="{" ".join(scope.value for scope in Scope)}"']
    if server.resource_metadata_url is not None:
        parts.insert(0, f'resource_metadata="{server.resource_metadata_url}"')
    if headers.get("Authorization") or headers.get("X-API-Key"):
        parts.append('error="invalid_token"')
    challenge = {"WWW-Authenticate": "Bearer " + ", ".join(parts)}
    message = "An API key is needed: Authorization: Bearer <key>."
    return Refusal(Code.INVALID_REQUEST, message, status=401, headers=challenge)


def _answer(
    request: Request, headers: Headers, *, server: McpServer, principal: Principal, now: datetime
) -> McpAnswer:
    version = headers.get(VERSION_HEADER)
    is_modern = request.names_version or (version is not None and version not in LEGACY)
    answer = answer_modern if is_modern else answer_legacy
    try:
        return answer(request, headers, server=server, principal=principal, now=now)
    except Refusal as refusal:
        return refusal_answer(request.id, refusal)
    except Exception as error:
        server.report(error)
        broken = Refusal(Code.INTERNAL, "Something went wrong here.", status=500)
        return refusal_answer(request.id, broken, status=500 if is_modern else 200)
