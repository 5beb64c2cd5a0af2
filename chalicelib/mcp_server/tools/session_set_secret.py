"""`session_set_secret`: a secret gets its value from a person, on a page, never through the client.

The exchange is the seed's (`everruns-url-elicitation`, "Calling Everruns as an MCP server").
Clients answer `accept` when the page is opened, long before a value is typed, and give up after ten
rounds without one. So a retry waits, and the last round before that ends the call as `pending`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from chalicelib.domain.elicitation import Action
from chalicelib.domain.principal import Scope
from chalicelib.domain.secret import MAX_NAME_LENGTH, NAME_PATTERN, SecretState
from chalicelib.mcp_server.backend import SecretPage, Secrets
from chalicelib.mcp_server.refusals import InvalidParams, invalid_state
from chalicelib.mcp_server.registry import Annotations, InputRequired, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.schemas import SESSION_ID, arguments, record, text
from chalicelib.mcp_server.state_token import StateSealer, call_context

NAME: Final = "session_set_secret"
KEY: Final = "secret"
"""The key of the question in `inputRequests`."""

WAIT_SECONDS: Final = 20
"""How long a retry is held back: under API Gateway's 29 seconds, with time for the rest."""

MAX_ROUNDS: Final = 9
"""Rounds before the call ends as `pending`; the SDKs' clients give up after their tenth."""

_INPUT: Final = arguments(
    {
        "session_id": SESSION_ID,
        "name": text(
            "The secret's name, such as STRIPE_API_KEY.",
            longest=MAX_NAME_LENGTH,
            pattern=f"^{NAME_PATTERN}$",
        ),
    },
    required=("session_id", "name"),
)
_OUTPUT: Final = record(
    {
        "name": {"type": "string"},
        "stored": {"type": "boolean"},
        "status": {"type": "string", "enum": ["pending"]},
    },
    required=("name", "stored"),
)


@dataclass(frozen=True, slots=True)
class _Round:
    """What the sealed state carries: a random handle, a nonce for one use, and how far it is."""

    handle: str
    nonce: str
    number: int
    has_accepted: bool
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class SessionSetSecret:
    """The tool. `new_nonce` returns unguessable text."""

    secrets: Secrets
    sealer: StateSealer
    new_nonce: Callable[[], str]

    def tool(self) -> Tool:
        """For hosts; an existing value is replaced, which is what `destructive` warns of."""
        return Tool(
            name=NAME,
            title="Store a secret for a session",
            description=(
                "Stores a secret (an API key, a password, a token) for a session, or replaces it. "
                "A person types the value on Parley's own page: it never passes through you, and "
                "there is no argument for it. Never ask the person to tell you the value. A result "
                "with status pending means that nobody has typed it yet: call again with the same "
                "arguments later."
            ),
            input_schema=_INPUT,
            output_schema=_OUTPUT,
            annotations=Annotations(
                read_only=False, destructive=True, idempotent=False, open_world=True
            ),
            scopes=frozenset({Scope.HOST}),
            call=self.call,
        )

    def call(self, call: ToolCall) -> ToolResult | InputRequired:
        """One round: ask, or wait for what was asked.

        A state is used up by the round that it opens; one that is forged, expired, used, or sealed
        for another principal, tool or arguments is refused with the same words.
        """
        call.capabilities.require("elicitation.url")
        if call.request_state is None:
            return self._ask(call, number=1)
        opened = self._open(call, call.request_state)
        action = Action.ACCEPT if opened.has_accepted else _read_action(call)
        if not self.secrets.spend_state(
            principal=call.principal, handle=opened.handle, nonce=opened.nonce
        ):
            raise invalid_state()
        if action is None:
            return self._ask(call, number=opened.number + 1)
        if action is not Action.ACCEPT:
            self.secrets.close_secret(principal=call.principal, handle=opened.handle)
            return _refused(f"The person chose {action.value}: no value was stored.")
        return self._wait(call, opened)

    def _ask(self, call: ToolCall, *, number: int) -> ToolResult | InputRequired:
        asked = self.secrets.start_secret(
            principal=call.principal,
            session_id=call.arguments["session_id"],
            name=call.arguments["name"],
        )
        if asked.state is not SecretState.PENDING:
            return self._finish(call, asked.handle, asked.state)
        if number > MAX_ROUNDS:
            return _pending(call)
        return InputRequired(
            input_requests={KEY: _question(call, asked)},
            request_state=self._seal(
                call,
                _Round(asked.handle, self.new_nonce(), number, False, asked.expires_at),
            ),
            elicitation_ids={KEY: asked.handle},
        )

    def _wait(self, call: ToolCall, opened: _Round) -> ToolResult | InputRequired:
        state = self.secrets.wait_secret(
            principal=call.principal, handle=opened.handle, wait_seconds=WAIT_SECONDS
        )
        if state is not SecretState.PENDING:
            return self._finish(call, opened.handle, state)
        number = opened.number + 1
        if number > MAX_ROUNDS:
            return _pending(call)
        following = _Round(opened.handle, self.new_nonce(), number, True, opened.expires_at)
        return InputRequired(request_state=self._seal(call, following))

    def _finish(self, call: ToolCall, handle: str, state: SecretState) -> ToolResult:
        self.secrets.close_secret(principal=call.principal, handle=handle)
        name = call.arguments["name"]
        if state is SecretState.STORED:
            return ToolResult(text=f"{name} is stored.", structured={"name": name, "stored": True})
        if state is SecretState.DECLINED:
            return _refused("The person declined on the page: no value was stored.")
        return _refused("The page expired before a value was typed. Call again for a new one.")

    def _seal(self, call: ToolCall, following: _Round) -> str:
        payload = [
            following.handle,
            following.nonce,
            following.number,
            following.has_accepted,
            int(following.expires_at.timestamp()),
        ]
        context = call_context(call.principal, call.tool, call.arguments)
        return self.sealer.seal(payload, context=context, expires_at=following.expires_at)

    def _open(self, call: ToolCall, state: str) -> _Round:
        context = call_context(call.principal, call.tool, call.arguments)
        match self.sealer.unseal(state, context=context, now=call.now):
            case [str(handle), str(nonce), int(number), bool(has_accepted), int(expires_at)]:
                until = datetime.fromtimestamp(expires_at, UTC)
                return _Round(handle, nonce, number, has_accepted, until)
        raise invalid_state()


def _question(call: ToolCall, asked: SecretPage) -> dict[str, Any]:
    name, session_id = call.arguments["name"], call.arguments["session_id"]
    message = f"Parley needs the value of '{name}' for session {session_id}."
    params = {"mode": "url", "message": message, "url": asked.url}
    return {"method": "elicitation/create", "params": params}


def _read_action(call: ToolCall) -> Action | None:
    """What the person chose in the client; None when the answer is missing: ask again."""
    response = (call.input_responses or {}).get(KEY)
    if response is None:
        return None
    try:
        return Action(response.get("action"))
    except ValueError:
        message = f"inputResponses.{KEY}.action must be accept, decline or cancel."
        raise InvalidParams(message) from None


def _pending(call: ToolCall) -> ToolResult:
    name = call.arguments["name"]
    return ToolResult(
        text=(
            f"Nobody has typed the value of {name} yet; the page stays open. "
            f"Call {NAME} with the same arguments later to see whether it is stored."
        ),
        structured={"name": name, "stored": False, "status": "pending"},
    )


def _refused(text_for_model: str) -> ToolResult:
    return ToolResult(text=text_for_model, is_error=True)
