"""The line to one server: finds the era once, then carries requests in it.

A verdict may be old. When the server's answer disowns it, it is forgotten and `Outdated` says that
the request was turned away unread, so that it may be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from chalicelib.outbound.mcp_client.era import disowns, version_from_discovery
from chalicelib.outbound.mcp_client.legacy import Answerer, HandshakeRefused, Legacy, Pause
from chalicelib.outbound.mcp_client.modern import Modern
from chalicelib.outbound.mcp_client.results import read_error
from chalicelib.outbound.mcp_client.values import (
    MODERN,
    FailureKind,
    MirrorPaths,
    ProtocolMode,
    Remembered,
    UpstreamFailed,
    failure,
)
from chalicelib.outbound.mcp_client.wire import Reply, Wire

URL_CAPABILITY: Final[Mapping[str, Any]] = {"elicitation": {"url": {}}}


class Outdated(Exception):
    """What was known about the server no longer holds, and is forgotten; `reply` says so."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("the server no longer speaks the era that was remembered")
        self.reply = reply


class Line:
    """Requests to one server; `capabilities` are declared in each (modern) or once (legacy)."""

    def __init__(
        self,
        wire: Wire,
        *,
        mode: ProtocolMode,
        capabilities: Mapping[str, Any],
        new_id: Callable[[], str],
        pause: Pause,
        remembered: Remembered | None,
    ) -> None:
        self._mode = mode
        self._capabilities = capabilities
        self._modern = Modern(wire, new_id=new_id, capabilities=capabilities)
        self._legacy = Legacy(wire, new_id, pause)
        self._may_be_old = remembered is not None
        self.known = remembered

    def era(self) -> Remembered:
        """What is known about the server; found now if need be. Raises `UpstreamFailed`."""
        known = self.known
        if known is None or not (known.is_modern or known.declared == self._capabilities):
            self._may_be_old = False
            known = self.known = self._find()
        return known

    def remember_mirrors(self, mirrors: Mapping[str, MirrorPaths]) -> None:
        """Keep which arguments go into headers."""
        self.known = replace(self.era(), mirrors=mirrors)

    def ask_modern(
        self, method: str, params: Mapping[str, Any], mirrored: Mapping[str, str] | None = None
    ) -> Reply:
        """A request of 2026-07-28. Raises `Outdated`, `UpstreamFailed`."""
        return self._checked(self._modern.ask(method, params, mirrored), modern=True)

    def ask_legacy(
        self, method: str, params: Mapping[str, Any], answerer: Answerer | None = None
    ) -> Reply:
        """A request of a 2025 revision. Raises `Outdated`, `UpstreamFailed`, and what the answerer
        raises."""
        reply = self._legacy.ask(self.era(), method, params, answerer)
        return self._checked(reply, modern=False)

    def _checked(self, reply: Reply, *, modern: bool) -> Reply:
        session_ended = not modern and reply.status == 404
        if session_ended or (self._may_be_old and disowns(reply, modern=modern)):
            self.known = None
            raise Outdated(reply)
        return reply

    def _find(self) -> Remembered:
        if self._mode in MODERN:
            return Remembered(version=self._mode.value)
        if self._mode is not ProtocolMode.AUTO:
            return self._initialize(self._mode.value, None)
        discovery = self._modern.ask("server/discover", {})
        version = version_from_discovery(discovery)
        if version in MODERN:
            return Remembered(version=version)
        return self._initialize(version, discovery)

    def _initialize(self, version: str, discovery: Reply | None) -> Remembered:
        """A server that refuses the handshake too is reported by what it said first."""
        try:
            return self._legacy.initialize(version, self._capabilities)
        except HandshakeRefused as refusal:
            if discovery is not None and discovery.result is None:
                raise UpstreamFailed(read_error(discovery)) from refusal
            message = "the server speaks no MCP revision that Parley speaks"
            raise failure(FailureKind.VERSION, message) from refusal
