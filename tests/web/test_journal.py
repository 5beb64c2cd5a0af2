"""The journal in sentences."""

from __future__ import annotations

from chalicelib.domain import events
from chalicelib.web.journal import JournalLine, journal_lines
from tests.web.samples import NOW


def test_an_event_keeps_its_number_and_tells_its_data() -> None:
    row = {
        "version": 7,
        "type": events.ELICITATION_ANSWERED,
        "at": NOW,
        "data": {"action": "accept", "count": 2},
    }
    assert journal_lines([row]) == [
        JournalLine(
            version=7,
            type=events.ELICITATION_ANSWERED,
            sentence="Question answered",
            at=NOW,
            details=[("action", "accept"), ("count", "2")],
        )
    ]


def test_an_event_of_an_unknown_type_goes_by_its_type() -> None:
    (line,) = journal_lines([{"version": 1, "type": "made.up", "at": NOW, "data": {}}])
    assert line.sentence == "made.up"
