"""What the link of an elicitation shows when there is nothing left to answer: what happened to it,
whether the agent knows, and what a person can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.domain.elicitation import Elicitation, Mode, Status
from chalicelib.domain.form_schema.fields import Field
from chalicelib.domain.text import one_line
from chalicelib.web.asker import asker_of
from chalicelib.web.page import Page
from chalicelib.web.receipts import Receipt, receipt_of
from chalicelib.web.recorded import Recorded, action_in_words, by_whom, recorded
from chalicelib.web.render import render_page
from chalicelib.web.times import stamp
from chalicelib.web.viewer import Viewer

NOT_SENT: Final = "What you just sent was not recorded."
_PLAIN_REASON: Final = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the template shows; the words are ours, with strangers' names already sanitised."""

    status: int
    tone: str  # good | plain | bad
    headline: str
    lines: Sequence[str]
    recorded: Sequence[Recorded] = ()
    receipt: Receipt | None = None


def outcome_page(
    elicitation: Elicitation,
    *,
    fields: Sequence[Field] = (),
    session_title: str | None,
    now: datetime,
    status_path: str,
    base_path: str,
    just_now: bool = False,
    refused: bool = False,
    viewer: Viewer | None = None,
) -> Page:
    """The page of an elicitation that has its outcome, or whose deadline has passed.

    `just_now`: the reader's own answer was recorded by this request. `refused`: the reader sent an
    answer that came too late (409, or 410 when time or the asker ended it). `status_path` is
    where the script finds `receipt_status` as JSON. Raises `ValueError` for a live elicitation.
    """
    outcome = _outcome(elicitation, fields, now, just_now=just_now, refused=refused)
    return render_page(
        "outcome.html",
        status=outcome.status,
        base_path=base_path,
        outcome=outcome,
        message=elicitation.message,
        asker=asker_of(elicitation, session_title),
        status_path=status_path,
        viewer=viewer,
    )


def _outcome(
    elicitation: Elicitation,
    fields: Sequence[Field],
    now: datetime,
    *,
    just_now: bool,
    refused: bool,
) -> Outcome:
    if elicitation.is_live(now):
        raise ValueError("a live elicitation has no outcome yet")
    sent = (NOT_SENT,) if refused else ()
    if elicitation.status in {Status.EXPIRED, Status.PENDING}:
        return _expired(elicitation, sent)
    if elicitation.reason is not None:
        return _withdrawn(elicitation, sent)
    told = recorded(elicitation, fields)
    receipt = receipt_of(elicitation, now)
    if just_now:
        headline, line = _just_now(elicitation)
        return Outcome(
            status=200,
            tone="good",
            headline=headline,
            lines=[line],
            recorded=told,
            receipt=receipt,
        )
    return Outcome(
        status=409 if refused else 200,
        tone="bad" if refused else "plain",
        headline="This question is already answered",
        lines=[*sent, _answered(elicitation)],
        recorded=told,
        receipt=receipt,
    )


def _just_now(elicitation: Elicitation) -> tuple[str, str]:
    if elicitation.status is Status.DECLINE:
        return "You declined", "The agent is told that the request was refused."
    if elicitation.status is Status.CANCEL:
        return "You dismissed the question", "The agent is told that nobody decided."
    if elicitation.mode is Mode.URL:
        return "You said that you have finished", "The agent can go on with its step."
    return "Your answer is recorded", "You can close this page."


def _answered(elicitation: Elicitation) -> str:
    at = f" at {stamp(elicitation.answered_at).text}" if elicitation.answered_at else ""
    return f"It was {action_in_words(elicitation.status)} {by_whom(elicitation)}{at}."


def _expired(elicitation: Elicitation, sent: Sequence[str]) -> Outcome:
    happened = (
        "The agent had already stopped waiting by then."
        if elicitation.asker_was_silent()
        else "The agent goes on without an answer."
    )
    return Outcome(
        status=410,
        tone="bad" if sent else "plain",
        headline="The time to answer is over",
        lines=[
            *sent,
            f"Nobody answered by {stamp(elicitation.expires_at).text}. {happened}",
            "If it still matters, tell whoever runs the session: the agent can ask again.",
        ],
    )


def _withdrawn(elicitation: Elicitation, sent: Sequence[str]) -> Outcome:
    at = f" at {stamp(elicitation.answered_at).text}" if elicitation.answered_at else ""
    lines = [*sent, f"It was taken back {by_whom(elicitation)}{at}. There is nothing left to do."]
    if elicitation.reason and elicitation.reason != _PLAIN_REASON:
        lines.append(f"Reason given: {one_line(elicitation.reason, 200)}")
    return Outcome(
        status=410,
        tone="bad" if sent else "plain",
        headline="The question was taken back",
        lines=lines,
    )
