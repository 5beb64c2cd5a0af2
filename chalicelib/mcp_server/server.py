"""What makes one MCP server: its name, tools and keys. The composition root puts it together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.registry import Tool
from chalicelib.mcp_server.state_token import StateSealer


def _forget(_error: Exception) -> None:
    """Default for `McpServer.report`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """`sealer` seals session ids; `allowed_origins` are spelled as browsers send them.

    `resource_metadata_url` is named in a 401 (RFC 9728) where there is an authorization server to
    name. `report` is told of every unexpected exception, whose text never reaches the client.
    """

    name: str
    version: str
    title: str
    instructions: str
    tools: tuple[Tool, ...]
    sealer: StateSealer
    allowed_origins: frozenset[str] = frozenset()
    resource_metadata_url: str | None = None
    report: Callable[[Exception], None] = _forget

    def info(self) -> dict[str, str]:
        """`serverInfo` on the wire."""
        return {"name": self.name, "title": self.title, "version": self.version}

    def tools_for(self, principal: Principal) -> tuple[Tool, ...]:
        """The tools this principal may know of, in a fixed order."""
        return tuple(tool for tool in self.tools if tool.is_open_to(principal))
