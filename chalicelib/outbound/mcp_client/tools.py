"""Reading `tools/list`: pages, tools, and the arguments that each wants mirrored into headers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.domain.text import one_line
from chalicelib.outbound.mcp_client.headers import InvalidAnnotation, mirror_paths
from chalicelib.outbound.mcp_client.results import read_error
from chalicelib.outbound.mcp_client.values import (
    FailureKind,
    Json,
    MirrorPaths,
    ToolInfo,
    UpstreamFailed,
    failure,
)
from chalicelib.outbound.mcp_client.wire import Reply

MAX_PAGES: Final = 20

log = logging.getLogger("parley.outbound")


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server in its order, and for each the arguments to mirror."""

    tools: tuple[ToolInfo, ...]
    mirrors: Mapping[str, MirrorPaths]


def read_listing(ask: Callable[[Json], Reply], *, mirroring: bool) -> Listing:
    """All pages, asked for with the params of `tools/list`.

    With `mirroring` (2026-07-28) a tool with an invalid `x-mcp-header` is left out, and said so in
    the log. Raises `UpstreamFailed`.
    """
    found: dict[str, tuple[ToolInfo, MirrorPaths]] = {}
    params: Json = {}
    for _ in range(MAX_PAGES):
        result = _result(ask(params))
        for entry in result["tools"]:
            tool = _tool(entry)
            paths = _paths(tool) if mirroring and tool else {}
            if tool is not None and paths is not None:
                found.setdefault(tool.name, (tool, paths))
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            return Listing(
                tuple(tool for tool, _ in found.values()),
                {name: paths for name, (_, paths) in found.items()},
            )
        params = {"cursor": cursor}
    raise failure(FailureKind.PROTOCOL, f"the list of tools has more than {MAX_PAGES} pages")


def _result(reply: Reply) -> Json:
    if reply.result is None:
        raise UpstreamFailed(read_error(reply))
    if not isinstance(reply.result.get("tools"), list):
        raise failure(FailureKind.PROTOCOL, "the list of tools is not a list")
    return reply.result


def _tool(entry: Any) -> ToolInfo | None:
    match entry:
        case {"name": str(name), "inputSchema": dict(schema)} if name:
            description = entry.get("description")
            return ToolInfo(name, description if isinstance(description, str) else "", schema)
    return None


def _paths(tool: ToolInfo) -> MirrorPaths | None:
    try:
        return mirror_paths(tool.input_schema)
    except (InvalidAnnotation, RecursionError) as error:
        log.warning("the tool %s is left out of its server's list: %s", one_line(tool.name), error)
        return None
