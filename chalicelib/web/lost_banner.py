"""What a session shows when a round trip ended with nobody having decided (seed, "When a round-trip
ends without an answer")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.domain.lost import Lost, LostReason

_WORDS: Final[Mapping[LostReason, tuple[str, str]]] = {
    LostReason.EXPIRED: (
        "Nobody answered in time",
        "The time to answer ran out. The tool was told so, and the agent went on without approval.",
    ),
    LostReason.STRANDED: (
        "A question was lost on the way",
        "Whatever asked stopped waiting before there was an answer, so none can reach it any more. "
        "Nothing holds the session up now: send it a message to go on.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LostBanner:
    """Our words, and the stranger's `summary` (at most 300 characters)."""

    heading: str
    explanation: str
    summary: str | None
    at: datetime
    is_stranded: bool


def lost_banner(lost: Lost | None) -> LostBanner | None:
    """The banner of a session's lost record, or nothing."""
    if lost is None:
        return None
    heading, explanation = _WORDS[lost.reason]
    return LostBanner(
        heading=heading,
        explanation=explanation,
        summary=lost.summary,
        at=lost.at,
        is_stranded=lost.reason is LostReason.STRANDED,
    )
