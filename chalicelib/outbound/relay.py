"""The MCP client as turns use it: registered servers only, with the operator's credential."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.domain.errors import ParleyError
from chalicelib.domain.upstream import (
    Accepted,
    Answered,
    Asks,
    CallFailed,
    Outcome,
    ToolSpec,
    UpstreamRecord,
    WantedUrl,
)
from chalicelib.domain.urls import upstream_origin
from chalicelib.outbound.addresses import AddressPolicy
from chalicelib.outbound.connection import Limits
from chalicelib.outbound.guard import Guard
from chalicelib.outbound.mcp_client.client import McpClient
from chalicelib.outbound.mcp_client.values import (
    CallOutcome,
    Completed,
    Failed,
    FailureKind,
    ProtocolMode,
    Remembered,
    UpstreamFailed,
    UpstreamServer,
)

log = logging.getLogger("parley.outbound")

LIMITS: Final = Limits(connect=5.0, read=50.0, total=50.0)
"""Seconds: a tool may be silent for as long as a call may take; the worker's function ends after
120."""


@dataclass(frozen=True, slots=True)
class McpConnect:
    """`turn_ports.Connect`. `credential` reads a stored secret by its name; None when there is
    none."""

    policy: AddressPolicy
    credential: Callable[[str], str | None]

    def __call__(
        self, record: UpstreamRecord, *, known: Mapping[str, Any] | None, declares_url: bool
    ) -> McpConnection:
        """A connection of its own guard, which reaches this one origin."""
        return McpConnection(record, self, known=known, declares_url=declares_url)


@dataclass
class McpConnection:
    """`turn_ports.Connection` over one `McpClient`, made when it is first used."""

    record: UpstreamRecord
    made_by: McpConnect
    known: Mapping[str, Any] | None
    declares_url: bool
    _client: McpClient | None = field(default=None, init=False)

    def call(self, tool: str, arguments: Mapping[str, Any], accepted: Accepted | None) -> Outcome:
        """Call a tool; never raises for what the server or the network does."""
        try:
            client = self._connected()
        except ParleyError as error:
            return CallFailed(error.message)
        answer: dict[str, Any] = {}
        if accepted is not None and accepted.is_legacy:
            answer = {"consented_origin": accepted.origin}
        elif accepted is not None:
            answer = {
                "request_state": accepted.state,
                "input_responses": {key: {"action": "accept"} for key in accepted.keys},
                "consented_origin": accepted.origin,
            }
        outcome = client.call_tool(tool, arguments, **answer)
        self._note(client)
        return _outcome(outcome)

    def tools(self) -> list[ToolSpec]:
        """What the server offers; empty when it cannot be asked, which is logged."""
        try:
            client = self._connected()
            found = client.list_tools()
        except (ParleyError, UpstreamFailed) as error:
            log.warning("the tools of %s cannot be listed: %s", self.record.name, error)
            return []
        self._note(client)
        return [
            ToolSpec(self.record.name, tool.name, tool.description, tool.input_schema)
            for tool in found
        ]

    def _connected(self) -> McpClient:
        if self._client is None:
            record, policy = self.record, self.made_by.policy
            origin = upstream_origin(record.url, allow_loopback_http=policy.allow_loopback)
            server = UpstreamServer(
                record.name, record.url, ProtocolMode(record.protocol_mode), self._headers()
            )
            self._client = McpClient(
                Guard([origin], policy=policy, limits=LIMITS),
                server,
                new_id=lambda: secrets.token_hex(16),
                declares_url=self.declares_url,
                remembered=_remembered(self.known),
            )
        return self._client

    def _headers(self) -> dict[str, str]:
        record = self.record
        if record.credential is None:
            return {}
        value = self.made_by.credential(record.credential)
        if value is None:
            message = f"The secret {record.credential}, which {record.name} needs, is not stored."
            raise ParleyError(message)
        bearer = record.header.lower() == "authorization"
        return {record.header: f"Bearer {value}" if bearer else value}

    def _note(self, client: McpClient) -> None:
        self.known = None if client.remembered is None else _as_json(client.remembered)


def _outcome(outcome: CallOutcome) -> Outcome:
    match outcome:
        case Completed(result):
            return Answered(result)
        case Failed(kind, message):
            return CallFailed(message, is_stale=kind is FailureKind.STALE_STATE)
    wanted = tuple(WantedUrl(one.key, one.url, one.message) for one in outcome.requests)
    return Asks(wanted, outcome.request_state, outcome.legacy)


def _as_json(known: Remembered) -> dict[str, Any]:
    told: dict[str, Any] = {"version": known.version}
    if known.mcp_session_id is not None:
        told["mcp_session_id"] = known.mcp_session_id
    if known.declared:
        told["declared"] = dict(known.declared)
    if known.mirrors is not None:
        told["mirrors"] = {
            tool: {header: list(path) for header, path in paths.items()}
            for tool, paths in known.mirrors.items()
        }
    return told


def _remembered(known: Mapping[str, Any] | None) -> Remembered | None:
    if known is None:
        return None
    mirrors = known.get("mirrors")
    return Remembered(
        version=known["version"],
        mcp_session_id=known.get("mcp_session_id"),
        declared=known.get("declared", {}),
        mirrors=None
        if mirrors is None
        else {
            tool: {header: tuple(path) for header, path in paths.items()}
            for tool, paths in mirrors.items()
        },
    )
