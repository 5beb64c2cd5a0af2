"""The page that asks a person to finish something on another site.

The address is shown whole with its host set apart, is opened by a click only, and is never fetched,
prefetched or looked up (MCP, URL mode).
"""

from __future__ import annotations

from datetime import datetime

from chalicelib.domain.cards import Card, CardStatus
from chalicelib.domain.text import one_line
from chalicelib.domain.urls import ElicitationUrl
from chalicelib.web.asker import Asker
from chalicelib.web.outcome import NOT_SENT, Outcome
from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.times import stamp, time_left
from chalicelib.web.viewer import Viewer


def url_page(
    url: ElicitationUrl,
    *,
    message: str,
    asker: Asker,
    expires_at: datetime,
    now: datetime,
    action_path: str,
    base_path: str,
    viewer: Viewer | None = None,
) -> Page:
    """The page of a pending URL elicitation, plain or a card.

    `action_path` receives a form post with `action` (accept, decline or cancel) alone: an accept of
    URL mode has no content. The address must have passed `check_elicitation_url`.
    """
    return render_page(
        "url_card.html",
        base_path=base_path,
        url=url,
        message=message,
        asker=asker,
        time=time_left(expires_at, now),
        action_path=action_path,
        viewer=viewer,
    )


def asker_of_card(card: Card, session_title: str | None) -> Asker:
    """The upstream server and tool behind a card."""
    return Asker(
        tool=card.tool,
        server=card.server,
        session=session_title or card.session_id,
        context=None,
        asked_at=card.created_at,
    )


def card_outcome_page(
    card: Card,
    *,
    session_title: str | None,
    base_path: str,
    just_now: bool = False,
    refused: bool = False,
    viewer: Viewer | None = None,
) -> Page:
    """The page of a card that is no longer open; a pending one past its deadline counts as timed
    out. `just_now` and `refused` as for `outcome_page`."""
    outcome = _outcome(card, just_now, refused)
    return render_page(
        "outcome.html",
        status=outcome.status,
        base_path=base_path,
        outcome=outcome,
        message=card.message,
        asker=asker_of_card(card, session_title),
        status_path=None,
        viewer=viewer,
    )


def _outcome(card: Card, just_now: bool, refused: bool) -> Outcome:
    headline, line = _told(card, just_now)
    decided = card.status in {CardStatus.ACCEPT, CardStatus.DECLINE}
    refused_status = 409 if refused else 200
    return Outcome(
        status=refused_status if decided else 410,
        tone="good" if just_now else ("bad" if refused else "plain"),
        headline=headline,
        lines=[*([NOT_SENT] if refused else []), line],
    )


def _told(card: Card, just_now: bool) -> tuple[str, str]:
    if card.status is CardStatus.ACCEPT and just_now:
        return "You said that you have finished", "The agent now tries its step again."
    if card.status is CardStatus.DECLINE and just_now:
        return "You declined", "The agent goes on without this step."
    if card.status is CardStatus.CANCELLED:
        return (
            "The request was taken back",
            "The session has moved on. There is nothing left to do.",
        )
    if card.status in {CardStatus.TIMEOUT, CardStatus.PENDING}:
        text = (
            f"Nobody decided by {stamp(card.expires_at).text}. The agent goes on without this step."
        )
        return "The time to decide is over", text
    what = "finished" if card.status is CardStatus.ACCEPT else "declined"
    by = f" by {one_line(card.decided_by.name)}" if card.decided_by else ""
    at = f" at {stamp(card.decided_at).text}" if card.decided_at else ""
    return "This request is already decided", f"It was marked as {what}{by}{at}."
