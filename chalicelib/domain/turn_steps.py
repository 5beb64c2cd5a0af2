"""How a turn goes on: each step takes a turn and returns the next one with the events that tell it.

The order of events is that of `facts` on the seed `everruns-url-elicitation`: a call's own result
first, then `act.completed`, then the one `tool.call_requested` for all cards of the act.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.domain import events
from chalicelib.domain.cards import Card, CardStatus, cancel, completion, confirm_call
from chalicelib.domain.consent import decision_text, timeout_text
from chalicelib.domain.events import Event
from chalicelib.domain.tool_results import ToolResult, text_part
from chalicelib.domain.turn import Call, CallState, Phase, Turn

Stepped = tuple[Turn, tuple[Event, ...]]


def received(turn: Turn, text: str, now: datetime) -> Event:
    """The user's message. A decision has a message of its own in the same turn (`decide_card`)."""
    return Event(type=events.INPUT_MESSAGE, at=now, data=_user_message(turn, turn.message_id, text))


def start_reasoning(turn: Turn, now: datetime) -> Stepped:
    """The driver is asked what comes next."""
    told = [_event(turn, events.REASON_STARTED, now, {"iteration": turn.acts + 1})]
    if turn.phase is Phase.START:
        told.insert(0, _event(turn, events.TURN_STARTED, now, dict(turn.context)))
    return replace(turn, phase=Phase.REASONING), tuple(told)


def start_act(
    turn: Turn, calls: Sequence[Call], *, message_id: str, text: str, now: datetime
) -> Stepped:
    """The agent named calls to make, or the engine makes consented ones again."""
    wanted = [call.as_data() for call in calls]
    told = (
        _event(turn, events.OUTPUT_MESSAGE, now, _said(message_id, text, wanted)),
        _event(turn, events.REASON_COMPLETED, now, {"has_tool_calls": True}),
        _event(turn, events.ACT_STARTED, now, {"tool_calls": wanted}),
    )
    after = replace(turn, phase=Phase.ACT, acts=turn.acts + 1, calls=tuple(calls), decisions={})
    return after, told


def start_call(turn: Turn, call: Call, *, has_consent: bool, now: datetime) -> Stepped:
    """A worker makes a call. One that was begun before by a worker that died is not told twice."""
    begun = replace(
        call, state=CallState.CALLING, attempts=call.attempts + 1, has_consent=has_consent
    )
    is_first = call.attempts == 0
    told = (_event(turn, events.TOOL_STARTED, now, {"tool_call": call.as_data()}),)
    return with_call(turn, begun), told if is_first else ()


