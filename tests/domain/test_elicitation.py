"""The instants that decide about one question."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.elicitation import (
    LAST_SEEN_EVERY,
    SILENT_AFTER,
    Action,
    Elicitation,
    Status,
)

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
TICK = timedelta(milliseconds=1)
ASKED = Elicitation(
    key="k",
    session_id="s",
    request_id="r",
    message="m",
    created_at=NOW,
    expires_at=NOW + timedelta(hours=1),
)


def test_exactly_five_words_stand_on_the_wire() -> None:
    """7: clients take any other for a decline."""
    assert {status.value for status in Status} == {
        "pending",
        "accept",
        "decline",
        "cancel",
        "expired",
    }
    assert {action.value for action in Action} == {"accept", "decline", "cancel"}


def test_the_deadline_is_the_first_instant_that_is_too_late() -> None:
    """9, 10, 16, 17: live and due are each other's opposite while pending."""
    assert ASKED.is_live(ASKED.expires_at - TICK)
    assert not ASKED.is_due(ASKED.expires_at - TICK)
    assert ASKED.is_due(ASKED.expires_at)
    assert not ASKED.is_live(ASKED.expires_at)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.PENDING])
def test_an_outcome_is_terminal(status: Status) -> None:
    """13, 15, 37."""
    settled = replace(ASKED, status=status)
    assert not settled.is_pending
    assert not settled.is_live(NOW)
    assert not settled.is_due(ASKED.expires_at)
    assert not settled.wants_last_seen(NOW + timedelta(hours=9))
    assert settled.wants_receipt()
    assert not replace(settled, receipt_at=NOW).wants_receipt()


def test_polls_are_noted_once_a_minute() -> None:
    assert not ASKED.wants_last_seen(NOW + LAST_SEEN_EVERY - TICK)
    assert ASKED.wants_last_seen(NOW + LAST_SEEN_EVERY)
    seen = replace(ASKED, last_seen_at=NOW + timedelta(minutes=5))
    assert not seen.wants_last_seen(NOW + timedelta(minutes=5, seconds=59))
    assert not ASKED.wants_receipt()


def test_an_asker_is_silent_when_it_was_last_seen_well_before_the_deadline() -> None:
    """D20; being asked is a sign of life as well."""
    assert ASKED.asker_was_silent()
    edge = ASKED.expires_at - SILENT_AFTER
    assert not replace(ASKED, last_seen_at=edge).asker_was_silent()
    assert replace(ASKED, last_seen_at=edge - TICK).asker_was_silent()
    assert not replace(ASKED, expires_at=NOW + SILENT_AFTER).asker_was_silent()
