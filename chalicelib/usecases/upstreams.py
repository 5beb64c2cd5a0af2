"""Register, list and remove upstream MCP servers; for operators."""

from __future__ import annotations

from chalicelib.domain.errors import InvalidInput, NotFound
from chalicelib.domain.upstream import UpstreamRecord, check_server_name
from chalicelib.domain.urls import upstream_origin
from chalicelib.usecases.turn_ports import Registry


def register_server(record: UpstreamRecord, *, allow_loopback: bool, registry: Registry) -> bool:
    """Register a server, or replace one; True when it is new. Raises `InvalidInput`.

    https only (http on loopback in local mode). Which addresses its name resolves to is checked at
    each connection.
    """
    check_server_name(record.name)
    upstream_origin(record.url, allow_loopback_http=allow_loopback)
    if record.header.lower() in _RESERVED:
        raise InvalidInput(f"header: {record.header} is set by Parley itself")
    is_new = registry.get(record.name) is None
    registry.put(record)
    return is_new


def remove_server(name: str, *, registry: Registry) -> None:
    """Remove a server; calls that name it fail from now on. Raises `NotFound`."""
    if not registry.remove(name):
        raise NotFound("There is no such server.")


_RESERVED = frozenset(
    {"host", "content-type", "content-length", "accept", "connection", "transfer-encoding"}
    | {"mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"}
)
