"""Which instants count, and within which bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.deadline import MAX_WINDOW, MIN_WINDOW, decide_deadline, parse_instant

NOW = datetime(2026, 5, 4, 9, 0, 0, 123_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2026-05-04T09:30:00Z", "2026-05-04T09:30:00+00:00"),
        ("2026-05-04t09:30:00z", "2026-05-04T09:30:00+00:00"),
        ("2026-05-04 09:30:00Z", "2026-05-04T09:30:00+00:00"),
        (" 2026-05-04T09:30:00Z\n", "2026-05-04T09:30:00+00:00"),
        ("2026-05-04T09:30:00.5Z", "2026-05-04T09:30:00.500000+00:00"),
        ("2026-05-04T09:30:00.123456789Z", "2026-05-04T09:30:00.123456+00:00"),
        ("2026-05-04T11:30:00+02:00", "2026-05-04T09:30:00+00:00"),
        ("2026-05-03T23:30:00-10:00", "2026-05-04T09:30:00+00:00"),
        ("2026-05-04T09:30:00-00:00", "2026-05-04T09:30:00+00:00"),
    ],
)
def test_an_rfc_3339_instant_is_read_as_utc(raw: str, iso: str) -> None:
    assert parse_instant(raw) == datetime.fromisoformat(iso)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        3,
        1e12,
        b"2026-05-04T09:30:00Z",
        "",
        "soon",
        "Monday",
        "09:30",
        "2026-05-04",
        "2026-05-04T09:30Z",
        "2026-05-04T09:30:00",
        "2026-05-04T09:30:00.Z",
        "2026-05-04T09:30:00+0200",
        "2026-05-04T09:30:00 Z",
        "2026-05-04T24:00:00Z",
        "2026-02-30T09:30:00Z",
        "2026-05-04T09:30:60Z",
        "2026-05-04T09:30:00+24:00",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "\u0662\u0660\u0662\u0666-05-04T09:30:00Z",
        "20260504T093000Z",
        "2026-05-04T09:30:00Z" * 10,
    ],
)
def test_anything_else_counts_as_absent(raw: object) -> None:
    """No lenient parsing: its accidents are deadlines in the past (zimmer 4)."""
    assert parse_instant(raw) is None
    assert decide_deadline(raw, default_minutes=90, now=NOW) == NOW + timedelta(minutes=90)


@given(wish=st.datetimes(timezones=st.just(UTC)), minutes=st.integers(1, 10_080))
def test_a_deadline_is_always_within_bounds_and_in_whole_milliseconds(
    wish: datetime, minutes: int
) -> None:
    for requested in (wish.isoformat(), None, "nonsense"):
        at = decide_deadline(requested, default_minutes=minutes, now=NOW)
        assert MIN_WINDOW <= at - NOW <= MAX_WINDOW
        assert at.microsecond % 1000 == 0
        assert at.tzinfo is UTC


@given(st.timedeltas(min_value=MIN_WINDOW, max_value=MAX_WINDOW))
def test_a_wish_within_bounds_is_kept_to_the_millisecond(ahead: timedelta) -> None:
    at = decide_deadline((NOW + ahead).isoformat(), default_minutes=60, now=NOW)
    assert timedelta(0) <= NOW + ahead - at < timedelta(milliseconds=1)
