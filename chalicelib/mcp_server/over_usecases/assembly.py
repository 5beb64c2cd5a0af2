"""Puts Parley's own MCP server together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from chalicelib.mcp_server.catalog import INSTRUCTIONS, parley_tools
from chalicelib.mcp_server.over_usecases.backend import UseCaseBackend
from chalicelib.mcp_server.over_usecases.ports import Ports
from chalicelib.mcp_server.server import McpServer
from chalicelib.mcp_server.state_token import StateSealer

VERSION: Final = "0.1.0"
"""As in pyproject.toml; the deployed package has no metadata to read it from."""


def parley_server(
    ports: Ports,
    *,
    sealer: StateSealer,
    base_url: str,
    allowed_origins: tuple[str, ...],
    report: Callable[[Exception], None],
) -> McpServer:
    """The server; pages on Parley's own origin may always call it."""
    own = urlsplit(base_url)
    return McpServer(
        name="parley",
        version=VERSION,
        title="Parley",
        instructions=INSTRUCTIONS,
        tools=parley_tools(UseCaseBackend(ports), sealer, ports.world.new_id),
        sealer=sealer,
        allowed_origins=frozenset({f"{own.scheme}://{own.netloc}", *allowed_origins}),
        report=report,
    )
