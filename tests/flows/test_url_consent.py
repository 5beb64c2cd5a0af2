"""A decision on a card: its codes, its order, who may make it, and that one claim wins.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.domain.principal import Scope
from tests.flows.url_host import UrlHost

SECOND_HALF = [
    "input.message",
    "tool.completed",
    "session.running",
    "reason.started",
    "output.message.completed",
    "reason.completed",
    "act.started",
    "tool.started",
    "tool.completed",
    "act.completed",
    "reason.started",
    "output.message.completed",
    "reason.completed",
    "turn.completed",
    "session.idled",
]


def test_accept_repeats_the_call_and_its_result_arrives(host: UrlHost) -> None:
    """23, 45, 46, 50, 51, 52, 53, 57, 58, 59, 60."""
    session, (card,) = host.paused(arguments={"month": "2026-08"})
    before = len(host.events(session))
    host.acme.done = True
    got = host.consent(session, card)
    assert (got.status, got.json) == (200, {"host": "pay.acme.example", "status": "active"})
    assert host.status(session) == "active"
    host.work()
    assert host.status(session) == "idle"
    assert host.types(session)[before:] == SECOND_HALF
    first, again = host.results(session)
    assert again["success"] is True
    assert again["result"] == [{"type": "text", "text": "the report"}]
    assert again["structured_content"] == {"revenue": 1204300}
    assert first["tool_call_id"] != again["tool_call_id"]
    one, two = host.acme.of("report")
    assert two["arguments"] == one["arguments"] == {"month": "2026-08"}
    assert two["inputResponses"] == {"api_key": {"action": "accept"}}
    assert two["requestState"] == host.acme.states[0]
    ids = [asked.json["id"] for asked in host.upstream.messages("tools/call")]
    assert len(set(ids)) == 2
    assert host.types(session).count("turn.started") == 1
    assert "the report" in host.said(session)[-1][1]


def test_decline_goes_on_without_the_tool(host: UrlHost) -> None:
    """24, 25, 46, 48, 69: nothing is recorded, nothing is sent to the server."""
    session, (card,) = host.paused()
    got = host.consent(session, card, "decline")
    assert (got.status, got.json) == (200, {"host": "pay.acme.example", "status": "active"})
    assert host.consent_rows(session) == []
    host.work()
    assert host.status(session) == "idle"
    assert len(host.acme.of("report")) == 1
    role, text = host.said(session)[2]
    assert role == "user"
    assert "not to open" in text
    (told,) = host.confirmations(session)
    assert (told["success"], told["status"], told["action"]) == (True, "success", "decline")


def test_accept_is_recorded_until_it_is_used(host: UrlHost) -> None:
    """25, 42, 70: in the transaction of the decision, for server, tool, origin and arguments."""
    session, (card,) = host.paused()
    host.consent(session, card)
    (row,) = host.consent_rows(session)
    binding = json.loads(row["binding"]["S"])
    assert (binding["server"], binding["tool"]) == ("acme", "report")
    assert binding["origin"] == "https://pay.acme.example:443"
    host.work()
    assert host.consent_rows(session) == []


def test_the_decision_is_spoken_without_internal_names(host: UrlHost) -> None:
    """45, 46, 47."""
    session, (card,) = host.paused()
    host.consent(session, card)
    spoken, done = host.events(session)[-3:-1]
    assert spoken["type"] == "input.message"
    text = spoken["data"]["message"]["content"][0]["text"]
    assert "pay.acme.example" in text
    assert card not in text
    assert "mcp_acme__report" not in text
    assert done["data"]["tool_call_id"] == card
    assert json.loads(done["data"]["result"][0]["text"])["action"] == "accept"


def test_the_decision_inherits_the_messages_controls(host: UrlHost) -> None:
    """49."""
    session = host.session()
    host.post(session, "report", controls={"model_id": "model_x"})
    host.work()
    host.consent(session, host.asked(session)[0]["id"])
    messages = [event["data"]["message"] for event in host.events(session, "input.message")]
    assert [message["controls"] for message in messages] == [{"model_id": "model_x"}] * 2


def test_an_unknown_call_is_not_found_while_the_session_waits(host: UrlHost) -> None:
    """26, 27: the id of the tool's own call is no card."""
    session, _ = host.paused()
    for wrong in ("url_elicitation_nope", host.results(session)[0]["tool_call_id"]):
        got = host.consent(session, wrong)
        assert (got.status, got.code) == (404, "not_found")
    assert host.consent_rows(session) == []
    assert host.status(session) == "waiting_for_tool_results"


def test_a_session_that_does_not_wait_is_a_conflict_whatever_the_id(host: UrlHost) -> None:
    """28."""
    session = host.session()
    got = host.consent(session, "url_elicitation_nope")
    assert (got.status, got.code) == (409, "not_waiting")


def test_the_second_post_comes_too_late(host: UrlHost) -> None:
    """29."""
    session, (card,) = host.paused()
    host.acme.done = True
    assert host.consent(session, card).status == 200
    assert host.consent(session, card).status == 409
    host.work()
    assert host.types(session).count("reason.started") == 3


def test_an_answered_card_is_not_found_while_another_waits(host: UrlHost) -> None:
    """34, 65, 71: the server is not satisfied, so there is a new card; the old consent is gone."""
    session, (old,) = host.paused()
    host.consent(session, old)
    host.work()
    (new,) = [call["id"] for call in host.asked(session)]
    assert new != old
    assert host.consent(session, old).status == 404
    assert host.consent_rows(session) == []
    assert host.consent(session, new).status == 200


