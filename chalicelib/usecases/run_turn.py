"""The turn worker: goes on with a turn from wherever its row says it stands.

Each step is written before the next thing happens outside. What a crash leaves behind, by step:

- before a call was begun, or after its result was written: nothing is lost, nothing repeated;
- in a call without consent: it is made once more (its card would be lost otherwise);
- in a call with consent: it is not made again, whether it ran or not. The agent is told that its
  outcome is not known. The consent is used up;
- before the cards of an act were opened: they are opened by the next worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from chalicelib.domain import events, turn_steps
from chalicelib.domain.cards import Card, new_call_id
from chalicelib.domain.digest import digest
from chalicelib.domain.session import HostStatus, Session
from chalicelib.domain.tool_results import failed
from chalicelib.domain.turn import (
    LEASE,
    MAX_ACTS,
    MAX_ATTEMPTS,
    MAX_CALLS,
    MAX_RUNS,
    AskedUrl,
    Call,
    CallState,
    Phase,
    Round,
)
from chalicelib.usecases.call_tool import find_permit, make_call
from chalicelib.usecases.ports import Result
from chalicelib.usecases.turn_draft import Draft, Superseded
from chalicelib.usecases.turn_ports import DriverFailed, Relay, Situation
from chalicelib.usecases.turn_situation import situation_for_model

RUN_FOR: Final = 60.0
"""Seconds after which a worker begins nothing new and hands the turn over: its function ends after
120, and one call may take 60."""

UNKNOWN: Final = (
    "The call was begun and its outcome is not known. It was not made again, since a person's "
    "consent is good for one call. Check at the server before asking for it again."
)


def run_turn(session_id: str, turn_id: str, *, relay: Relay) -> Result[str]:
    """Go on with a turn until it pauses or ends.

    Returns `gone`, `waits`, `held` (by another worker), `superseded`, `handed over`, `paused` or
    `ended`. Raises `TryAgain`; the queue delivers again.
    """
    session = relay.world.store.session(session_id)
    turn = relay.rows.turn(session_id, turn_id)
    if session is None or turn is None or turn.is_ended or session.turn_id != turn_id:
        return Result("gone")
    if not turn.wants_worker:
        return Result("waits")
    worker, now = relay.world.new_id(), relay.world.clock()
    if turn.is_held(worker, now):
        relay.messenger.wake_turn(session_id, turn_id, turn.leased_until or now, now)
        return Result("held")
    draft = Draft(session, turn, relay)
    try:
        outcome = _Worker(draft, worker, relay).run()
    except Superseded:
        outcome = "superseded"
    return Result(outcome, tuple(draft.facts))


def idle(session: Session) -> Session:
    """The session without its turn: it is over."""
    is_running = session.status is HostStatus.RUNNING
    status = HostStatus.IDLE if is_running else session.status
    return replace(session, turn_id=None, cards={}, status=status)


class _Worker:
    """One run of one worker over one turn."""

    def __init__(self, draft: Draft, name: str, relay: Relay) -> None:
        self._draft = draft
        self._name = name
        self._relay = relay
        self._began = relay.monotonic()
        self._rounds: dict[str, Round] = {}
        self._is_woken = False
        self._has_unwritten_result = False

    def run(self) -> str:
        draft = self._draft
        draft.change(runs=draft.turn.runs + 1)
        steps: Mapping[Phase, Callable[[], None]] = {
            Phase.START: self._reason,
            Phase.REASON: self._reason,
            Phase.REASONING: self._think,
            Phase.ACT: self._act,
            Phase.RESUME: self._resume,
        }
        if draft.session.is_ended:
            self._end(events.TURN_CANCELLED, "the session has ended")
        elif draft.turn.runs > MAX_RUNS:
            self._end(events.TURN_FAILED, "no worker could go on with it")
        while draft.turn.wants_worker:
            if self._relay.monotonic() - self._began > RUN_FOR:
                return self._hand_over()
            steps[draft.turn.phase]()
        if draft.turn.is_ended:
            draft.flush()
            return "ended"
        return "paused"

    def _reason(self) -> None:
        draft = self._draft
        draft.take(turn_steps.start_reasoning(draft.turn, draft.now()))

    def _think(self) -> None:
        """Ask the driver. A model is asked with everything written, for it takes its time."""
        draft = self._draft
        driver = self._relay.drivers.get(draft.turn.driver)
        if driver is None:
            return self._end(events.TURN_FAILED, "there is no such driver")
        situation = Situation(draft.turn)
        if driver.is_model:
            self._flush_held()
            situation = situation_for_model(draft.session, draft.turn, self._relay)
        try:
            move = driver.next(situation)
        except DriverFailed as error:
            return self._end(events.TURN_FAILED, str(error))
        message_id = draft.new_id("message")
        if not move.calls:
            self._say(move.text, message_id)
        elif draft.turn.acts >= MAX_ACTS:
            self._say(f"{move.text}\nThe turn ends here: it took {MAX_ACTS} steps.", message_id)
        else:
            wishes = move.calls[:MAX_CALLS]
            calls = [Call(id=draft.new_id("call"), wish=wish) for wish in wishes]
            self._start_act(calls, message_id, move.text)
        return None

    def _start_act(self, calls: list[Call], message_id: str, text: str) -> None:
        draft = self._draft
        started = turn_steps.start_act(
            draft.turn, calls, message_id=message_id, text=text, now=draft.now()
        )
        draft.take(started)
        draft.change(named=())

    def _act(self) -> None:
        """The next call of the act, or its end."""
        open_calls = (c for c in self._draft.turn.calls if c.state in _TO_MAKE)
        call = next(open_calls, None)
        if call is None:
            self._finish_act()
        elif call.state is CallState.CALLING and self._may_not_repeat(call):
            self._record(call, timedelta(0))
        else:
            self._call(call)

    def _may_not_repeat(self, call: Call) -> bool:
        """A worker died in the call."""
        return call.has_consent or call.attempts >= MAX_ATTEMPTS

    def _record(self, call: Call, took: timedelta) -> None:
        draft = self._draft
        finished = turn_steps.finish_call(
            draft.turn, call, failed(UNKNOWN), asks=False, took=took, now=draft.now()
        )
        draft.take(finished)

    def _call(self, call: Call) -> None:
        draft = self._draft
        if self._has_unwritten_result and call.retry_of is not None:
            self._flush_held()  # what came before is safe while the consent is looked up
        permit = find_permit(draft.session, call, self._relay)
        has_consent = permit.accepted is not None
        draft.take(
            turn_steps.start_call(draft.turn, call, has_consent=has_consent, now=draft.now())
        )
        draft.taken += permit.consents
        self._flush_held()
        began = self._relay.monotonic()
        result, asked = make_call(draft.session, draft.turn, call, permit, relay=self._relay)
        took = timedelta(seconds=self._relay.monotonic() - began)
        made = draft.turn.call(call.id)
        if asked is not None:
            self._rounds[call.id] = asked
            draft.rounds.append(asked)
        finished = turn_steps.finish_call(
            draft.turn, made, result, asks=asked is not None, took=took, now=draft.now()
        )
        draft.take(finished)
        draft.change(runs=0)
        self._has_unwritten_result = True

    def _finish_act(self) -> None:
        """Open the cards of all calls that ask, in one event; or think on."""
        draft = self._draft
        cards = [
            (call.id, self._card(call, one))
            for call in draft.turn.calls
            if call.state is CallState.ASKING
            for one in self._round(call).asked
        ]
        draft.take(turn_steps.finish_act(draft.turn, cards, draft.now()))
        if not cards:
            return
        draft.opened = [card for _, card in cards]
        deadlines = {card.call_id: card.expires_at for card in draft.opened}
        draft.change_session(
            lambda session: replace(session, cards={**session.cards, **deadlines}, lost=None)
        )
        draft.let_go()
        draft.flush()
        self._announce([card for _, card in cards])

    def _announce(self, cards: list[Card]) -> None:
        now, messenger = self._draft.now(), self._relay.messenger
        for card in cards:
            messenger.wake_card(card.session_id, card.call_id, card.expires_at, now)
            messenger.queue_notice(f"{card.session_id}/{card.call_id}", "card")

    def _round(self, call: Call) -> Round:
        found = self._rounds.get(call.id) or self._relay.rows.round(self._draft.session.id, call.id)
        return found or Round(call_id=call.id, asked=())

    def _card(self, call: Call, asked: AskedUrl) -> Card:
        now = self._draft.now()
        return Card(
            call_id=new_call_id(now, bytes.fromhex(self._relay.world.new_id())[:10]),
            session_id=self._draft.session.id,
            turn_id=self._draft.turn.id,
            server=call.wish.server,
            tool=call.wish.tool,
            message=asked.message,
            url=asked.link.url,
            host=asked.link.host,
            is_punycode=asked.link.is_punycode,
            origin=asked.link.origin,
            arguments_digest=digest(dict(call.wish.arguments)),
            request_key=asked.key,
            created_at=now,
            expires_at=now + self._relay.card_lasts,
        )

    def _resume(self) -> None:
        """Make the consented calls again, by themselves: no agent decides whether to, or changes
        their arguments. The other calls stay without a result."""
        draft = self._draft
        ids = [draft.new_id("call") for _ in draft.turn.calls]
        again = list(turn_steps.retries(draft.turn, ids))
        if not again or draft.turn.acts >= MAX_ACTS:
            draft.change(phase=Phase.REASON, calls=(), decisions={})
            return
        draft.take(turn_steps.start_reasoning(draft.turn, draft.now()))
        self._start_act(again, draft.new_id("message"), "")

    def _say(self, text: str, message_id: str) -> None:
        draft = self._draft
        draft.take(turn_steps.say(draft.turn, text, message_id=message_id, now=draft.now()))
        draft.change_session(idle)

    def _end(self, type_: str, reason: str) -> None:
        draft = self._draft
        draft.take(turn_steps.end(draft.turn, type_, {"reason": reason}, draft.now()))
        draft.change_session(idle)

    def _hand_over(self) -> str:
        draft = self._draft
        draft.let_go()
        draft.flush()
        self._relay.messenger.queue_turn(draft.session.id, draft.turn.id)
        return "handed over"

    def _flush_held(self) -> None:
        """Write, and hold the turn; should this worker die, its timer queues the turn again."""
        draft = self._draft
        draft.hold(self._name)
        draft.flush()
        self._has_unwritten_result = False
        if not self._is_woken:
            now = draft.now()
            self._relay.messenger.wake_turn(draft.session.id, draft.turn.id, now + LEASE, now)
            self._is_woken = True


_TO_MAKE: Final = (CallState.NAMED, CallState.CALLING)
