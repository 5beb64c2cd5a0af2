"""Upstream MCP servers for tests: scripted answers of the modern and the legacy eras."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.outbound.addresses import AddressPolicy
from chalicelib.outbound.connection import Limits
from chalicelib.outbound.guard import Guard
from chalicelib.outbound.mcp_client.client import McpClient
from chalicelib.outbound.mcp_client.values import ProtocolMode, Remembered, UpstreamServer
from tests.outbound.upstream import Asked, Script, Told, Upstream, json_told

MODERN_META = "io.modelcontextprotocol/"

TOOL = {"name": "report", "description": "A report.", "inputSchema": {"type": "object"}}

Call = Callable[[Asked], Told]


def result(
    asked: Asked, value: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Told:
    """The JSON-RPC result to a request."""
    message = {"jsonrpc": "2.0", "id": asked.json["id"], "result": value}
    return json_told(message, headers=headers)


def error(
    asked: Asked, code: int, *, status: int = 400, message: str = "no", data: Any = None
) -> Told:
    """The JSON-RPC error to a request."""
    said = {"code": code, "message": message, "data": data}
    return json_told({"jsonrpc": "2.0", "id": asked.json["id"], "error": said}, status)


def done(asked: Asked) -> Told:
    """A complete result."""
    return result(asked, {"resultType": "complete", "content": [{"type": "text", "text": "ok"}]})


def wants_url(url: str, *, key: str = "api_key", state: str | None = "state-1") -> dict[str, Any]:
    """An `input_required` result with one URL elicitation."""
    params = {"mode": "url", "url": url, "message": "Please finish this."}
    wanted: dict[str, Any] = {
        "resultType": "input_required",
        "inputRequests": {key: {"method": "elicitation/create", "params": params}},
    }
    return wanted if state is None else {**wanted, "requestState": state}


def modern(call: Call, tools: list[dict[str, Any]] | None = None) -> Script:
    """A server of 2026-07-28."""

    def script(asked: Asked) -> Told:
        match asked.json["method"]:
            case "server/discover":
                return result(asked, {"supportedVersions": ["2026-07-28"], "capabilities": {}})
            case "tools/list":
                return result(asked, {"tools": [TOOL] if tools is None else tools})
            case "tools/call":
                return call(asked)
        return error(asked, -32601, status=404)

    return script


def legacy(call: Call, *, version: str = "2025-11-25", session: str = "session-1") -> Script:
    """A server with sessions, that answers a modern request as the python SDK 1.30 does."""

    def script(asked: Asked) -> Told:
        if asked.method != "POST":
            return call(asked)
        match asked.json.get("method"):
            case "initialize":
                value = {"protocolVersion": version, "capabilities": {}, "serverInfo": {}}
                return result(asked, value, {"Mcp-Session-Id": session})
            case "tools/list":
                return result(asked, {"tools": [TOOL]})
            case "tools/call":
                return call(asked)
            case "server/discover":
                said = {"code": -32600, "message": "Bad Request: no session"}
                return json_told({"jsonrpc": "2.0", "id": "server-error", "error": said}, 400)
        return Told(202)

    return script


def client(
    upstream: Upstream,
    *,
    mode: ProtocolMode = ProtocolMode.AUTO,
    headers: Mapping[str, str] | None = None,
    declares_url: bool = True,
    remembered: Remembered | None = None,
    pauses: list[float] | None = None,
    limits: Limits | None = None,
) -> McpClient:
    """A client for the upstream; it notes its pauses instead of waiting."""
    numbers = itertools.count(1)
    policy = AddressPolicy(allow_loopback=True)
    return McpClient(
        Guard([upstream.origin], policy=policy, limits=limits),
        UpstreamServer("acme", upstream.url, mode, headers or {}),
        new_id=lambda: f"id-{next(numbers)}",
        declares_url=declares_url,
        remembered=remembered,
        pause=pauses.append if pauses is not None else lambda seconds: None,
    )
