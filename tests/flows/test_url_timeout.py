"""Nobody decides in time, the host changes its mind, or cancels.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.flows.url_host import UrlHost, url_host
from tests.parley import Parley, instant


@pytest.mark.parametrize(
    ("variable", "seconds"), [(None, 300), ("45", 45), ("garbage", 300), ("-5", 300)]
)
def test_a_card_waits_as_long_as_the_operator_says(
    parley: Parley, kms_key: str, variable: str | None, seconds: int
) -> None:
    """96, 97."""
    environ = {} if variable is None else {"TOOL_RESULT_TIMEOUT_SECS": variable}
    with url_host(parley, kms_key, **environ) as host:
        session, _ = host.paused()
        until = instant(host.asked(session)[0]["arguments"]["expires_at"])
        assert until == host.parley.clock.now + timedelta(seconds=seconds)


def test_before_the_deadline_nothing_happens(host: UrlHost) -> None:
    """98."""
    session, (card,) = host.paused()
    host.parley.clock.turn(seconds=299.999)
    host.ring(session, card)
    host.parley.clean_up()
    assert host.status(session) == "waiting_for_tool_results"


@pytest.mark.parametrize("by", ["timer", "cleanup"])
def test_at_the_deadline_every_card_times_out_and_the_turn_goes_on(host: UrlHost, by: str) -> None:
    """99, 100, 101, 102, 105."""
    session, cards = host.paused("report", "report")
    host.parley.clock.turn(seconds=300)
    if by == "timer":
        for card in cards:
            host.ring(session, card)
    else:
        assert host.parley.clean_up()["cards_timed_out"] == 2
    told = host.confirmations(session)
    assert sorted(one["tool_call_id"] for one in told) == sorted(cards)
    assert {(one["success"], one["status"]) for one in told} == {(False, "timeout")}
    assert host.consent_rows(session) == []
    assert host.types(session).count("input.message") == 1
    host.work()
    assert host.status(session) == "idle"
    assert len(host.acme.of("report")) == 2
    assert "Nobody confirmed" in host.said(session)[-1][1]
    late = host.consent(session, cards[0])
    assert (late.status, late.code) == (409, "not_waiting")


def test_a_timer_is_set_for_each_card(host: UrlHost) -> None:
    """And one for the end of the worker's lease."""
    host.paused("report", "report")
    found = host.parley.aws.sqs.get_queue_attributes(
        QueueUrl=host.parley.services.settings.timers_queue_url,
        AttributeNames=["ApproximateNumberOfMessagesDelayed"],
    )
    assert found["Attributes"]["ApproximateNumberOfMessagesDelayed"] == "3"


def test_a_decision_after_the_deadline_comes_too_late_even_before_the_timer(host: UrlHost) -> None:
    """102."""
    session, (card,) = host.paused()
    host.parley.clock.turn(seconds=300)
    assert host.consent(session, card).status == 409
    assert host.confirmations(session)[0]["status"] == "timeout"
    host.work()
    assert host.status(session) == "idle"


def test_ringing_again_changes_nothing(host: UrlHost) -> None:
    """103."""
    session, (card,) = host.paused()
    host.parley.clock.turn(seconds=301)
    for _ in range(3):
        host.ring(session, card)
        host.parley.clean_up()
    host.work()
    assert len(host.confirmations(session)) == 1
    assert host.types(session).count("turn.completed") == 1


def test_one_card_decided_one_timed_out(host: UrlHost) -> None:
    session, (one, _) = host.paused("report", "report")
    host.acme.done = True
    host.consent(session, one)
    host.parley.clock.turn(seconds=300)
    host.parley.clean_up()
    host.work()
    assert host.status(session) == "idle"
    assert host.results(session)[-1]["result"][0]["text"] == "the report"
    assert "Nobody confirmed" in host.said(session)[-1][1]


def test_a_message_while_paused_cancels_the_card_and_the_turn_goes_on_with_it(
    host: UrlHost,
) -> None:
    """112."""
    session, (card,) = host.paused()
    got = host.post(session, "plain", text="Never mind")
    assert got.status == 201
    assert got.json["turn_id"] == host.events(session, "turn.started")[0]["data"]["turn_id"]
    order = host.types(session)[-3:]
    assert order == ["tool.completed", "input.message", "session.running"]
    (told,) = host.confirmations(session)
    assert (told["success"], told["status"]) == (False, "cancelled")
    assert host.consent(session, card).status == 409
    host.work()
    assert host.status(session) == "idle"
    assert host.types(session).count("turn.started") == 1
    assert host.acme.calls[-1]["name"] == "plain"


