"""Upstream MCP servers as Parley knows them, and what a call of one of their tools comes to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem, InvalidInput

PROTOCOL_MODES: Final = ("auto", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26")
DEFAULT_HEADER: Final = "Authorization"

_NAME: Final = re.compile(r"[A-Za-z0-9](_?[A-Za-z0-9-])*", re.ASCII)
_MAX_NAME: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamRecord:
    """A registered server. `credential` names a stored secret of the operator's, sent in `header`
    (as a bearer token in `Authorization`); its value is never here. `known` is what an earlier
    connection learned about the server's era, in the client's own form."""

    name: str
    url: str
    registered_at: datetime
    registered_by: str
    protocol_mode: str = "auto"
    credential: str | None = None
    header: str = DEFAULT_HEADER
    known: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as its server describes it: untrusted text."""

    server: str
    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WantedUrl:
    """A URL that a server wants opened, unchecked; the answer goes back under `key`."""

    key: str
    url: str
    message: object


@dataclass(frozen=True, slots=True)
class Answered:
    """The tool's result, `isError` results included."""

    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asks:
    """A person has to finish something first. `state` is the server's own, opaque and secret;
    `is_legacy` rounds carry none and are retried as a plain call."""

    wanted: tuple[WantedUrl, ...]
    state: str | None = field(default=None, repr=False)
    is_legacy: bool = False


@dataclass(frozen=True, slots=True)
class CallFailed:
    """No result. `is_stale` means that the server no longer takes the request state: it turned the
    call away unread."""

    message: str
    is_stale: bool = False


Outcome = Answered | Asks | CallFailed


@dataclass(frozen=True, slots=True)
class Accepted:
    """A person's accept that goes with a call: the stored round's state and keys, and the origin
    that was agreed to (legacy servers ask inside the call)."""

    keys: tuple[str, ...]
    state: str | None = field(default=None, repr=False)
    origin: str | None = None
    is_legacy: bool = False


def check_server_name(name: str) -> None:
    """Raises `InvalidInput`: `mcp_<server>__<tool>` must come apart again in one way only."""
    if len(name) > _MAX_NAME or not _NAME.fullmatch(name):
        message = (
            f"must be 1 to {_MAX_NAME} letters, digits, '-' or single '_', starting with a "
            "letter or digit and not ending with '_'"
        )
        raise InvalidInput(f"name: {message}", fields=[FieldProblem("name", message)])
