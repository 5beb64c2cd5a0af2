"""The MCP client that the turn worker uses: list the tools of an upstream server, call one.

It never opens an elicitation's URL, and it keeps nothing: what is worth keeping is handed back as
`remembered`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from chalicelib.outbound.guard import Guard
from chalicelib.outbound.mcp_client.consented import Consented, StandDown
from chalicelib.outbound.mcp_client.era import Code
from chalicelib.outbound.mcp_client.headers import mirrored
from chalicelib.outbound.mcp_client.legacy import Pause
from chalicelib.outbound.mcp_client.line import URL_CAPABILITY, Line, Outdated
from chalicelib.outbound.mcp_client.redaction import Redactor
from chalicelib.outbound.mcp_client.results import AskAgain, read_error, read_legacy, read_modern
from chalicelib.outbound.mcp_client.tools import Listing, read_listing
from chalicelib.outbound.mcp_client.values import (
    CallOutcome,
    Failed,
    FailureKind,
    Json,
    Remembered,
    ToolInfo,
    UpstreamFailed,
    UpstreamServer,
    UrlElicitationsRequired,
)
from chalicelib.outbound.mcp_client.wire import Reply, Wire

T = TypeVar("T")

MAX_ROUNDS: Final = 3
"""`tools/call` requests that one `call_tool` makes at most (facts everruns 3)."""

_BACK_OFF: Final = (0.25, 1.0)
"""Seconds before the second and the third round, when the server wants no person."""


@dataclass(frozen=True, slots=True)
class _ToolCall:
    name: str
    arguments: Mapping[str, Any]
    request_state: str | None = field(default=None, repr=False)
    input_responses: Mapping[str, Any] | None = None

    def plain(self) -> Json:
        return {"name": self.name, "arguments": dict(self.arguments)}

    def params(self) -> Json:
        """With state and answers, each only if there is one."""
        params = self.plain()
        if self.request_state is not None:
            params["requestState"] = self.request_state
        if self.input_responses is not None:
            params["inputResponses"] = dict(self.input_responses)
        return params


class McpClient:
    """One upstream server, for one turn; not for use by several threads at once.

    `declares_url` says whether Parley can put a URL before a person for this session: a server that
    is told otherwise must not ask. `remembered` is what an earlier client handed back.
    """

    def __init__(
        self,
        guard: Guard,
        server: UpstreamServer,
        *,
        new_id: Callable[[], str],
        declares_url: bool,
        remembered: Remembered | None = None,
        pause: Pause = time.sleep,
    ) -> None:
        self._line = Line(
            Wire(guard, server),
            mode=server.protocol_mode,
            capabilities=URL_CAPABILITY if declares_url else {},
            new_id=new_id,
            pause=pause,
            remembered=remembered,
        )
        self._redactor = Redactor(server.headers)
        self._pause = pause

    @property
    def remembered(self) -> Remembered | None:
        """What to hand to the next client for this server and credential."""
        return self._line.known

    def list_tools(self) -> list[ToolInfo]:
        """The server's tools, all pages. Raises `UpstreamFailed`."""
        try:
            tools = _at_most_twice(self._list).tools
        except UpstreamFailed as error:
            message = self._redactor.text(error.failed.message)
            raise UpstreamFailed(Failed(error.failed.kind, message)) from None
        return [
            ToolInfo(
                t.name, self._redactor.text(t.description), self._redactor.value(t.input_schema)
            )
            for t in tools
        ]

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        request_state: str | None = None,
        input_responses: Mapping[str, Any] | None = None,
        consented_origin: str | None = None,
    ) -> CallOutcome:
        """Call a tool; never raises for what the server or the network does.

        After a pause: the same name and arguments, the round's `request_state` as it was, and an
        answer for every key (`{"action": "accept" | "decline"}`). A legacy server is called
        plainly; one that asks inside the call gets one accept for a URL at `consented_origin`.
        """
        call = _ToolCall(name, arguments, request_state, input_responses)
        try:
            outcome = _at_most_twice(lambda: self._call(call, consented_origin))
        except UpstreamFailed as error:
            outcome = error.failed
        return self._redactor.outcome(outcome)

    def _call(self, call: _ToolCall, consented_origin: str | None) -> CallOutcome:
        if not self._line.era().is_modern:
            return self._call_legacy(call, consented_origin)
        for wait in (*_BACK_OFF, None):
            had_state = call.request_state is not None
            outcome = read_modern(self._ask_mirrored(call), had_state=had_state)
            if not isinstance(outcome, AskAgain):
                return outcome
            if wait is not None:
                self._pause(wait)
            call = _ToolCall(call.name, call.arguments, outcome.request_state)
        message = f"the server still wants another round after {MAX_ROUNDS}"
        return Failed(FailureKind.TOO_MANY_ROUNDS, message, may_have_run=True)

    def _call_legacy(self, call: _ToolCall, consented_origin: str | None) -> CallOutcome:
        try:
            answerer = Consented(consented_origin)
            return read_legacy(self._line.ask_legacy("tools/call", call.plain(), answerer))
        except StandDown as asked:
            return UrlElicitationsRequired((asked.request,), legacy=True)

    def _ask_mirrored(self, call: _ToolCall) -> Reply:
        """With the headers that the tool's schema wants; when the server finds them wrong, the list
        is out of date: read it once and try again (2026-07-28, "Client Behavior")."""
        if self._line.era().mirrors is None:
            self._list()
        reply = self._ask(call)
        if reply.code == Code.HEADER_MISMATCH:
            self._list()
            reply = self._ask(call)
        return reply

    def _ask(self, call: _ToolCall) -> Reply:
        paths = (self._line.era().mirrors or {}).get(call.name, {})
        return self._line.ask_modern("tools/call", call.params(), mirrored(paths, call.arguments))

    def _list(self) -> Listing:
        is_modern = self._line.era().is_modern
        ask = self._line.ask_modern if is_modern else self._line.ask_legacy
        listing = read_listing(lambda params: ask("tools/list", params), mirroring=is_modern)
        self._line.remember_mirrors(listing.mirrors)
        return listing


def _at_most_twice(action: Callable[[], T]) -> T:
    """Do it, and once more when what was remembered about the server turned out to be old."""
    try:
        return action()
    except Outdated:
        pass
    try:
        return action()
    except Outdated as error:
        raise UpstreamFailed(read_error(error.reply)) from error
