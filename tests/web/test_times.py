"""Instants and durations in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from chalicelib.domain.elicitation import CLOSING_MARGIN
from chalicelib.web.times import stamp, time_left
from tests.web.samples import NOW


def test_an_instant_is_told_in_utc_whatever_its_zone() -> None:
    at = datetime(2026, 1, 9, 1, 5, 59, tzinfo=timezone(timedelta(hours=2)))
    assert stamp(at).text == "8 Jan 2026, 23:05 UTC"
    assert stamp(at).iso == "2026-01-08T23:05:59Z"


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(seconds=-5), "no time left"),
        (timedelta(0), "no time left"),
        (timedelta(seconds=1), "less than a minute left"),
        (timedelta(seconds=59), "less than a minute left"),
        (timedelta(seconds=60), "about 1 minute left"),
        (timedelta(seconds=119), "about 1 minute left"),
        (timedelta(minutes=42, seconds=50), "about 42 minutes left"),
        (timedelta(minutes=119), "about 119 minutes left"),
        (timedelta(hours=2), "about 2 hours left"),
        (timedelta(hours=47, minutes=59), "about 47 hours left"),
        (timedelta(days=2), "about 2 days left"),
        (timedelta(days=6, hours=23), "about 6 days left"),
    ],
)
def test_time_left_is_counted_to_the_margin_and_never_rounded_up(
    left: timedelta, words: str
) -> None:
    told = time_left(NOW + CLOSING_MARGIN + left, NOW)
    assert told.words == words
    assert told.is_over is (left <= timedelta(0))


def test_the_script_gets_both_clocks_in_milliseconds() -> None:
    told = time_left(NOW + timedelta(minutes=1), NOW)
    assert told.until_ms - told.now_ms == 50_000
    assert datetime.fromtimestamp(told.now_ms / 1000, UTC) == NOW
    assert told.by.text == "1 Dec 2026, 03:00 UTC"
