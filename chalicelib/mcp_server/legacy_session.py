"""The session id of the revisions with a handshake: self-contained, so that nothing is stored.

It carries the negotiated version and what the client declared, sealed for the key that shook hands.
It is no authentication: every request brings its own credential.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.capabilities import Capabilities
from chalicelib.mcp_server.refusals import Code, Refusal
from chalicelib.mcp_server.revisions import LEGACY, SESSION_HEADER
from chalicelib.mcp_server.server import McpServer

LIVES_FOR: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LegacySession:
    """What was agreed in the handshake."""

    version: str
    capabilities: Capabilities


def write_session_id(
    session: LegacySession, server: McpServer, principal: Principal, now: datetime
) -> str:
    """The value of `Mcp-Session-Id`: visible ASCII, a few hundred characters."""
    payload = [session.version, sorted(session.capabilities.names)]
    return server.sealer.seal(payload, context=_context(principal), expires_at=now + LIVES_FOR)


def read_session(
    session_id: str | None, server: McpServer, principal: Principal, now: datetime
) -> LegacySession:
    """What the id carries; without an id, a client of the oldest revision that declared nothing.

    Raises `Refusal` with 404 for an id that is expired or not ours: the client starts over.
    """
    if session_id is None:
        return LegacySession(LEGACY[0], Capabilities())
    opened = server.sealer.unseal(session_id, context=_context(principal), now=now)
    match opened:
        case [str(version), list(names)]:
            return LegacySession(version, Capabilities(names))
    message = f"{SESSION_HEADER} is unknown or has expired: initialize again."
    raise Refusal(Code.INVALID_REQUEST, message, status=404)


def _context(principal: Principal) -> tuple[str, str]:
    return ("session", principal.key_id)