def test_a_timed_out_card_is_not_found_while_another_waits(host: UrlHost) -> None:
    """35."""
    session, (old,) = host.paused()
    host.parley.clock.turn(seconds=301)
    host.parley.clean_up()
    host.work()
    host.post(session, "report")
    host.work()
    assert host.status(session) == "waiting_for_tool_results"
    assert host.consent(session, old).status == 404


def test_a_card_belongs_to_its_session(host: UrlHost) -> None:
    """36, 80."""
    _, (card,) = host.paused()
    other, _ = host.paused()
    assert host.consent(other, card).status == 404


def test_only_the_decision_counts_of_the_body(host: UrlHost) -> None:
    """37."""
    session, (card,) = host.paused()
    got = host.consent(
        session, card, host="evil.example", server="evil", url="https://evil.example"
    )
    assert got.json["host"] == "pay.acme.example"
    assert "evil" not in json.dumps(host.events(session))


@pytest.mark.parametrize("body", [{}, {"action": "cancel"}, {"action": "acept"}, {"action": None}])
def test_a_body_that_decides_nothing_changes_nothing(host: UrlHost, body: dict[str, str]) -> None:
    """38."""
    session, (card,) = host.paused()
    path = f"/api/v1/sessions/{session}/mcp-elicitation-consent"
    assert host.parley.http("POST", path, {"tool_call_id": card, **body}).status == 422
    assert host.parley.http("POST", path, {"action": "accept"}).status == 422  # 39
    assert host.status(session) == "waiting_for_tool_results"


def test_a_reader_may_not_decide_and_learns_nothing(host: UrlHost) -> None:
    """40."""
    session, (card,) = host.paused()
    reader = host.parley.new_key("reader", Scope.READ)
    got = host.consent(session, card, key=reader)
    assert got.status == 403
    assert not any(word in got.text for word in ("acme", "report", URLS_HOST))
    assert host.status(session) == "waiting_for_tool_results"


URLS_HOST = "pay.acme"


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_another_host_does_not_learn_that_the_session_exists(host: UrlHost, action: str) -> None:
    """7, 41."""
    session, (card,) = host.paused()
    before = host.types(session)
    stranger = host.parley.new_key("stranger", Scope.HOST)
    got = host.consent(session, card, action, key=stranger)
    assert (got.status, got.code) == (404, "not_found")
    assert "acme" not in got.text
    for method, path in [
        ("POST", "messages"),
        ("GET", "messages"),
        ("POST", "cancel"),
        ("GET", "sse?wait=0"),
    ]:
        body = None
        if path == "messages" and method == "POST":
            body = {"message": {"role": "user", "content": [{"type": "text", "text": "x"}]}}
        url = f"/api/v1/sessions/{session}/{path}"
        assert host.parley.http(method, url, body, key=stranger).status == 404, path
    assert host.types(session) == before


def test_an_answerer_may_decide(host: UrlHost) -> None:
    session, (card,) = host.paused()
    answerer = host.parley.new_key("Ann", Scope.ANSWER)
    assert host.consent(session, card, key=answerer).status == 200


def test_two_cards_are_decided_each_on_its_own(host: UrlHost) -> None:
    """44."""
    session, (one, two) = host.paused("report", "report")
    host.acme.done = True
    assert host.consent(session, one, "decline").status == 200
    assert host.status(session) == "waiting_for_tool_results"
    assert host.work() == 0
    assert host.consent(session, two).status == 200
    host.work()
    assert host.status(session) == "idle"
    assert len(host.acme.of("report")) == 3


def test_a_declined_page_is_not_shown_again_in_the_turn(host: UrlHost) -> None:
    """48: another call that leads there gets the payload with `declined`."""
    session, (one, two) = host.paused("report", "report")
    host.consent(session, one, "decline")
    host.consent(session, two)
    host.work()
    assert host.status(session) == "idle"
    last = json.loads(host.results(session)[-1]["result"][0]["text"])
    assert last["declined"] is True


def test_of_fifty_concurrent_decisions_one_wins(host: UrlHost) -> None:
    """30, 31: and what follows is the winner's."""
    session, (card,) = host.paused()
    host.acme.done = True
    actions = ["accept", "decline"] * 25
    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(lambda action: host.consent(session, card, action), actions))
    assert Counter(one.status for one in got) == {200: 1, 409: 49}
    won = actions[[one.status for one in got].index(200)]
    (told,) = host.confirmations(session)
    assert told["action"] == won
    host.work()
    assert len(host.acme.of("report")) == (2 if won == "accept" else 1)
    assert host.types(session).count("turn.completed") == 1


def test_decision_and_deadline_race_to_one_outcome(host: UrlHost) -> None:
    """32, 103."""
    session, (card,) = host.paused()
    host.acme.done = True

    def decide() -> int:
        return host.consent(session, card).status

    def ring() -> int:
        host.ring(session, card)
        return 0

    host.parley.clock.turn(seconds=299.999)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(job) for job in [decide, ring] * 4]
        host.parley.clock.turn(seconds=0.001)
        statuses = [job.result() for job in jobs]
    assert len(host.confirmations(session)) == 1
    accepted = host.confirmations(session)[0]["action"] == "accept"
    assert statuses.count(200) == int(accepted)
    host.work()
    assert host.status(session) == "idle"


def test_decision_and_new_message_race_to_one_outcome(host: UrlHost) -> None:
    """33."""
    session, (card,) = host.paused()
    with ThreadPoolExecutor(2) as pool:
        decision = pool.submit(host.consent, session, card, "decline")
        message = pool.submit(host.post, session, "plain")
        statuses = (decision.result().status, message.result().status)
    assert statuses in {(200, 409), (409, 201)}
    (told,) = host.confirmations(session)
    assert told["action"] == ("decline" if statuses[0] == 200 else "cancelled")
    host.work()
    assert host.status(session) == "idle"
