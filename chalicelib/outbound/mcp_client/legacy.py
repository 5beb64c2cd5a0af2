"""The 2025 revisions: `initialize`, a session id, streams that can be resumed and can ask.

The standalone GET stream is not opened: it would have to be listened to while a call runs, so what
a server asks there (the TypeScript SDK does) is not heard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.outbound.mcp_client.era import Code, http_failure, refuses_handshake
from chalicelib.outbound.mcp_client.modern import CLIENT_INFO
from chalicelib.outbound.mcp_client.values import LEGACY, FailureKind, Json, Remembered, failure
from chalicelib.outbound.mcp_client.wire import Heard, Reply, StreamCut, Wire, lost

MAX_RESUMES: Final = 3
_RETRY_MS: Final = 1000
_MAX_RETRY_MS: Final = 5000

Pause = Callable[[float], None]
"""Wait that many seconds."""

Answerer = Callable[[Json], Json]
"""`{"result": ..}` or `{"error": ..}` for a request of the server's; may raise to end the call."""


class HandshakeRefused(Exception):
    """The server knows no `initialize`: it is of no legacy era."""


@dataclass(frozen=True, slots=True)
class Legacy:
    """Speaks to a server with sessions."""

    wire: Wire
    new_id: Callable[[], str]
    pause: Pause

    def initialize(self, version: str, capabilities: Mapping[str, Any]) -> Remembered:
        """Open a session, offering `version`. Raises `HandshakeRefused` or `UpstreamFailed`."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": CLIENT_INFO,
        }
        try:
            reply = self.wire.post(self._message("initialize", params), {})
        except StreamCut as cut:
            raise lost() from cut
        if refuses_handshake(reply):
            raise HandshakeRefused
        if reply.result is None:
            raise http_failure(reply)
        agreed = reply.result.get("protocolVersion")
        if agreed not in LEGACY:
            message = "the server speaks no MCP revision that Parley speaks"
            raise failure(FailureKind.VERSION, message)
        session = Remembered(
            version=agreed, mcp_session_id=reply.session_id, declared=dict(capabilities)
        )
        self._tell(session, {"method": "notifications/initialized"})
        return session

    def ask(
        self,
        session: Remembered,
        method: str,
        params: Mapping[str, Any],
        answerer: Answerer | None = None,
    ) -> Reply:
        """One request in a session; the server's own requests on its stream are answered.

        A stream that is cut off is resumed from its last event id, if it has one. When the answerer
        raises, the request is cancelled. Raises `UpstreamFailed`, or what the answerer raises.
        """
        message = self._message(method, params)
        heard = self._heard(session, answerer or refuse_request, message["id"])
        headers = _headers(session)
        try:
            return self.wire.post(message, headers, heard)
        except StreamCut as cut:
            return self._resume(cut, message["id"], headers, heard)

    def _resume(
        self, cut: StreamCut, wanted: str, headers: Mapping[str, str], heard: Heard
    ) -> Reply:
        for _ in range(MAX_RESUMES):
            if cut.last_id is None:
                break
            retry_ms = _RETRY_MS if cut.retry_ms is None else cut.retry_ms
            self.pause(min(retry_ms, _MAX_RETRY_MS) / 1000)
            try:
                return self.wire.resume(wanted, {**headers, "Last-Event-ID": cut.last_id}, heard)
            except StreamCut as again:
                cut = StreamCut(again.last_id or cut.last_id, again.retry_ms or cut.retry_ms)
        raise lost() from cut

    def _heard(self, session: Remembered, answerer: Answerer, request_id: str) -> Heard:
        def heard(message: Json) -> None:
            if "method" not in message or "id" not in message:
                return
            try:
                answer = answerer(message)
            except Exception:
                cancelled = {"requestId": request_id, "reason": "a person has to act first"}
                self._tell(session, {"method": "notifications/cancelled", "params": cancelled})
                raise
            self._tell(session, {"id": message["id"], **answer})

        return heard

    def _tell(self, session: Remembered, message: Json) -> None:
        self.wire.post({"jsonrpc": "2.0", **message}, _headers(session))

    def _message(self, method: str, params: Mapping[str, Any]) -> Json:
        return {"jsonrpc": "2.0", "id": self.new_id(), "method": method, "params": dict(params)}


def refuse_request(message: Json) -> Json:
    """The answer to a request that Parley does not serve; `ping` gets its empty result."""
    if message["method"] == "ping":
        return {"result": {}}
    code, why = Code.METHOD_NOT_FOUND, "Parley does not serve this."
    if message["method"] == "elicitation/create":
        code, why = Code.INVALID_PARAMS, "Parley serves elicitations in URL mode only."
    return {"error": {"code": int(code), "message": why}}


def _headers(session: Remembered) -> dict[str, str]:
    headers = {"MCP-Protocol-Version": session.version}
    if session.mcp_session_id is not None:
        headers["Mcp-Session-Id"] = session.mcp_session_id
    return headers
