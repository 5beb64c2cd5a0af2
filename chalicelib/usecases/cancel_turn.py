"""Stop the turn of a session: its host asked for it, or the session is over."""

from __future__ import annotations

from chalicelib.domain import events, turn_steps
from chalicelib.domain.errors import NotFound, TryAgain
from chalicelib.domain.principal import Principal
from chalicelib.domain.session import Session
from chalicelib.usecases.ports import Result
from chalicelib.usecases.run_turn import idle
from chalicelib.usecases.sessions import may_see
from chalicelib.usecases.turn_draft import Draft, Superseded
from chalicelib.usecases.turn_ports import Relay

TRIES = 6


def cancel_turn(session_id: str, *, principal: Principal, relay: Relay) -> Result[bool]:
    """Cancel the turn in progress with its open cards; False when there is none.

    A call that is at its server right now may still take effect there; its result is dropped.
    Raises `NotFound` and `TryAgain`.
    """
    for _ in range(TRIES):
        session = relay.world.store.session(session_id)
        if session is None or not may_see(session, principal):
            raise NotFound("There is no such session.")
        if session.turn_id is None:
            return Result(False)
        try:
            return _cancel(session, session.turn_id, relay)
        except Superseded:
            continue
    raise TryAgain("The session is very busy; try again in a moment.")


def _cancel(session: Session, turn_id: str, relay: Relay) -> Result[bool]:
    turn = relay.rows.turn(session.id, turn_id)
    if turn is None or turn.is_ended:
        return Result(False)
    draft = Draft(session, turn, relay)
    now = draft.now()
    cards = relay.rows.cards(session.id, sorted(session.cards))
    gone, told = turn_steps.cancel_open(turn, cards, now)
    draft.decided = list(gone)
    draft.tell(*told)
    draft.take(turn_steps.end(turn, events.TURN_CANCELLED, {"reason": "cancelled"}, now))
    draft.change_session(idle)
    draft.flush()
    return Result(True, tuple(draft.facts))
