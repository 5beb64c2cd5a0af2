"""A small server with tools of its own, and the messages that clients of each era send to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chalicelib.domain.principal import Principal, Scope
from chalicelib.mcp_server.answers import McpAnswer
from chalicelib.mcp_server.handler import handle
from chalicelib.mcp_server.refusals import MissingCapability
from chalicelib.mcp_server.registry import InputRequired, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.server import McpServer
from chalicelib.mcp_server.state_token import SignedSealer

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
KEYS = ("an-old-signing-key", "the-newest-signing-key")
MODERN_VERSION = "2026-07-28"
OWN_ORIGIN = "https://parley.example"

EVERYTHING = Principal("Ada", frozenset({Scope.HOST, Scope.ANSWER, Scope.READ}), "key-ada")
HOST = Principal("runner", frozenset({Scope.HOST}), "key-runner")
READER = Principal("Rob", frozenset({Scope.READ}), "key-rob")

ANY_SCOPE = frozenset(Scope)
URL_CAPABLE: Mapping[str, Any] = {"elicitation": {"url": {}}}
BOTH_MODES: Mapping[str, Any] = {"elicitation": {"form": {}, "url": {}}}


def url_request(url: str = "https://parley.example/s/1") -> dict[str, Any]:
    return {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "Open the page.", "url": url},
    }


def form_request() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Who?", "requestedSchema": schema},
    }


def _echo(call: ToolCall) -> ToolResult:
    return ToolResult(text="echo", structured={"arguments": dict(call.arguments)})


def _ask_url(call: ToolCall) -> InputRequired | ToolResult:
    if call.input_responses is not None:
        return ToolResult(text=f"{call.request_state} {call.input_responses}")
    return InputRequired(
        input_requests={"page": url_request()},
        request_state="opaque",
        elicitation_ids={"page": "id-1"},
    )


def _ask_form(_call: ToolCall) -> InputRequired:
    return InputRequired(input_requests={"form": form_request()})


def _wait(_call: ToolCall) -> InputRequired:
    return InputRequired(request_state="again")


def _sample(_call: ToolCall) -> ToolResult:
    raise MissingCapability("sampling")


def _break(_call: ToolCall) -> ToolResult:
    raise RuntimeError("the table is called parley-secret-name")


ECHO_SCHEMA = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "tags": {"type": "object"},
    },
    "additionalProperties": False,
}
EMPTY_SCHEMA = {"type": "object"}

TOOLS = (
    Tool(name="echo", description="", input_schema=ECHO_SCHEMA, call=_echo, scopes=ANY_SCOPE),
    Tool(
        name="ask_url", description="", input_schema=EMPTY_SCHEMA, call=_ask_url, scopes=ANY_SCOPE
    ),
    Tool(
        name="ask_form", description="", input_schema=EMPTY_SCHEMA, call=_ask_form, scopes=ANY_SCOPE
    ),
    Tool(name="wait", description="", input_schema=EMPTY_SCHEMA, call=_wait, scopes=ANY_SCOPE),
    Tool(name="sample", description="", input_schema=EMPTY_SCHEMA, call=_sample, scopes=ANY_SCOPE),
    Tool(name="break", description="", input_schema=EMPTY_SCHEMA, call=_break, scopes=ANY_SCOPE),
    Tool(name="ünïcode", description="", input_schema=EMPTY_SCHEMA, call=_echo, scopes=ANY_SCOPE),
    Tool(
        name="answer_only",
        description="",
        input_schema=EMPTY_SCHEMA,
        call=_echo,
        scopes=frozenset({Scope.ANSWER}),
    ),
)


def make_server(*tools: Tool, **fields: Any) -> McpServer:
    """A server with `tools`, or else with the ones above."""
    defaults: dict[str, Any] = {
        "name": "parley",
        "version": "0.0.0",
        "title": "Parley",
        "instructions": "Be kind.",
        "tools": tools or TOOLS,
        "sealer": SignedSealer(KEYS),
        "allowed_origins": frozenset({OWN_ORIGIN}),
    }
    return McpServer(**defaults | fields)


@dataclass(frozen=True)
class Reply:
    """An answer with its body read."""

    answer: McpAnswer

    @property
    def status(self) -> int:
        return self.answer.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self.answer.headers

    @property
    def body(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.answer.body)
        return value

    @property
    def result(self) -> dict[str, Any]:
        value: dict[str, Any] = self.body["result"]
        return value

    @property
    def error(self) -> dict[str, Any]:
        value: dict[str, Any] = self.body["error"]
        return value

    @property
    def verdict(self) -> tuple[int, int]:
        """HTTP status and JSON-RPC code of a refusal."""
        return self.status, self.error["code"]


def post(
    body: bytes | Any,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
    principal: Principal | None = EVERYTHING,
    server: McpServer | None = None,
    now: datetime = NOW,
) -> Reply:
    """Send a body (bytes as they are, anything else as JSON) to the handler."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    server = server or make_server()
    return Reply(handle(method, headers or {}, raw, principal=principal, server=server, now=now))


def modern_meta(capabilities: Any = BOTH_MODES, version: Any = MODERN_VERSION) -> dict[str, Any]:
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }


def modern_headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    if isinstance(params.get("name"), str):
        headers["Mcp-Name"] = params["name"]
    return headers


def modern(
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    capabilities: Any = BOTH_MODES,
    headers: Mapping[str, str] | None = None,
    request_id: Any = 1,
    **rest: Any,
) -> Reply:
    """Send what a client of 2026-07-28 sends; `headers` are laid over the right ones."""
    params = params or {}
    message = {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": method,
        "params": {"_meta": modern_meta(capabilities), **params},
    }
    return post(message, modern_headers(method, params) | dict(headers or {}), **rest)


def modern_call(name: str, arguments: Any = None, **rest: Any) -> Reply:
    """`tools/call`; `state` and `responses` make it a retry."""
    params: dict[str, Any] = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    if "state" in rest:
        params["requestState"] = rest.pop("state")
    if "responses" in rest:
        params["inputResponses"] = rest.pop("responses")
    return modern("tools/call", params, **rest)


def legacy(
    method: str,
    params: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    request_id: Any = 1,
    **rest: Any,
) -> Reply:
    """Send what a client of the 2025 revisions sends."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return post(message, headers or {}, **rest)


def initialize(capabilities: Any = BOTH_MODES, version: Any = "2025-11-25", **rest: Any) -> Reply:
    """The handshake of the 2025 revisions."""
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return legacy("initialize", params, **rest)


def shake_hands(capabilities: Any = BOTH_MODES, **rest: Any) -> dict[str, str]:
    """Headers of every request after the handshake."""
    session_id = initialize(capabilities, **rest).headers["Mcp-Session-Id"]
    return {"Mcp-Session-Id": session_id, "MCP-Protocol-Version": "2025-11-25"}
