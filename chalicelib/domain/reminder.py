"""When a question reminds people once more, and when its timer wakes next."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from chalicelib.domain.elicitation import Elicitation

SHORTEST_WINDOW: Final = timedelta(minutes=30)
"""Questions with a shorter window get no reminder."""


def reminder_at(elicitation: Elicitation, share: float) -> datetime | None:
    """The instant of the one reminder; None when the window is short or `share` is 0 (off)."""
    window = elicitation.expires_at - elicitation.created_at
    if share <= 0 or window < SHORTEST_WINDOW:
        return None
    return elicitation.created_at + window * share


def wants_reminder(elicitation: Elicitation, share: float, now: datetime) -> bool:
    """Whether the reminder is due now: once, and only while an answer is still possible."""
    at = reminder_at(elicitation, share)
    due = at is not None and now >= at
    return due and elicitation.reminded_at is None and elicitation.is_live(now)


def next_wake(elicitation: Elicitation, share: float, now: datetime) -> datetime:
    """The next instant at which the question's timer has something to do."""
    at = reminder_at(elicitation, share)
    if at is not None and now < at and elicitation.reminded_at is None:
        return at
    return elicitation.expires_at
