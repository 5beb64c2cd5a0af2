"""The session's journal as sentences, with what each event carries beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from chalicelib.domain import events

_SENTENCES: Final[Mapping[str, str]] = {
    events.SESSION_OPENED: "Session opened",
    events.SESSION_NEEDS_INPUT: "Session needs input",
    events.SESSION_RUNNING: "Session goes on",
    events.SESSION_CHANGED: "Session changed by its host",
    events.SESSION_RESUMED: "Session resumed",
    events.SESSION_STRANDED: "A question was lost on the way",
    events.SESSION_REPAIRED: "Stale markers removed",
    events.TOKEN_ROTATED: "Session token rotated",
    events.ELICITATION_CREATED: "Question asked",
    events.ELICITATION_ANSWERED: "Question answered",
    events.ELICITATION_EXPIRED: "Question expired",
    events.ELICITATION_WITHDRAWN: "Question taken back",
    events.RECEIPT_STAMPED: "Answer read by the agent",
    events.NOTICE_SENT: "Notice sent",
    events.SECRET_STORED: "Secret stored",
    events.INPUT_MESSAGE: "Message to the agent",
    events.SESSION_ACTIVATED: "Session at work",
    events.SESSION_IDLED: "Session idle",
    events.TURN_STARTED: "Turn started",
    events.TURN_COMPLETED: "Turn completed",
    events.TURN_FAILED: "Turn failed",
    events.TURN_CANCELLED: "Turn cancelled",
    events.REASON_STARTED: "Agent thinks",
    events.REASON_COMPLETED: "Agent decided what to do",
    events.OUTPUT_MESSAGE: "Agent writes",
    events.ACT_STARTED: "Agent acts",
    events.ACT_COMPLETED: "Agent acted",
    events.TOOL_STARTED: "Tool called",
    events.TOOL_COMPLETED: "Tool call ended",
    events.TOOL_CALL_REQUESTED: "A person is asked to open a page",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """One event. `details` are raw names and values, as a stranger may have written them."""

    version: int
    type: str
    sentence: str
    at: datetime
    details: Sequence[tuple[str, str]]


def journal_lines(rows: Sequence[Mapping[str, Any]]) -> list[JournalLine]:
    """The rows in their order; an event of a type without a sentence goes by its type."""
    return [
        JournalLine(
            version=row["version"],
            type=row["type"],
            sentence=_SENTENCES.get(row["type"], row["type"]),
            at=row["at"],
            details=[(str(name), str(value)) for name, value in row["data"].items()],
        )
        for row in rows
    ]
