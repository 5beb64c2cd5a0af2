"""One `tools/call`, the same for every revision: find the tool, check, call, word the trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from chalicelib.domain.errors import FieldProblem, ParleyError
from chalicelib.domain.principal import Principal
from chalicelib.domain.text import visible
from chalicelib.mcp_server.arguments import argument_problems
from chalicelib.mcp_server.capabilities import Capabilities
from chalicelib.mcp_server.refusals import InvalidParams
from chalicelib.mcp_server.registry import InputRequired, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.server import McpServer


def call_tool(
    server: McpServer,
    params: Mapping[str, Any],
    *,
    principal: Principal,
    capabilities: Capabilities,
    now: datetime,
) -> ToolResult | InputRequired:
    """Run the named tool.

    Params that cannot be read, an unknown tool and one this principal may not know of raise
    `InvalidParams`. What the model can do something about (argument values, every `ParleyError`)
    comes back as a result with `is_error`.
    """
    tool = _find(server, params.get("name"), principal)
    call = ToolCall(
        tool=tool.name,
        arguments=_read_object(params, "arguments") or {},
        principal=principal,
        capabilities=capabilities,
        now=now,
        request_state=_read_state(params),
        input_responses=_read_responses(params),
    )
    problems = argument_problems(tool.input_schema, call.arguments)
    if problems:
        return ToolResult(text=_worded("Invalid arguments.", problems), is_error=True)
    try:
        return tool.call(call)
    except ParleyError as error:
        text = _worded(f"{error.code}: {visible(error.message)}", error.fields)
        return ToolResult(text=text, is_error=True)


def _find(server: McpServer, name: Any, principal: Principal) -> Tool:
    if not isinstance(name, str):
        raise InvalidParams("params.name must be a string.")
    for tool in server.tools_for(principal):
        if tool.name == name:
            return tool
    raise InvalidParams("No tool of this name is open to this key.")


def _read_object(params: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    if name not in params:
        return None
    value = params[name]
    if not isinstance(value, dict):
        raise InvalidParams(f"params.{name} must be an object.")
    return value


def _read_state(params: Mapping[str, Any]) -> str | None:
    if "requestState" not in params:
        return None
    state = params["requestState"]
    if not isinstance(state, str):
        raise InvalidParams("params.requestState must be a string.")
    return state


def _read_responses(params: Mapping[str, Any]) -> Mapping[str, Any] | None:
    responses = _read_object(params, "inputResponses")
    if responses and not all(isinstance(response, dict) for response in responses.values()):
        raise InvalidParams("Every entry of params.inputResponses must be an object.")
    return responses


def _worded(summary: str, problems: Sequence[FieldProblem]) -> str:
    lines = [f"- {visible(problem.path)}: {visible(problem.message)}" for problem in problems]
    return "\n".join([summary, *lines])
