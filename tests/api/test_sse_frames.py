"""The stream's pace, on a clock that only its own pauses move."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from chalicelib.api.sse_frames import HEARTBEAT, Pace, Source, Watch, frames
from chalicelib.domain.events import Event, NumberedEvent

AT = datetime(2026, 11, 3, tzinfo=UTC)


class Journal:
    """Events that come at their time; the clock goes on by what is paused."""

    def __init__(self, *comes_at: float) -> None:
        self.comes_at = comes_at
        self.now = 0.0
        self.looks = 0

    def events(self, after: int, limit: int) -> Sequence[NumberedEvent]:
        self.looks += 1
        return [
            NumberedEvent(version=number, event=Event(type="tool.started", at=AT))
            for number, at in enumerate(self.comes_at, start=1)
            if at <= self.now and number > after
        ][:limit]

    def pause(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)

    def stream(self, pace: Pace, *, after: int = 0) -> list[str]:
        watch = Watch("session_1", after, lambda type_: True)
        return list(frames(watch, pace, Source(self.events, lambda: self.now, self.pause)))


def ids(texts: Sequence[str]) -> list[int]:
    return [int(text.partition("id: event_")[2][:12]) for text in texts if "\nid: " in text]


def test_an_open_connection_tells_as_it_comes_until_its_cycle_is_over() -> None:
    journal = Journal(0, 1, 50, 299)
    texts = journal.stream(Pace(300))
    assert ids(texts) == [1, 2, 3, 4]
    assert texts[0].startswith("event: connected\n")
    assert texts[-1].startswith("event: disconnecting\n")
    assert 299 <= journal.now <= 301


def test_a_quiet_connection_has_a_heartbeat_every_fifteen_seconds() -> None:
    """124."""
    assert Journal().stream(Pace(100)).count(HEARTBEAT) == 6


def test_a_finite_body_ends_soon_after_it_had_something_to_tell() -> None:
    journal = Journal(5, 5.1, 9)
    assert ids(journal.stream(Pace(20, settle=0.2))) == [1, 2]
    assert journal.now < 6.5


def test_a_finite_body_waits_no_longer_than_its_time() -> None:
    journal = Journal()
    assert ids(journal.stream(Pace(20, settle=0.2))) == []
    assert 20 <= journal.now < 20.1


def test_a_body_without_time_still_looks_once() -> None:
    journal = Journal(0, 0)
    assert ids(journal.stream(Pace(0, settle=0.2))) == [1, 2]
    assert Journal(0, 0).stream(Pace(0, settle=0.2), after=2)[1].startswith("event: disconnecting")


def test_looking_gets_rarer_while_nothing_comes() -> None:
    quiet = Journal()
    quiet.stream(Pace(300))
    assert quiet.looks < 320


def test_a_finite_body_stays_below_what_lambda_may_answer() -> None:
    journal = Journal(*[0] * 5_000)
    texts = journal.stream(Pace(20, settle=0.2, most_bytes=100_000))
    assert sum(map(len, texts)) < 130_000
    last = ids(texts)[-1]
    assert ids(journal.stream(Pace(20, settle=0.2), after=last))[0] == last + 1


@pytest.mark.parametrize("count", [99, 100, 101, 250])
def test_pages_join_without_a_seam(count: int) -> None:
    assert ids(Journal(*[0] * count).stream(Pace(20, settle=0.2))) == list(range(1, count + 1))
