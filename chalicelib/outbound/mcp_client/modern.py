"""Requests of 2026-07-28: everything a server needs to know is in each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from chalicelib.outbound.mcp_client.headers import encode
from chalicelib.outbound.mcp_client.values import MODERN, Json
from chalicelib.outbound.mcp_client.wire import Reply, StreamCut, Wire, lost

CLIENT_INFO: Final = {"name": "parley", "version": "1"}
_META: Final = "io.modelcontextprotocol/"


class Modern:
    """Speaks to a server without a handshake; `capabilities` go with every request."""

    def __init__(
        self,
        wire: Wire,
        *,
        new_id: Callable[[], str],
        capabilities: Mapping[str, Any],
        version: str = MODERN[0],
    ) -> None:
        self._wire = wire
        self._new_id = new_id
        self._capabilities = capabilities
        self._version = version

    def ask(
        self, method: str, params: Mapping[str, Any], mirrored: Mapping[str, str] | None = None
    ) -> Reply:
        """One request with an id of its own. Raises `UpstreamFailed`; a stream that ends early is
        lost, since this revision cannot resume one."""
        headers = {"MCP-Protocol-Version": self._version, "Mcp-Method": method}
        if method == "tools/call":
            headers["Mcp-Name"] = encode(params["name"])
        headers |= mirrored or {}
        try:
            return self._wire.post(self._message(method, params), headers)
        except StreamCut as cut:
            raise lost() from cut

    def _message(self, method: str, params: Mapping[str, Any]) -> Json:
        meta = {
            f"{_META}protocolVersion": self._version,
            f"{_META}clientInfo": CLIENT_INFO,
            f"{_META}clientCapabilities": self._capabilities,
        }
        return {
            "jsonrpc": "2.0",
            "id": self._new_id(),
            "method": method,
            "params": {**params, "_meta": meta},
        }
