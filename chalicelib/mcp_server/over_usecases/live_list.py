"""Pages of live questions, soonest deadline first, cut to what the principal may see.

The index gives a bounded head of the list and no place to go on from, so a page reads as much of
the head as it needs. A cursor names the last question shown, so answers in between move nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.backend import Page
from chalicelib.mcp_server.over_usecases.ports import Ports, seen_session
from chalicelib.usecases.sessions import may_see

MOST_LIVE: Final = 1_000
"""How deep the list is looked through; the inbox shows as many."""

Place = tuple[datetime, str]
"""Deadline and key: where a question stands in the list."""

_CURSOR: Final = re.compile(r"([0-9]{1,15})\.([A-Za-z0-9_-]{1,128})", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def live_page(
    ports: Ports, principal: Principal, *, session_id: str | None, limit: int, cursor: str | None
) -> Page[Elicitation]:
    """See `backend.Elicitations.list_live`."""
    after = _read_cursor(cursor)
    if session_id is not None:
        found = _of_session(ports, principal, session_id)
        return _page(_after(found, after), limit)
    bound = limit + 1
    while True:
        rows = ports.lists.live(limit=bound)
        found = _after(_visible(ports, principal, rows), after)
        if len(found) > limit or len(rows) < bound or bound >= MOST_LIVE:
            return _page(found, limit)
        bound = min(bound * 4, MOST_LIVE)


def _of_session(ports: Ports, principal: Principal, session_id: str) -> list[Elicitation]:
    session = seen_session(ports, session_id, principal)
    keys = session.live_keys(ports.world.clock())
    return _live(ports, ports.world.store.elicitations(keys) if keys else [])


def _visible(ports: Ports, principal: Principal, rows: Sequence[Elicitation]) -> list[Elicitation]:
    live = _live(ports, rows)
    if principal.sees_all_sessions() or not live:
        return live
    ids = sorted({row.session_id for row in live})
    sessions = ports.world.store.sessions(ids)
    seen = {session.id for session in sessions if may_see(session, principal)}
    return [row for row in live if row.session_id in seen]


def _live(ports: Ports, rows: Sequence[Elicitation]) -> list[Elicitation]:
    now = ports.world.clock()
    return sorted((row for row in rows if row.is_live(now)), key=_place)


def _after(rows: list[Elicitation], place: Place | None) -> list[Elicitation]:
    return rows if place is None else [row for row in rows if _place(row) > place]


def _page(rows: list[Elicitation], limit: int) -> Page[Elicitation]:
    shown = tuple(rows[:limit])
    return Page(shown, _write_cursor(shown[-1]) if len(rows) > limit else None)


def _place(row: Elicitation) -> Place:
    return row.expires_at, row.key


def _write_cursor(row: Elicitation) -> str:
    return f"{(row.expires_at - _EPOCH) // _MILLISECOND}.{row.key}"


def _read_cursor(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    try:
        if match is not None:
            return _EPOCH + int(match[1]) * _MILLISECOND, match[2]
    except OverflowError:
        pass
    raise InvalidInput("The cursor is not one of ours.")
