"""A turn's steps: what each tells, and which may follow."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from chalicelib.domain import turn_steps
from chalicelib.domain.cards import Card, CardStatus, cancel, time_out
from chalicelib.domain.cards import decide as decided
from chalicelib.domain.elicitation import Action
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.tool_results import ToolResult, text_part
from chalicelib.domain.turn import Call, CallState, Phase, ToolCall, Turn

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
WISH = ToolCall("acme", "report", {"month": "8"})
TURN = Turn(id="turn_1", session_id="session_1", message_id="message_1", created_at=NOW)
ANNA = Actor("Anna", Channel.API)
SECRET_URL = "https://pay.acme.example/connect?ref=secret"


def card(number: int) -> Card:
    return Card(
        call_id=f"url_elicitation_{number}",
        session_id="session_1",
        turn_id="turn_1",
        server="acme",
        tool="report",
        message="Please.",
        url=SECRET_URL,
        host="pay.acme.example",
        is_punycode=False,
        origin="https://pay.acme.example:443",
        arguments_digest="d",
        request_key="k",
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=5),
    )


def paused(cards: int = 1) -> Turn:
    call = Call(id="call_1", wish=WISH, state=CallState.ASKING, is_ok=True)
    acting = replace(TURN, phase=Phase.ACT, calls=(call,))
    opened = [("call_1", card(number)) for number in range(cards)]
    return turn_steps.finish_act(acting, opened, NOW)[0]


def test_the_first_reasoning_starts_the_turn_and_later_ones_do_not() -> None:
    first, told = turn_steps.start_reasoning(TURN, NOW)
    assert [event.type for event in told] == ["turn.started", "reason.started"]
    assert told[0].data == {"turn_id": "turn_1", "input_message_id": "message_1"}
    _, again = turn_steps.start_reasoning(replace(first, phase=Phase.REASON), NOW)
    assert [event.type for event in again] == ["reason.started"]


def test_a_call_that_is_begun_again_is_told_once() -> None:
    call = Call(id="call_1", wish=WISH)
    turn = replace(TURN, phase=Phase.ACT, calls=(call,))
    begun, told = turn_steps.start_call(turn, call, has_consent=False, now=NOW)
    assert [event.type for event in told] == ["tool.started"]
    again, told = turn_steps.start_call(begun, begun.call("call_1"), has_consent=False, now=NOW)
    assert told == ()
    assert again.call("call_1").attempts == 2


def test_an_act_with_cards_pauses_and_one_without_does_not() -> None:
    assert paused().phase is Phase.PAUSED
    assert paused(2).calls[0].cards == ("url_elicitation_0", "url_elicitation_1")
    assert turn_steps.finish_act(TURN, [], NOW)[0].phase is Phase.REASON


def test_the_turn_goes_on_after_the_last_card() -> None:
    one, two = card(0), card(1)
    yes = decided(one, Action.ACCEPT, ANNA, NOW)
    after, _ = turn_steps.decide_card(paused(2), yes, message_id="m", now=NOW)
    assert after.phase is Phase.PAUSED
    late = time_out(two, two.expires_at)
    after, _ = turn_steps.decide_card(after, late, message_id="m", now=NOW)
    assert after.phase is Phase.RESUME


def test_a_call_is_repeated_only_when_all_its_cards_were_accepted() -> None:
    yes = decided(card(0), Action.ACCEPT, ANNA, NOW)
    no = decided(card(1), Action.DECLINE, ANNA, NOW)
    half, _ = turn_steps.decide_card(paused(2), yes, message_id="m", now=NOW)
    mixed, _ = turn_steps.decide_card(half, no, message_id="m", now=NOW)
    assert turn_steps.retries(mixed, ["call_2"]) == ()
    accepted, _ = turn_steps.decide_card(paused(), yes, message_id="m", now=NOW)
    (again,) = turn_steps.retries(accepted, ["call_2"])
    assert (again.id, again.retry_of, again.wish) == ("call_2", "call_1", WISH)
    assert again.cards == ("url_elicitation_0",)


def test_a_person_speaks_and_the_clock_does_not() -> None:
    spoken = {
        CardStatus.ACCEPT: decided(card(0), Action.ACCEPT, ANNA, NOW),
        CardStatus.DECLINE: decided(card(0), Action.DECLINE, ANNA, NOW),
        CardStatus.TIMEOUT: time_out(card(0), NOW + timedelta(minutes=5)),
    }
    for status, after in spoken.items():
        turn, told = turn_steps.decide_card(paused(), after, message_id="m", now=NOW)
        types = [event.type for event in told]
        if status is CardStatus.TIMEOUT:
            assert types == ["tool.completed"]
            assert turn.notes
        else:
            assert types == ["input.message", "tool.completed"]
            assert told[0].context == {}


def test_a_declined_origin_is_remembered_for_the_turn() -> None:
    no = decided(card(0), Action.DECLINE, ANNA, NOW)
    turn, _ = turn_steps.decide_card(paused(), no, message_id="m", now=NOW)
    assert turn.refused == (("acme", "report", "https://pay.acme.example:443"),)


def test_the_completion_of_a_card_says_what_was_decided() -> None:
    yes = turn_steps.card_completion(decided(card(0), Action.ACCEPT, ANNA, NOW))
    said = json.loads(yes["result"][0]["text"])
    assert (said["action"], said["server"], said["host"]) == (
        "accept",
        "acme",
        "pay.acme.example",
    )
    gone = turn_steps.card_completion(cancel(card(0), NOW))
    assert (gone["success"], gone["status"]) == (False, "cancelled")


def test_a_log_holds_no_message_argument_result_or_address() -> None:
    call = Call(id="call_1", wish=ToolCall("acme", "report", {"pin": "hidden"}))
    turn, acts = turn_steps.start_act(TURN, [call], message_id="m", text="hidden", now=NOW)
    _, started = turn_steps.start_call(turn, call, has_consent=False, now=NOW)
    result = ToolResult(is_ok=False, content=(text_part("hidden"),), error="hidden")
    done, finished = turn_steps.finish_call(
        turn, call, result, asks=True, took=timedelta(0), now=NOW
    )
    _, asked = turn_steps.finish_act(done, [("call_1", card(0))], NOW)
    spoken = turn_steps.received(TURN, "hidden", NOW)
    _, said = turn_steps.say(TURN, "hidden", message_id="m", now=NOW)
    told = (spoken, *acts, *started, *finished, *asked, *said)
    logged = turn_steps.loggable(told)
    assert [event.type for event in logged] == [event.type for event in told]
    text = repr([event.data for event in logged])
    assert "hidden" not in text
    assert "secret" not in text


def test_an_ended_turn_keeps_nothing_of_what_was_said() -> None:
    turn, told = turn_steps.end(paused(), "turn.failed", {"reason": "x"}, NOW)
    assert turn.is_ended
    assert (turn.calls, turn.told, turn.worker) == ((), (), None)
    assert [event.type for event in told] == ["turn.failed", "session.idled"]