def test_a_message_answers_with_its_place_in_the_journal(host: UrlHost) -> None:
    session = host.session()
    got = host.post(session, "plain", text="Hello")
    (event,) = host.events(session, "input.message")
    assert got.json["sequence"] == event["sequence"]
    assert got.json["id"] == event["data"]["message"]["id"]
    assert got.json["content"] == [{"type": "text", "text": "Hello"}]


def test_one_turn_at_a_time(host: UrlHost) -> None:
    session = host.session()
    assert host.post(session, "plain").status == 201
    second = host.post(session, "plain")
    assert (second.status, second.code) == (409, "turn_running")
    host.work()
    assert host.post(session, "plain").status == 201


def test_cancel_while_paused(host: UrlHost) -> None:
    """113."""
    session, (card,) = host.paused()
    path = f"/api/v1/sessions/{session}/cancel"
    assert host.parley.http("POST", path).json["status"] == "cancelled"
    assert host.status(session) == "idle"
    assert host.types(session)[-4:] == [
        "tool.completed",
        "turn.cancelled",
        "session.idled",
        "session.running",
    ]
    assert host.consent(session, card).status == 409
    assert host.parley.http("POST", path).json["status"] == "no_op"


def test_cancel_before_the_worker_comes(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain")
    host.parley.http("POST", f"/api/v1/sessions/{session}/cancel")
    host.work()
    assert host.acme.calls == []
    assert host.types(session)[-1] == "session.idled"


def test_cancel_in_the_middle_of_a_call_drops_its_result(host: UrlHost) -> None:
    session = host.session()
    host.acme.before = lambda asked: (
        host.parley.http("POST", f"/api/v1/sessions/{session}/cancel"),
        None,
    )[1]
    host.post(session, "plain", "plain")
    host.work()
    assert len(host.acme.calls) == 1
    assert host.status(session) == "idle"
    (told,) = host.results(session, "mcp_acme__plain")
    assert told["status"] == "cancelled"


def test_ending_the_session_ends_its_turn(host: UrlHost) -> None:
    session, (card,) = host.paused()
    got = host.parley.http("PATCH", f"/api/v1/sessions/{session}", {"status": "archived"})
    assert got.json["status"] == "archived"
    assert host.consent(session, card).status == 409
    assert host.confirmations(session)[0]["status"] == "cancelled"
    assert host.post(session, "plain").code == "session_ended"


def test_deleting_the_session_leaves_nothing_to_do(host: UrlHost) -> None:
    session, (card,) = host.paused()
    assert host.parley.http("DELETE", f"/api/v1/sessions/{session}").status == 204
    assert host.rows(session) == []
    host.ring(session, card)
    assert host.parley.clean_up()["cards_timed_out"] == 0


def test_a_call_of_a_server_that_is_not_there_fails_by_itself(host: UrlHost) -> None:
    session = host.session()
    calls = [{"server": "other", "tool": "x"}, {"server": "acme", "tool": "plain"}]
    message = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    path = f"/api/v1/sessions/{session}/messages"
    host.parley.http("POST", path, {"message": message, "calls": calls})
    host.work()
    assert host.results(session, "mcp_other__x")[0]["status"] == "error"
    assert host.results(session, "mcp_acme__plain")[0]["status"] == "success"


def test_a_session_reaches_only_the_servers_that_it_names(host: UrlHost) -> None:
    session = host.session(mcp_servers=["other"])
    host.post(session, "plain")
    host.work()
    assert host.acme.calls == []


def test_a_message_without_calls_has_an_answer(host: UrlHost) -> None:
    session = host.session()
    host.post(session)
    host.work()
    assert host.said(session)[-1][0] == "assistant"
    assert host.status(session) == "idle"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": {"role": "assistant", "content": [{"type": "text", "text": "x"}]}},
        {"message": {"role": "user", "content": []}},
        {"message": {"role": "user", "content": [{"type": "image", "text": "x"}]}},
        {
            "message": {"role": "user", "content": [{"type": "text", "text": "x"}]},
            "calls": [{"server": "acme"}],
        },
    ],
)
def test_a_message_that_is_none_is_refused(host: UrlHost, body: object) -> None:
    session = host.session()
    got = host.parley.http("POST", f"/api/v1/sessions/{session}/messages", body)
    assert got.status == 422
    assert host.types(session) == ["session.opened"]
