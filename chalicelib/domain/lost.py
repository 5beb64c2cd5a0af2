"""A round trip that ended with nobody having decided (seed, "When a round-trip ends without an
answer")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class LostReason(StrEnum):
    """`expired`: the agent went on without an answer. `stranded`: nobody was waiting any more."""

    EXPIRED = "expired"
    STRANDED = "stranded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """What a session shows until it moves on: `summary` is at most 300 characters, sanitised."""

    reason: LostReason
    at: datetime
    request_id: str | None = None
    summary: str | None = None
