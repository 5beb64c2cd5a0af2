"""Instants and durations as people read them. Always UTC here; the script adds local time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from chalicelib.domain.elicitation import CLOSING_MARGIN

_MONTHS: Final = [
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
]


@dataclass(frozen=True, slots=True)
class Stamp:
    """An instant for a `<time>` element: `iso` for machines, `text` for people."""

    iso: str
    text: str


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What a page says of a deadline. The epochs are milliseconds; `now` lets the script ignore a
    wrong clock on the reader's device."""

    by: Stamp
    words: str
    is_over: bool
    until_ms: int
    now_ms: int


def stamp(at: datetime) -> Stamp:
    """`1 Dec 2026, 03:29 UTC`, whatever the server's locale."""
    utc = at.astimezone(UTC)
    text = f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"
    return Stamp(f"{utc:%Y-%m-%dT%H:%M:%SZ}", text)


def time_left(expires_at: datetime, now: datetime) -> TimeLeft:
    """Counted to a margin before the deadline, since the asker looks only every few seconds."""
    until = expires_at - CLOSING_MARGIN
    left = until - now
    return TimeLeft(
        by=stamp(until),
        words=f"{_about(left)} left",
        is_over=left <= timedelta(0),
        until_ms=round(until.timestamp() * 1000),
        now_ms=round(now.timestamp() * 1000),
    )


def _about(left: timedelta) -> str:
    """Rounded down: nobody should count on time that is not there."""
    minutes = int(left.total_seconds() // 60)
    if left <= timedelta(0):
        return "no time"
    if minutes < 1:
        return "less than a minute"
    if minutes < 2 * 60:
        return f"about {_count(minutes, 'minute')}"
    if minutes < 2 * 24 * 60:
        return f"about {_count(minutes // 60, 'hour')}"
    return f"about {_count(minutes // (24 * 60), 'day')}"


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
