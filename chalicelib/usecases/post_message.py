"""A host posts a message: a turn begins, or a paused one goes another way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib.domain import events, turn_steps
from chalicelib.domain.errors import NotFound, SessionEnded, TryAgain
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Principal
from chalicelib.domain.session import HostStatus, Session
from chalicelib.domain.turn import HINT, UNATTENDED, Phase, ToolCall, Turn, TurnRunning, is_hinted
from chalicelib.usecases.ports import Result
from chalicelib.usecases.sessions import may_see
from chalicelib.usecases.turn_draft import Draft, Superseded
from chalicelib.usecases.turn_ports import Relay

TRIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A user's message. `controls.hints` are laid over the session's for this message's turn."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    controls: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hints(self) -> Mapping[str, Any]:
        """The hints of the message itself."""
        hints = self.controls.get("hints")
        return hints if isinstance(hints, dict) else {}


@dataclass(frozen=True, slots=True)
class Received:
    """The message's place in the journal and the turn that it went to."""

    turn: Turn
    sequence: int
    posted: Posted


def post_message(
    session_id: str, posted: Posted, *, principal: Principal, relay: Relay
) -> Result[Received]:
    """Take a message and queue its turn.

    A session that waits for a decision stops waiting: its cards are cancelled and the same turn
    goes on with the message. Raises `NotFound`, `SessionEnded`, `TurnRunning` and `TryAgain`.
    """
    for _ in range(TRIES):
        session = relay.world.store.session(session_id)
        if session is None or not may_see(session, principal):
            raise NotFound("There is no such session.")
        if session.is_ended:
            raise SessionEnded(f"The session is {session.status.value}: no turn runs in it.")
        try:
            return _received(session, posted, relay)
        except Superseded:
            continue
    raise TryAgain("The session is very busy; try again in a moment.")


def _received(session: Session, posted: Posted, relay: Relay) -> Result[Received]:
    current = relay.rows.turn(session.id, session.turn_id) if session.turn_id else None
    if current is None or current.is_ended:
        draft, place = _begun(session, posted, relay)
    elif current.phase is Phase.PAUSED:
        draft, place = _redirected(session, current, posted, relay)
    else:
        raise TurnRunning("The session is at work on a message; wait for it, or cancel the turn.")
    draft.flush()
    relay.messenger.queue_turn(session.id, draft.turn.id)
    received = Received(draft.turn, draft.base + place, posted)
    return Result(received, tuple(draft.facts))


def _begun(session: Session, posted: Posted, relay: Relay) -> tuple[Draft, int]:
    now = relay.world.clock()
    hints = (session.hints, posted.hints)
    turn = Turn(
        id=f"turn_{relay.world.new_id()}",
        session_id=session.id,
        message_id=f"message_{relay.world.new_id()}",
        created_at=now,
        driver=_driver(hints),
        controls=posted.controls,
        can_pause=is_hinted(HINT, *hints),
        is_attended=not is_hinted(UNATTENDED, *hints),
        named=posted.calls,
    )
    draft = Draft(session, turn, relay)
    draft.tell(turn_steps.received(turn, posted.text, now))
    draft.tell(Event(type=events.SESSION_ACTIVATED, at=now, data={"turn_id": turn.id}))
    draft.change_session(
        lambda session: replace(session, turn_id=turn.id, status=HostStatus.RUNNING)
    )
    return draft, 1


def _redirected(session: Session, turn: Turn, posted: Posted, relay: Relay) -> tuple[Draft, int]:
    draft = Draft(session, turn, relay)
    cards = relay.rows.cards(session.id, sorted(session.cards))
    gone, told = turn_steps.cancel_open(turn, cards, draft.now())
    draft.decided = list(gone)
    draft.tell(*told)
    draft.change(
        message_id=draft.new_id("message"),
        controls=posted.controls,
        named=posted.calls,
        calls=(),
        decisions={},
        phase=Phase.REASON,
    )
    draft.tell(turn_steps.received(draft.turn, posted.text, draft.now()))
    draft.change_session(lambda session: replace(session, cards={}))
    return draft, len(told) + 1


def _driver(hints: tuple[Mapping[str, Any], ...]) -> str:
    named = [bag["driver"] for bag in hints if isinstance(bag.get("driver"), str)]
    return str(named[-1]) if named else "direct"
