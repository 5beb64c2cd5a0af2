"""What goes into the MCP client and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

MODERN: Final = ("2026-07-28",)
"""Revisions with per-request metadata and no handshake."""

LEGACY: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Revisions with the `initialize` handshake, newest first."""

Json = dict[str, Any]

MirrorPaths = Mapping[str, tuple[str, ...]]
"""Header name to the path of the argument that is mirrored into it (`x-mcp-header`)."""


class ProtocolMode(StrEnum):
    """Which revision an operator expects of a server; `auto` finds out."""

    AUTO = "auto"
    V2026_07_28 = "2026-07-28"
    V2025_11_25 = "2025-11-25"
    V2025_06_18 = "2025-06-18"
    V2025_03_26 = "2025-03-26"


@dataclass(frozen=True, slots=True)
class UpstreamServer:
    """A registered server. `headers` carry Parley's own credentials for it, and have no repr."""

    name: str
    url: str
    protocol_mode: ProtocolMode = ProtocolMode.AUTO
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What was learned about a server, for the caller to keep between calls (per credential).

    `mcp_session_id` and `declared` (the capabilities sent with `initialize`) are of the legacy
    eras. `mirrors` is None until the tools were listed.
    """

    version: str
    mcp_session_id: str | None = field(default=None, repr=False)
    declared: Mapping[str, Any] = field(default_factory=dict)
    mirrors: Mapping[str, MirrorPaths] | None = None

    @property
    def is_modern(self) -> bool:
        """Whether the server takes requests without a handshake."""
        return self.version in MODERN


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as its server describes it: untrusted text."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UrlRequest:
    """One URL elicitation, unchecked. `key` is the server's; the answer goes back under it."""

    key: str
    url: str
    message: object
    elicitation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """The tool's result, `isError` results included."""

    result: Json


@dataclass(frozen=True, slots=True)
class UrlElicitationsRequired:
    """A person has to finish something first; then the same call is made again.

    Modern: with `request_state` (opaque, to be kept encrypted) and an answer for every key.
    `legacy` (-32042): plainly, without either.
    """

    requests: tuple[UrlRequest, ...]
    request_state: str | None = field(default=None, repr=False)
    legacy: bool = False


class FailureKind(StrEnum):
    """Why a call has no result."""

    REFUSED = "refused"  # by us: the server's address or redirect is not allowed
    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"
    TOO_LARGE = "too_large"
    LOST = "lost"  # the answer was cut off
    UNAUTHORIZED = "unauthorized"  # our credentials for the server
    HTTP = "http"  # an error status without a JSON-RPC body
    PROTOCOL = "protocol"  # an answer that is not MCP
    VERSION = "version"  # no revision in common
    RPC = "rpc"  # a JSON-RPC error, such as an unknown tool
    NEEDS_CAPABILITY = "needs_capability"  # the server wants what was not declared
    UNSUPPORTED_INPUT = "unsupported_input"  # it asks for something other than a URL to be opened
    STALE_STATE = "stale_state"  # it no longer takes the request state: start the call over
    TOO_MANY_ROUNDS = "too_many_rounds"


@dataclass(frozen=True, slots=True)
class Failed:
    """No result. `may_have_run` is true when the tool may have done its work all the same."""

    kind: FailureKind
    message: str
    may_have_run: bool = False


CallOutcome = Completed | UrlElicitationsRequired | Failed


class UpstreamFailed(Exception):
    """Carries a `Failed` up to whoever can report it."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.kind}: {failed.message}")
        self.failed = failed


def failure(kind: FailureKind, message: str, *, may_have_run: bool = False) -> UpstreamFailed:
    """An exception to raise for a call that failed."""
    return UpstreamFailed(Failed(kind, message, may_have_run))
