"""The MCP revisions spoken here, and the names that the wire fixes."""

from __future__ import annotations

from typing import Final

MODERN: Final = ("2026-07-28",)
"""Revisions with per-request metadata and no handshake."""

LEGACY: Final = ("2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions with the `initialize` handshake, oldest first."""

META_PREFIX: Final = "io.modelcontextprotocol/"
META_VERSION: Final = META_PREFIX + "protocolVersion"
META_CAPABILITIES: Final = META_PREFIX + "clientCapabilities"
META_SERVER_INFO: Final = META_PREFIX + "serverInfo"

VERSION_HEADER: Final = "MCP-Protocol-Version"
METHOD_HEADER: Final = "Mcp-Method"
NAME_HEADER: Final = "Mcp-Name"
SESSION_HEADER: Final = "Mcp-Session-Id"
