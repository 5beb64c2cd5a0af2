"""The session's journal: what happened, in order, gap-free.

An event is written in the same transaction as the change it tells. Its number is the session's
version after it, and the id of the SSE stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

SESSION_OPENED: Final = "session.opened"
SESSION_NEEDS_INPUT: Final = "session.needs_input"
SESSION_RUNNING: Final = "session.running"
SESSION_CHANGED: Final = "session.changed"
SESSION_RESUMED: Final = "session.resumed"
SESSION_STRANDED: Final = "session.stranded"
SESSION_REPAIRED: Final = "session.repaired"
TOKEN_ROTATED: Final = "session.token_rotated"  # noqa: S105 - an event's name
ELICITATION_CREATED: Final = "elicitation.created"
ELICITATION_ANSWERED: Final = "elicitation.answered"
ELICITATION_EXPIRED: Final = "elicitation.expired"
ELICITATION_WITHDRAWN: Final = "elicitation.withdrawn"
RECEIPT_STAMPED: Final = "elicitation.receipt"
NOTICE_SENT: Final = "notice.sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened at an instant (UTC). `data` is JSON and never holds content or
    secrets."""

    type: str
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedEvent:
    """An event as read back; `version` is its place in the session's journal, counted from 1."""

    version: int
    event: Event
