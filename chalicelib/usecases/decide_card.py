"""A card is decided: by a person (consent), or by the clock. One claim wins.

The claim, the consent, the user's turn and the session's way on are one transaction, so a process
that dies after it leaves nothing half done: only the queue message may be missing, and the card's
timer and cleanup send that again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from chalicelib.domain import cards, events, turn_steps
from chalicelib.domain.cards import Card, CardStatus
from chalicelib.domain.consent import grant
from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import NotFound, TryAgain
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Actor
from chalicelib.domain.session import Session
from chalicelib.domain.turn import NotWaiting, Phase
from chalicelib.usecases.ports import Result
from chalicelib.usecases.turn_draft import Draft, Superseded
from chalicelib.usecases.turn_ports import Relay

TRIES = 6

Sees = Callable[[Session], bool]
"""Whether the decider may know of the session at all."""


def decide_card(
    session_id: str, call_id: str, action: Action, *, actor: Actor, sees: Sees, relay: Relay
) -> Result[Card]:
    """Record a person's decision on an open card, and let the turn go on after the last one.

    In this order (facts everruns 1.5 with the seed's codes): `NotFound` for a session that is
    unknown or not theirs, `NotWaiting` when the session is not paused, `NotFound` when the call is
    not one of its open cards. Whoever loses the race is told what holds then. Raises `InvalidInput`
    for `cancel`, and `TryAgain`.
    """
    facts: tuple[Event, ...] = ()
    for _ in range(TRIES):
        session = relay.world.store.session(session_id)
        if session is None or not sees(session):
            raise NotFound("There is no such session.")
        if session.is_ended or not session.cards:
            raise NotWaiting("The session is not waiting for a decision.")
        card = relay.rows.card(session_id, call_id) if call_id in session.cards else None
        if card is None:
            raise NotFound("This tool call is not a pending elicitation.")
        if card.status is not CardStatus.PENDING:
            continue  # decided since the session was read
        now = relay.world.clock()
        if not card.is_open(now):
            facts += time_out_card(session_id, call_id, relay=relay).facts
            continue
        try:
            told = _write(session, cards.decide(card, action, actor, now), relay)
        except Superseded:
            continue
        return Result(told.value, facts + told.facts)
    raise TryAgain("The session is very busy; try again in a moment.")


def time_out_card(session_id: str, call_id: str, *, relay: Relay) -> Result[str]:
    """The card's timer rang. Returns `gone`, `settled`, `waits` or `timed out`.

    A settled card is looked at too: should the process have died between its decision and the
    queue, the turn is queued here.
    """
    for _ in range(TRIES):
        session = relay.world.store.session(session_id)
        card = relay.rows.card(session_id, call_id) if session else None
        if session is None or card is None:
            return Result("gone")
        now = relay.world.clock()
        if card.status is not CardStatus.PENDING:
            wake_turn(session_id, card.turn_id, relay=relay)
            return Result("settled")
        if now < card.expires_at:
            relay.messenger.wake_card(session_id, call_id, card.expires_at, now)
            return Result("waits")
        try:
            told = _write(session, cards.time_out(card, now), relay)
        except Superseded:
            continue
        return Result("timed out", told.facts)
    raise TryAgain("The session is very busy; try again in a moment.")


def wake_turn(session_id: str, turn_id: str, *, relay: Relay) -> bool:
    """Queue a turn that wants a worker and has none; False when it does not."""
    turn = relay.rows.turn(session_id, turn_id)
    if turn is None or not turn.wants_worker or turn.is_held("", relay.world.clock()):
        return False
    relay.messenger.queue_turn(session_id, turn_id)
    return True


def _write(session: Session, card: Card, relay: Relay) -> Result[Card]:
    """`card` is the row after the decision."""
    turn = relay.rows.turn(session.id, card.turn_id)
    if turn is None or turn.phase is not Phase.PAUSED:
        raise Superseded
    draft = Draft(session, turn, relay)
    now = draft.now()
    draft.take(turn_steps.decide_card(turn, card, message_id=draft.new_id("message"), now=now))
    draft.decided = [card]
    if card.status is CardStatus.ACCEPT:
        draft.granted = [grant(card)]
    draft.change_session(lambda session: replace(session, cards=_without(session, card)))
    draft.flush()
    if draft.turn.wants_worker:
        relay.messenger.queue_turn(session.id, turn.id)
    return Result(card, (*draft.facts, _fact(card, now)))


def _without(session: Session, card: Card) -> dict[str, datetime]:
    return {key: at for key, at in session.cards.items() if key != card.call_id}


def _fact(card: Card, now: datetime) -> Event:
    """For the log and the metrics: who decided what, at which host; never the URL."""
    timed_out = card.status is CardStatus.TIMEOUT
    data = {
        "tool_call_id": card.call_id,
        "session_id": card.session_id,
        "action": card.status.value,
        "host": card.host,
        "by": card.decided_by.name if card.decided_by else None,
        "channel": card.decided_by.channel.value if card.decided_by else None,
        "after_ms": (now - card.created_at) // timedelta(milliseconds=1),
    }
    return Event(
        type=events.CARD_TIMED_OUT if timed_out else events.CARD_DECIDED, at=now, data=data
    )
