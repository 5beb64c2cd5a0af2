"""What a model is shown before it decides: the conversation and the tools of the session."""

from __future__ import annotations

from typing import Final

from chalicelib.domain.events import NumberedEvent
from chalicelib.domain.session import Session
from chalicelib.domain.transcript import transcript
from chalicelib.domain.turn import Turn
from chalicelib.domain.upstream import ToolSpec
from chalicelib.usecases.ports import Journal
from chalicelib.usecases.turn_ports import Relay, Situation

LONGEST: Final = 2_000
"""Journal events that are looked back on; what is older is no longer part of the conversation."""

_PAGE: Final = 500


def situation_for_model(session: Session, turn: Turn, relay: Relay) -> Situation:
    """Conversation and tools, read now."""
    told = journal_of(relay.journal, session.id, after=max(session.version - LONGEST, 0))
    return Situation(turn, transcript(told), _tools(session, turn, relay))


def journal_of(journal: Journal, session_id: str, *, after: int) -> list[NumberedEvent]:
    """All events after a version; a page may be cut short by its size."""
    found: list[NumberedEvent] = []
    while page := journal.events(session_id, after=after, limit=_PAGE):
        found += page
        after = page[-1].version
    return found


def _tools(session: Session, turn: Turn, relay: Relay) -> list[ToolSpec]:
    """What the session's servers offer; all registered ones when it names none."""
    named = [relay.registry.get(name) for name in session.mcp_servers]
    records = named if session.mcp_servers else relay.registry.all()
    tools: list[ToolSpec] = []
    for record in records:
        if record is not None:
            connection = relay.connect(record, known=record.known, declares_url=turn.is_attended)
            tools += connection.tools()
    return tools
