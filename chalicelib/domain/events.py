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
SECRET_STORED: Final = "secret.stored"  # noqa: S105 - an event's name

INPUT_MESSAGE: Final = "input.message"
SESSION_ACTIVATED: Final = "session.activated"
SESSION_IDLED: Final = "session.idled"
TURN_STARTED: Final = "turn.started"
TURN_COMPLETED: Final = "turn.completed"
TURN_FAILED: Final = "turn.failed"
TURN_CANCELLED: Final = "turn.cancelled"
REASON_STARTED: Final = "reason.started"
REASON_COMPLETED: Final = "reason.completed"
OUTPUT_MESSAGE: Final = "output.message.completed"
ACT_STARTED: Final = "act.started"
ACT_COMPLETED: Final = "act.completed"
TOOL_STARTED: Final = "tool.started"
TOOL_COMPLETED: Final = "tool.completed"
TOOL_CALL_REQUESTED: Final = "tool.call_requested"

KNOWN: Final = frozenset(
    value for name, value in globals().items() if name.isupper() and isinstance(value, str)
)
"""Every type that a journal may hold; readers filter by them."""

CARD_DECIDED: Final = "card.decided"
CARD_TIMED_OUT: Final = "card.timed_out"
"""Facts that are logged and counted; the journal tells them as `tool.completed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened at an instant (UTC). `data` is JSON and never holds secrets, nor what
    a form was answered; a turn's events hold its messages and results (`loggable` takes them out).

    `context` names the turn that an event belongs to.
    """

    type: str
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedEvent:
    """An event as read back; `version` is its place in the session's journal, counted from 1."""

    version: int
    event: Event
