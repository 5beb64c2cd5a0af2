"""The leg for 2026-07-28: every request says for itself who speaks and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.answers import McpAnswer, result_answer
from chalicelib.mcp_server.calls import call_tool
from chalicelib.mcp_server.capabilities import Capabilities, needed_for
from chalicelib.mcp_server.envelope import Request
from chalicelib.mcp_server.headers import Headers, check_agreement
from chalicelib.mcp_server.refusals import Code, InvalidParams, Refusal
from chalicelib.mcp_server.registry import InputRequired
from chalicelib.mcp_server.results import (
    CACHE,
    complete_result,
    input_required_result,
    list_tools,
)
from chalicelib.mcp_server.revisions import (
    META_CAPABILITIES,
    META_SERVER_INFO,
    META_VERSION,
    MODERN,
)
from chalicelib.mcp_server.server import McpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a method may look at."""

    params: Mapping[str, Any]
    server: McpServer
    principal: Principal
    capabilities: Capabilities
    now: datetime


def answer_modern(
    request: Request, headers: Headers, *, server: McpServer, principal: Principal, now: datetime
) -> McpAnswer:
    """Raises `Refusal`; the checks come in the suite's order: `_meta`, headers, version, method."""
    version, capabilities = _read_meta(request)
    check_agreement(request, headers)
    if version not in MODERN:
        data = {"supported": list(MODERN), "requested": version}
        raise Refusal(Code.UNSUPPORTED_VERSION, "This protocol version is not served.", data=data)
    method = _METHODS.get(request.method)
    if method is None:
        raise Refusal(Code.METHOD_NOT_FOUND, "Unknown method.", status=404)
    asked = _Asked(
        params=request.params,
        server=server,
        principal=principal,
        capabilities=capabilities,
        now=now,
    )
    result = {**method(asked), "_meta": {META_SERVER_INFO: server.info()}}
    return result_answer(request.id, result)


def _read_meta(request: Request) -> tuple[str, Capabilities]:
    if not isinstance(request.params.get("_meta"), dict):
        raise InvalidParams("params._meta must be an object.")
    meta = request.params["_meta"]
    version = meta.get(META_VERSION)
    if not isinstance(version, str):
        raise InvalidParams(f"_meta must carry {META_VERSION}.")
    if META_CAPABILITIES not in meta:
        raise InvalidParams(f"_meta must carry {META_CAPABILITIES}.")
    return version, Capabilities.read(meta[META_CAPABILITIES])


def _discover(asked: _Asked) -> dict[str, Any]:
    return {
        "resultType": "complete",
        "supportedVersions": list(MODERN),
        "capabilities": {"tools": {}},
        "instructions": asked.server.instructions,
        **CACHE,
    }


def _list_tools(asked: _Asked) -> dict[str, Any]:
    tools = list_tools(asked.server, asked.params, asked.principal)
    return {"resultType": "complete", **tools, **CACHE}


def _call(asked: _Asked) -> dict[str, Any]:
    outcome = call_tool(
        asked.server,
        asked.params,
        principal=asked.principal,
        capabilities=asked.capabilities,
        now=asked.now,
    )
    if not isinstance(outcome, InputRequired):
        return {"resultType": "complete", **complete_result(outcome)}
    for input_request in outcome.input_requests.values():
        asked.capabilities.require(needed_for(input_request))
    return {"resultType": "input_required", **input_required_result(outcome)}


_METHODS: Final[Mapping[str, Callable[[_Asked], dict[str, Any]]]] = {
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call,
}
