"""The inbox: everything that waits for a person, soonest deadline first, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.domain.session import Session
from chalicelib.web.fragments import render_fragment
from chalicelib.web.lost_banner import LostBanner, lost_banner
from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.sessions import session_path, status_in_words
from chalicelib.web.viewer import Viewer
from chalicelib.web.waiting import Line, Query, Waiting, found, lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """What an inbox shows. Of `sessions`, those that need input or lost a question are listed.

    `is_cut`: more waits than was handed in. Without `may_answer` nothing can be chosen.
    """

    waiting: Sequence[Waiting]
    sessions: Sequence[Session]
    query: Query
    viewer: Viewer
    now: datetime
    base_path: str
    may_answer: bool = True
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session that needs a person, or that lost a question."""

    title: str
    path: str
    status: str
    count: int
    banner: LostBanner | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Live:
    """The changing part, for the template."""

    lines: Sequence[Line]
    total: int
    sessions: Sequence[SessionRow]


def inbox_page(inbox: Inbox) -> Page:
    """The whole page. The list posts the chosen keys, as `key`, and `csrf` to
    `<base>/inbox/decline`; the search is a GET with `q`, `session` and `tool`."""
    return render_page(
        "inbox.html",
        base_path=inbox.base_path,
        inbox=inbox,
        live=inbox_fragment(inbox),
        viewer=inbox.viewer,
        tools=sorted({one.tool for one in inbox.waiting if one.tool}),
        named_sessions=sorted({(one.session, one.session_id) for one in inbox.waiting}),
        refresh_path=_refresh_path(inbox),
        now_ms=round(inbox.now.timestamp() * 1000),
    )


def inbox_fragment(inbox: Inbox) -> Page:
    """What the script puts in place of the page's list (`<base>/?...&fragment=1`)."""
    return render_fragment(
        "inbox_live.html", base_path=inbox.base_path, inbox=inbox, live=_live(inbox)
    )


def _refresh_path(inbox: Inbox) -> str:
    parts = [part for part in (inbox.query.as_string(), "fragment=1") if part]
    return f"{inbox.base_path.rstrip('/')}/?{'&'.join(parts)}"


def _live(inbox: Inbox) -> _Live:
    return _Live(
        lines=lines(found(inbox.waiting, inbox.query), inbox.now),
        total=len(inbox.waiting),
        sessions=[
            _session_row(session, inbox)
            for session in inbox.sessions
            if session.needs_input(inbox.now) or session.lost is not None
        ],
    )


def _session_row(session: Session, inbox: Inbox) -> SessionRow:
    return SessionRow(
        title=session.title or session.id,
        path=session_path(inbox.base_path, session.id),
        status=status_in_words(session.shown_status(inbox.now)),
        count=len(session.live_keys(inbox.now)) + len(session.cards),
        banner=lost_banner(session.lost),
    )
