"""Whether the agent has read the answer."""

from __future__ import annotations

from datetime import datetime

import pytest

from chalicelib.domain.elicitation import SILENT_AFTER, Status
from chalicelib.web.receipts import ReceiptState, receipt_of, receipt_status
from tests.web.samples import BY_LINK, MINUTE, NOW, elicitation

DEADLINE = NOW + 42 * MINUTE


@pytest.mark.parametrize(
    ("receipt_at", "last_seen_at", "now", "state"),
    [
        (None, NOW - MINUTE, NOW, ReceiptState.WAITING),
        (None, NOW - SILENT_AFTER, NOW, ReceiptState.WAITING),
        (None, NOW - SILENT_AFTER - MINUTE, NOW, ReceiptState.GONE),
        (None, NOW, NOW + SILENT_AFTER + MINUTE, ReceiptState.GONE),
        (None, DEADLINE - MINUTE, DEADLINE, ReceiptState.GONE),
        (NOW, NOW - 9 * MINUTE, NOW, ReceiptState.READ),
        (DEADLINE, NOW, DEADLINE + 9 * MINUTE, ReceiptState.READ),
    ],
)
def test_a_silent_asker_or_a_passed_deadline_means_that_nobody_reads_it_any_more(
    receipt_at: datetime | None, last_seen_at: datetime, now: datetime, state: ReceiptState
) -> None:
    answered = elicitation(
        status=Status.ACCEPT,
        answered_at=NOW,
        answered_by=BY_LINK,
        expires_at=DEADLINE,
        receipt_at=receipt_at,
        last_seen_at=last_seen_at,
    )
    assert receipt_of(answered, now).state is state


def test_an_asker_that_never_polled_counts_from_its_question() -> None:
    answered = elicitation(status=Status.DECLINE, answered_at=NOW, created_at=NOW - 9 * MINUTE)
    assert receipt_of(answered, NOW).text == (
        "The agent had stopped waiting: it was last heard of at 1 Dec 2026, 02:51 UTC."
    )


def test_the_script_gets_the_state_and_the_sentence_of_the_page() -> None:
    answered = elicitation(status=Status.ACCEPT, answered_at=NOW, receipt_at=NOW)
    assert receipt_status(answered, NOW) == {
        "state": "read",
        "text": "The agent has read it at 1 Dec 2026, 03:00 UTC.",
    }