def finish_call(
    turn: Turn, call: Call, result: ToolResult, *, asks: bool, took: timedelta, now: datetime
) -> Stepped:
    """A call came to a result. With `asks` its server wants a person, and cards will follow."""
    data = {
        "tool_call_id": call.id,
        "tool_name": call.wish.name,
        **result.as_data(),
        "duration_ms": max(took // timedelta(milliseconds=1), 0),
    }
    state = CallState.ASKING if asks else CallState.DONE
    after = with_call(turn, replace(call, state=state, is_ok=result.is_ok))
    if not asks:
        after = replace(after, told=(*after.told, result.told(call.wish.name)))
    return after, (_event(turn, events.TOOL_COMPLETED, now, data),)


def finish_act(turn: Turn, cards: Sequence[tuple[str, Card]], now: datetime) -> Stepped:
    """All calls of the act are made. `cards` pairs the id of an asking call with a card of its; if
    there are any, the turn pauses until every one is decided."""
    succeeded = sum(call.is_ok is True for call in turn.calls)
    counts = {
        "completed": len(turn.calls),
        "success_count": succeeded,
        "error_count": len(turn.calls) - succeeded,
    }
    told = [_event(turn, events.ACT_COMPLETED, now, counts)]
    if not cards:
        return replace(turn, phase=Phase.REASON, calls=()), tuple(told)
    asked = {"tool_calls": [confirm_call(card) for _, card in cards]}
    told.append(_event(turn, events.TOOL_CALL_REQUESTED, now, asked))
    calls = tuple(
        replace(call, cards=tuple(card.call_id for owner, card in cards if owner == call.id))
        for call in turn.calls
    )
    after = replace(
        turn, phase=Phase.PAUSED, calls=calls, cards_opened=turn.cards_opened + len(cards)
    )
    return after, tuple(told)


def decide_card(turn: Turn, card: Card, *, message_id: str, now: datetime) -> Stepped:
    """A person decided a card, or the clock did (`card` is the row after it). After the last card
    of the act the turn goes on.

    A decision becomes a user turn; a timeout does not. `notes` are for the agent's last word.
    """
    told: list[Event] = []
    after = replace(turn, decisions={**turn.decisions, card.call_id: card.status})
    if card.status in (CardStatus.ACCEPT, CardStatus.DECLINE):
        data = _user_message(turn, message_id, decision_text(card))
        told.append(Event(type=events.INPUT_MESSAGE, at=now, data=data))
    if card.status is CardStatus.DECLINE:
        refused = (*after.refused, (card.server, card.tool, card.origin))
        note = f"{card.retry_tool}: the person decided not to open the page at {card.host}."
        after = replace(after, refused=refused, notes=(*after.notes, note))
    if card.status is CardStatus.TIMEOUT:
        after = replace(after, notes=(*after.notes, timeout_text(card)))
    told.append(_event(turn, events.TOOL_COMPLETED, now, card_completion(card)))
    open_cards = {one for call in after.calls for one in call.cards} - after.decisions.keys()
    return after if open_cards else replace(after, phase=Phase.RESUME), tuple(told)


def retries(turn: Turn, new_ids: Sequence[str]) -> tuple[Call, ...]:
    """The calls to make again: those of which every card was accepted, each as a call of its own.

    `new_ids` holds an id for each call of the act.
    """
    return tuple(
        Call(id=new_id, wish=call.wish, retry_of=call.id, cards=call.cards)
        for call, new_id in zip(turn.calls, new_ids, strict=True)
        if call.cards and all(turn.decisions.get(card) is CardStatus.ACCEPT for card in call.cards)
    )


def say(turn: Turn, text: str, *, message_id: str, now: datetime) -> Stepped:
    """The agent's last word."""
    told = (
        _event(turn, events.OUTPUT_MESSAGE, now, _said(message_id, text, [])),
        _event(turn, events.REASON_COMPLETED, now, {"has_tool_calls": False}),
    )
    after, ended = end(turn, events.TURN_COMPLETED, {}, now)
    return after, told + ended


def end(turn: Turn, type_: str, data: Mapping[str, Any], now: datetime) -> Stepped:
    """The turn is over, well or not; the session is idle."""
    lasted = (now - turn.created_at) // timedelta(milliseconds=1)
    told = (
        _event(turn, type_, now, {"turn_id": turn.id, **data, "duration_ms": max(lasted, 0)}),
        _event(turn, events.SESSION_IDLED, now, {"turn_id": turn.id}),
    )
    after = replace(
        turn,
        phase=Phase.ENDED,
        calls=(),
        named=(),
        told=(),
        notes=(),
        decisions={},
        worker=None,
        leased_until=None,
    )
    return after, told


def cancel_open(
    turn: Turn, cards: Sequence[Card], now: datetime
) -> tuple[tuple[Card, ...], tuple[Event, ...]]:
    """The calls and cards that were open when the turn was stopped or sent another way."""
    told = [
        _event(turn, events.TOOL_COMPLETED, now, _cancelled(call))
        for call in turn.calls
        if call.state is CallState.CALLING
    ]
    gone = tuple(cancel(card, now) for card in cards if card.status is CardStatus.PENDING)
    told += [_event(turn, events.TOOL_COMPLETED, now, card_completion(card)) for card in gone]
    return gone, tuple(told)


def card_completion(card: Card) -> dict[str, Any]:
    """`tool.completed` of a card's confirm call, with the decision as its result."""
    data = completion(card)
    if card.status in (CardStatus.ACCEPT, CardStatus.DECLINE):
        said = {
            "action": card.status.value,
            "server": card.server,
            "host": card.host,
            "message": decision_text(card),
        }
        return data | {"result": [text_part(json.dumps(said, ensure_ascii=False))]}
    reason = timeout_text(card) if card.status is CardStatus.TIMEOUT else "The turn went on."
    return data | {"error": reason}


def with_call(turn: Turn, changed: Call) -> Turn:
    """The turn with one of its calls replaced."""
    calls = tuple(changed if call.id == changed.id else call for call in turn.calls)
    return replace(turn, calls=calls)


def loggable(told: Sequence[Event]) -> tuple[Event, ...]:
    """The events without messages, arguments, results and URLs: what a log may hold."""
    return tuple(
        Event(
            type=event.type,
            at=event.at,
            data={k: v for k, v in event.data.items() if k in _LOGGED} | dict(event.context),
        )
        for event in told
    )


_LOGGED = frozenset(
    {"turn_id", "tool_call_id", "tool_name", "status", "success", "action", "host", "server"}
    | {"iteration", "has_tool_calls", "duration_ms", "error_count", "completed", "reason"}
)


def _event(turn: Turn, type_: str, now: datetime, data: Mapping[str, Any]) -> Event:
    return Event(type=type_, at=now, data=data, context=turn.context)


def _said(message_id: str, text: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    content = [text_part(text)] if text else []
    message = {"id": message_id, "role": "assistant", "content": content}
    return {"message": message | ({"tool_calls": calls} if calls else {})}


def _user_message(turn: Turn, message_id: str, text: str) -> dict[str, Any]:
    message: dict[str, Any] = {"id": message_id, "role": "user", "content": [text_part(text)]}
    if turn.controls:
        message["controls"] = dict(turn.controls)
    return {"message": message}


def _cancelled(call: Call) -> dict[str, Any]:
    return {
        "tool_call_id": call.id,
        "tool_name": call.wish.name,
        "success": False,
        "status": "cancelled",
    }
