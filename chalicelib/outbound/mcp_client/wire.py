"""One JSON-RPC message to the server, one reply from it, as JSON or as an SSE stream.

It knows HTTP and JSON-RPC framing, not what a method means.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeGuard

from chalicelib.outbound.connection import Answer
from chalicelib.outbound.failures import OutboundFailure, OutboundProblem
from chalicelib.outbound.guard import Guard, OutboundRequest
from chalicelib.outbound.mcp_client.sse import EventTooLarge, events
from chalicelib.outbound.mcp_client.values import (
    FailureKind,
    Json,
    UpstreamFailed,
    UpstreamServer,
    failure,
)

Heard = Callable[[Json], None]
"""Called with every message of a stream that is not the awaited response."""

_KINDS: Final[Mapping[OutboundProblem, FailureKind]] = {
    OutboundProblem.REFUSED: FailureKind.REFUSED,
    OutboundProblem.UNREACHABLE: FailureKind.UNREACHABLE,
    OutboundProblem.TIMED_OUT: FailureKind.TIMED_OUT,
    OutboundProblem.TOO_LARGE: FailureKind.TOO_LARGE,
    OutboundProblem.BROKEN: FailureKind.LOST,
}


class StreamCut(Exception):
    """A stream ended before the response; `last_id` is where a legacy server may resume it."""

    def __init__(self, last_id: str | None, retry_ms: int | None) -> None:
        super().__init__("the stream ended before the response")
        self.last_id = last_id
        self.retry_ms = retry_ms


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the HTTP status, and the JSON-RPC response if there was one."""

    status: int
    message: Json | None = None
    session_id: str | None = field(default=None, repr=False)

    @property
    def result(self) -> Json | None:
        """The result, when the call succeeded."""
        result = (self.message or {}).get("result")
        return result if isinstance(result, dict) else None

    @property
    def error(self) -> Json:
        """The JSON-RPC error, or an empty object."""
        error = (self.message or {}).get("error")
        return error if isinstance(error, dict) else {}

    @property
    def code(self) -> int | None:
        """The JSON-RPC error's code."""
        code = self.error.get("code")
        return code if isinstance(code, int) else None

    @property
    def error_data(self) -> Json:
        """The JSON-RPC error's data, or an empty object."""
        data = self.error.get("data")
        return data if isinstance(data, dict) else {}


class Wire:
    """Sends messages to one server with its credentials."""

    def __init__(self, guard: Guard, server: UpstreamServer) -> None:
        self._guard = guard
        self._server = server

    def post(self, message: Json, headers: Mapping[str, str], heard: Heard | None = None) -> Reply:
        """Send a message and read the reply to its id (none for a notification or a response).

        Raises `StreamCut`, or `UpstreamFailed` for everything that is no reply at all.
        """
        body = json.dumps(message).encode()
        own = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        request = OutboundRequest("POST", self._server.url, self._headers(own, headers), body)
        wanted = message.get("id") if "method" in message else None
        return self._send(request, wanted, heard, acts=message.get("method") == "tools/call")

    def resume(self, wanted: str, headers: Mapping[str, str], heard: Heard | None) -> Reply:
        """Go on reading a legacy stream for the response to `wanted`; raises as `post` does."""
        own = {"Accept": "text/event-stream"}
        request = OutboundRequest("GET", self._server.url, self._headers(own, headers))
        return self._send(request, wanted, heard, acts=True)

    def _headers(self, own: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
        """Ours win over the server's configured ones, whatever their case."""
        ours = {**own, **more}
        taken = {name.lower() for name in ours}
        kept = {k: v for k, v in self._server.headers.items() if k.lower() not in taken}
        return {**kept, **ours}

    def _send(
        self, request: OutboundRequest, wanted: Any, heard: Heard | None, *, acts: bool
    ) -> Reply:
        try:
            with self._guard.send(request) as answer:
                return _read(answer, wanted, heard)
        except OutboundFailure as error:
            raise failure(
                _KINDS[error.problem], error.message, may_have_run=acts and error.sent
            ) from error


def _read(answer: Answer, wanted: Any, heard: Heard | None) -> Reply:
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    session_id = answer.headers.get("mcp-session-id")
    if wanted is None:
        return Reply(answer.status, None, session_id)
    if answer.status == 200 and kind == "text/event-stream":
        return Reply(answer.status, _from_stream(answer, wanted, heard), session_id)
    parsed = _parse(answer.read()) if kind == "application/json" else None
    if answer.status >= 400:
        # Servers answer a request that they do not understand with an id of their own, or none.
        is_error = isinstance(parsed, dict) and isinstance(parsed.get("error"), dict)
        return Reply(answer.status, parsed if is_error else None, session_id)
    if not _responds(parsed, wanted):
        _not_mcp()
    return Reply(answer.status, parsed, session_id)


def _from_stream(answer: Answer, wanted: Any, heard: Heard | None) -> Json:
    last_id: str | None = None
    retry_ms: int | None = None
    try:
        for event in events(answer.chunks()):
            last_id, retry_ms = event.last_id, event.retry_ms
            message = _parse(event.data.encode()) if event.data else None
            if _responds(message, wanted):
                return message
            if isinstance(message, dict) and heard is not None:
                heard(message)
    except EventTooLarge as error:
        message = "the answer has an event that is too large"
        raise failure(FailureKind.TOO_LARGE, message, may_have_run=True) from error
    except OutboundFailure as error:
        if error.problem is not OutboundProblem.BROKEN:
            raise
    raise StreamCut(last_id, retry_ms)


def _responds(message: Any, wanted: Any) -> TypeGuard[Json]:
    """Whether this is the JSON-RPC response to the request `wanted`."""
    if not isinstance(message, dict) or message.get("id") != wanted or "method" in message:
        return False
    return isinstance(message.get("result"), dict) or isinstance(message.get("error"), dict)


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _not_mcp() -> NoReturn:
    raise failure(FailureKind.PROTOCOL, "the answer is not an MCP response", may_have_run=True)


def lost() -> UpstreamFailed:
    """The failure for a stream that ended early and cannot be resumed."""
    message = "the answer was cut off before the result"
    return failure(FailureKind.LOST, message, may_have_run=True)
