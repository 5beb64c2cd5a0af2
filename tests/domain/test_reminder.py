"""When people are reminded, and when a question's timer wakes next."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.reminder import next_wake, reminder_at, wants_reminder

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
TICK = timedelta(milliseconds=1)


def open_for(**window: float) -> Elicitation:
    """A question asked now that is open for so long."""
    return Elicitation(
        key="k",
        session_id="s",
        request_id="r",
        message="m",
        created_at=NOW,
        expires_at=NOW + timedelta(**window),
    )


@pytest.mark.parametrize(
    ("minutes", "share", "at"),
    [(60, 0.5, 30), (30, 0.5, 15), (29.99, 0.5, None), (60, 0.0, None), (100, 0.9, 90)],
)
def test_the_reminder_is_at_a_share_of_a_window_long_enough(
    minutes: float, share: float, at: float | None
) -> None:
    wanted = None if at is None else NOW + timedelta(minutes=at)
    assert reminder_at(open_for(minutes=minutes), share) == wanted


def test_a_reminder_is_wanted_once_and_only_while_an_answer_is_possible() -> None:
    asked = open_for(hours=1)
    half = NOW + timedelta(minutes=30)
    assert not wants_reminder(asked, 0.5, half - TICK)
    assert wants_reminder(asked, 0.5, half)
    assert wants_reminder(asked, 0.5, asked.expires_at - TICK)
    assert not wants_reminder(asked, 0.5, asked.expires_at)
    assert not wants_reminder(replace(asked, reminded_at=half), 0.5, half)
    for status in Status:
        if status is not Status.PENDING:
            assert not wants_reminder(replace(asked, status=status), 0.5, half)


def test_the_timer_wakes_for_the_reminder_and_then_for_the_deadline() -> None:
    asked = open_for(hours=1)
    half = NOW + timedelta(minutes=30)
    assert next_wake(asked, 0.5, NOW) == half
    assert next_wake(asked, 0.5, half) == asked.expires_at
    assert next_wake(replace(asked, reminded_at=NOW), 0.5, NOW) == asked.expires_at
    assert next_wake(asked, 0.0, NOW) == asked.expires_at
    assert next_wake(open_for(minutes=5), 0.5, NOW) == NOW + timedelta(minutes=5)
