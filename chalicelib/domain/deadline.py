"""When an elicitation expires: who may say so, and within which bounds (seed, "Expiry").

Precedence: the asker's `expires-at` > the instance's `ELICITATION_EXPIRATION_MINUTES` > 60 minutes.
Every deadline is held to 1 minute .. 7 days from now, whoever names it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

MIN_WINDOW: Final = timedelta(minutes=1)
MAX_WINDOW: Final = timedelta(days=7)

_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


def parse_instant(raw: object) -> datetime | None:
    """An RFC 3339 timestamp with a zone as aware UTC; anything else counts as absent (None)."""
    match = _RFC3339.fullmatch(raw.strip()) if isinstance(raw, str) and len(raw) < 64 else None
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    offset = "+00:00" if zone in "Zz" else zone
    try:
        parsed = datetime.fromisoformat(f"{day}T{time}.{(fraction or '0')[:6]:0<6}{offset}")
        return parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def clamp(wanted: datetime, now: datetime) -> datetime:
    """Hold a deadline to the bounds; a past one becomes one minute from now, never a refusal."""
    return min(max(wanted, now + MIN_WINDOW), now + MAX_WINDOW)


def decide_deadline(requested: object, *, default_minutes: int, now: datetime) -> datetime:
    """The deadline of a new elicitation, as an instant with whole milliseconds (as rows keep
    it)."""
    wanted = parse_instant(requested) or now + timedelta(minutes=default_minutes)
    chosen = clamp(wanted, now)
    return chosen.replace(microsecond=chosen.microsecond // 1000 * 1000)
