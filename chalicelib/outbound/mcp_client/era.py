"""Which era a server speaks, read from its answers (MCP 2026-07-28, "Backward compatibility").

Pure rules on replies. A transport failure is never a verdict: it does not come here.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Final

from chalicelib.outbound.mcp_client.values import LEGACY, MODERN, FailureKind, failure
from chalicelib.outbound.mcp_client.wire import Reply


class Code(IntEnum):
    """JSON-RPC error codes that MCP gives a meaning."""

    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    HEADER_MISMATCH = -32020
    MISSING_CAPABILITY = -32021
    UNSUPPORTED_VERSION = -32022
    URL_ELICITATION_REQUIRED = -32042


_MODERN_CODES: Final = frozenset(
    {Code.HEADER_MISMATCH, Code.MISSING_CAPABILITY, Code.UNSUPPORTED_VERSION}
)
_NO_VERDICT: Final = frozenset({401, 403, 408, 429})


def version_from_discovery(reply: Reply) -> str:
    """The revision to go on with, from the reply to `server/discover`; a legacy one means to
    `initialize` with it.

    Modern is a list that names a modern revision, or one of the error codes that only modern
    servers know. Raises `UpstreamFailed`: credentials refused, server trouble, nothing in common.
    """
    if reply.status in _NO_VERDICT or reply.status >= 500:
        raise http_failure(reply)
    if reply.code == Code.UNSUPPORTED_VERSION:
        return _from_supported(reply)
    if reply.code in _MODERN_CODES:
        return MODERN[0]
    offered = _strings((reply.result or {}).get("supportedVersions"))
    return _first_of(MODERN, offered) or _first_of(LEGACY, offered) or LEGACY[0]


def refuses_handshake(reply: Reply) -> bool:
    """Whether this answer to `initialize` is that of a server that knows only modern revisions."""
    unknown_method = reply.status == 404 and reply.code == Code.METHOD_NOT_FOUND
    return unknown_method or reply.code in _MODERN_CODES


def disowns(reply: Reply, *, modern: bool) -> bool:
    """Whether a server no longer speaks the era that was remembered: find it anew.

    To a server known as modern, an unknown method or bad params are plain errors. A legacy 404 is
    the end of a session and dealt with there.
    """
    if not modern:
        return reply.code in _MODERN_CODES or (
            reply.status == 404 and reply.code == Code.METHOD_NOT_FOUND
        )
    if reply.code == Code.UNSUPPORTED_VERSION:
        return True
    rejected = 400 <= reply.status < 500 and reply.status not in _NO_VERDICT
    return rejected and reply.code in {None, -32600, -32000}


def http_failure(reply: Reply) -> Exception:
    """The failure for an error status without a usable JSON-RPC body."""
    if reply.status in {401, 403}:
        message = "the server refuses Parley's credentials for it"
        return failure(FailureKind.UNAUTHORIZED, message)
    return failure(FailureKind.HTTP, f"the server answered HTTP {reply.status}")


def _from_supported(reply: Reply) -> str:
    supported = _strings(reply.error_data.get("supported"))
    version = _first_of(MODERN, supported) or _first_of(LEGACY, supported)
    if version is None:
        message = "the server speaks no MCP revision that Parley speaks"
        raise failure(FailureKind.VERSION, message)
    return version


def _first_of(ours: Iterable[str], offered: frozenset[str]) -> str | None:
    return next((version for version in ours if version in offered), None)


def _strings(value: Any) -> frozenset[str]:
    items = value if isinstance(value, list) else []
    return frozenset(item for item in items if isinstance(item, str))
