"""The page of one session: whether it needs a person, its questions, what was lost, its journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.session import Session
from chalicelib.web.fragments import render_fragment
from chalicelib.web.journal import JournalLine, journal_lines
from chalicelib.web.lost_banner import LostBanner, lost_banner
from chalicelib.web.page import Page
from chalicelib.web.receipts import Receipt, receipt_of
from chalicelib.web.recorded import action_in_words, by_whom
from chalicelib.web.render import render_page
from chalicelib.web.viewer import Viewer
from chalicelib.web.waiting import Line, Waiting, lines

_STATUSES: Final[Mapping[str, str]] = {
    "needs_input": "Needs input",
    "waiting_for_tool_results": "Needs input",
    "running": "Running",
    "idle": "Idle",
    "archived": "Archived",
    "failed": "Failed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """What a session's page shows.

    `past` are elicitations, newest first; pending ones are passed over. Rows of `journal` have
    `version`, `type`, `at` (aware UTC) and `data`, in the order to show them in. `later_path` and
    `earlier_path` are absolute and lead to the journal's other pages, None where there is none.
    """

    session: Session
    waiting: Sequence[Waiting]
    past: Sequence[Elicitation]
    journal: Sequence[Mapping[str, Any]]
    viewer: Viewer
    now: datetime
    base_path: str
    later_path: str | None = None
    earlier_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A question that has its outcome. `message` and `tool` are a stranger's raw text."""

    message: str
    tool: str | None
    told: str
    at: datetime | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Live:
    """The changing part, for the template."""

    status: str
    needs_input: bool
    banner: LostBanner | None
    lines: Sequence[Line]
    past: Sequence[Past]
    journal: Sequence[JournalLine]


def session_path(base_path: str, session_id: str) -> str:
    """Where a session's page is."""
    return f"{base_path.rstrip('/')}/sessions/{quote(session_id, safe='')}"


def status_in_words(status: str) -> str:
    """A session's status for people; an unknown one as it is."""
    return _STATUSES.get(status, status)


def session_page(view: SessionView) -> Page:
    """The whole page, for a signed-in viewer. An older page of the journal stays as it is; the
    newest one is refreshed by the script."""
    refresh = f"{session_path(view.base_path, view.session.id)}?fragment=1"
    return render_page(
        "session.html",
        base_path=view.base_path,
        view=view,
        live=session_fragment(view),
        viewer=view.viewer,
        refresh_path=refresh,
        now_ms=round(view.now.timestamp() * 1000),
    )


def session_fragment(view: SessionView) -> Page:
    """What the script puts in place of the page's changing part (`?fragment=1`)."""
    return render_fragment(
        "session_live.html", base_path=view.base_path, view=view, live=_live(view)
    )


def _live(view: SessionView) -> _Live:
    session = view.session
    return _Live(
        status=status_in_words(session.shown_status(view.now)),
        needs_input=session.needs_input(view.now),
        banner=lost_banner(session.lost),
        lines=lines(view.waiting, view.now),
        past=[_past(one, view.now) for one in view.past if not one.is_pending],
        journal=journal_lines(view.journal),
    )


def _past(elicitation: Elicitation, now: datetime) -> Past:
    withdrawn = elicitation.reason is not None
    expired = elicitation.answered_by is None
    action = "taken back" if withdrawn else action_in_words(elicitation.status)
    by = "" if expired else f" {by_whom(elicitation)}"
    return Past(
        message=elicitation.message,
        tool=elicitation.tool_name,
        told=f"{action.capitalize()}{by}",
        at=elicitation.answered_at or elicitation.expires_at,
        receipt=None if withdrawn or expired else receipt_of(elicitation, now),
    )
