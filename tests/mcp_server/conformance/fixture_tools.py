"""Tools with the names and the behaviour that the conformance suite looks for.

They exercise the protocol layer as Parley's own tools cannot: every kind of content, every kind of
question, several rounds. Their states go through the real sealer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from chalicelib.domain.principal import Scope
from chalicelib.mcp_server.capabilities import needed_for
from chalicelib.mcp_server.refusals import MissingCapability, invalid_state
from chalicelib.mcp_server.registry import InputRequired, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.state_token import SignedSealer, call_context

KEYS: Final = ("conformance-only",)
PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5Erk"
    "Jggg=="
)
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

Round = Mapping[str, Mapping[str, Any]]


def _form(message: str, field: str, kind: str = "string") -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


def _sampling(text: str) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 50}}


_ROOTS: Final[Mapping[str, Any]] = {"method": "roots/list", "params": {}}
_NAME: Final = _form("What is your name?", "name")


@dataclass(frozen=True)
class Asking:
    """A tool that asks `rounds` one after the other and then says what it was told."""

    rounds: tuple[Round, ...]
    asks_only_declared: bool = False
    has_state: bool = True

    def __call__(self, call: ToolCall) -> ToolResult | InputRequired:
        number = self._opened(call)
        if number is None:
            return self._ask(call, 0)
        if not _answers_all(self.rounds[number], call.input_responses or {}):
            return self._ask(call, number)
        if number + 1 < len(self.rounds):
            return self._ask(call, number + 1)
        return ToolResult(text=f"state-ok {call.input_responses}")

    def _opened(self, call: ToolCall) -> int | None:
        if not self.has_state:
            return 0
        if call.request_state is None:
            return None
        context = call_context(call.principal, call.tool, call.arguments)
        number = SignedSealer(KEYS).unseal(call.request_state, context=context, now=call.now)
        if not isinstance(number, int):
            raise invalid_state()
        return number

    def _ask(self, call: ToolCall, number: int) -> InputRequired:
        asked = self.rounds[number]
        if self.asks_only_declared:
            declared = call.capabilities.names
            asked = {key: value for key, value in asked.items() if needed_for(value) in declared}
        if not self.has_state:
            return InputRequired(input_requests=asked)
        context = call_context(call.principal, call.tool, call.arguments)
        expires_at = call.now + timedelta(minutes=1)
        state = SignedSealer(KEYS).seal(number, context=context, expires_at=expires_at)
        return InputRequired(input_requests=asked, request_state=state)


def _answers_all(asked: Round, responses: Mapping[str, Any]) -> bool:
    return all(key in responses and _fits(asked[key], responses[key]) for key in asked)


def _fits(asked: Mapping[str, Any], response: Mapping[str, Any]) -> bool:
    """Whether an accepted form has values of the types asked for; the rest is taken as sent."""
    if asked["method"] != "elicitation/create":
        return True
    properties = asked["params"]["requestedSchema"]["properties"]
    content = response.get("content")
    return isinstance(content, dict) and all(
        isinstance(content.get(field), str if schema["type"] == "string" else bool)
        for field, schema in properties.items()
    )


def _needs_sampling(_call: ToolCall) -> ToolResult:
    raise MissingCapability("sampling")


def _fixed(**fields: Any) -> Any:
    return lambda _call: ToolResult(**fields)


def _resource(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


_IMAGE: Final = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
_CALLS: Final[Mapping[str, Any]] = {
    "test_simple_text": _fixed(text="This is a simple text response for testing."),
    "test_error_handling": _fixed(text="This tool always fails.", is_error=True),
    "test_image_content": _fixed(content=(_IMAGE,)),
    "test_audio_content": _fixed(
        content=({"type": "audio", "data": SILENCE, "mimeType": "audio/wav"},)
    ),
    "test_embedded_resource": _fixed(
        content=(_resource("test://embedded-resource", "text/plain", "Embedded."),)
    ),
    "test_multiple_content_types": _fixed(
        content=(
            {"type": "text", "text": "Several types:"},
            _IMAGE,
            _resource("test://mixed-content-resource", "application/json", '{"test":"data"}'),
        )
    ),
    "test_missing_capability": _needs_sampling,
    "test_logging_tool": _fixed(text="No log is ever sent."),
    "test_streaming_elicitation": Asking(({"user_name": _NAME},)),
    "test_input_required_result_elicitation": Asking(({"user_name": _NAME},), has_state=False),
    "test_input_required_result_sampling": Asking(
        ({"capital_question": _sampling("What is the capital of France?")},)
    ),
    "test_input_required_result_list_roots": Asking(({"client_roots": _ROOTS},)),
    "test_input_required_result_request_state": Asking(
        ({"confirm": _form("Please confirm", "ok", "boolean")},)
    ),
    "test_input_required_result_tampered_state": Asking(
        ({"confirm": _form("Please confirm", "ok", "boolean")},)
    ),
    "test_input_required_result_multiple_inputs": Asking(
        ({"user_name": _NAME, "greeting": _sampling("Greet."), "client_roots": _ROOTS},)
    ),
    "test_input_required_result_multi_round": Asking(
        ({"step1": _NAME}, {"step2": _form("What is your favorite color?", "color")})
    ),
    "test_input_required_result_capabilities": Asking(
        ({"user_name": _NAME, "greeting": _sampling("Greet.")},), asks_only_declared=True
    ),
}

FIXTURE_TOOLS: Final = tuple(
    Tool(
        name=name,
        description="A fixture of the conformance suite.",
        input_schema={"type": "object", "properties": {}},
        call=call,
        scopes=frozenset(Scope),
    )
    for name, call in _CALLS.items()
)
