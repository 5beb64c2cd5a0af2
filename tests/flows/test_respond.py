"""A person answers: one answer, checked, before the deadline, and who gave it (zimmer 2.3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from chalicelib.domain.principal import Scope
from tests.parley import Parley, instant

RESPONDED_AT = "com.pulsemcp/responded-at"


@pytest.fixture
def asked(parley: Parley) -> tuple[dict[str, Any], str]:
    """A session with one question waiting, and its id."""
    session = parley.open_session()
    return session, parley.ask(session).json["requestId"]


def test_accept_is_answered_with_what_the_asker_will_read(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """18, 81."""
    session, request_id = asked
    got = parley.respond(request_id, "accept", {"confirm": True})
    assert got.status == 200
    assert got.json["requestId"] == request_id
    assert got.json["action"] == "accept"
    assert got.json["content"] == {"confirm": True}
    assert instant(got.json["_meta"][RESPONDED_AT]) == parley.clock.now
    assert parley.poll(session, request_id).json == {
        name: value for name, value in got.json.items() if name != "requestId"
    }


def test_content_of_a_refusal_is_dropped(parley: Parley) -> None:
    """19, 22, 23, 85, 93: not even looked at, so that refusing can never fail over a field."""
    session = parley.open_session()
    for action in ("decline", "cancel"):
        request_id = parley.ask(session).json["requestId"]
        got = parley.respond(request_id, action, {"confirm": "not a boolean", "more": 1})
        assert got.status == 200
        assert "content" not in got.json
        assert "content" not in parley.poll(session, request_id).json


def test_only_three_words_are_an_action(parley: Parley, asked: tuple[dict[str, Any], str]) -> None:
    """21, 92: the question stays pending."""
    session, request_id = asked
    words: list[Any] = ["expired", "pending", "ACCEPT", "approve", "", None, 1, ["accept"]]
    for word in words:
        got = parley.respond(request_id, word, {"confirm": True})
        assert got.status == 422, word
        assert got.json["error"]["fields"][0]["path"] == "action_type"
    assert parley.poll(session, request_id).json["action"] == "pending"


def test_the_protocols_own_word_action_is_not_action_type(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    path = f"/api/v1/elicitations/{asked[1]}/respond"
    got = parley.http("PATCH", path, {"action": "accept"})
    assert (got.status, got.json["error"]["fields"][0]["path"]) == (422, "action_type")


def test_without_a_good_key_nothing_is_answered(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """88, 89."""
    session, request_id = asked
    for key in (None, "", "wrong", "parley_abcdefghijkl_" + "x" * 43, parley.key[:-1] + "!"):
        got = parley.respond(request_id, "accept", {"confirm": True}, key=key)
        assert (got.status, got.code) == (401, "unauthenticated"), key
        assert "www-authenticate" in got.headers
    assert parley.poll(session, request_id).json["action"] == "pending"


def test_a_key_without_the_answer_scope_cannot_answer(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """2 of the weaknesses: the host that runs the agent is not the person who approves."""
    session, request_id = asked
    for scope in (Scope.HOST, Scope.READ):
        key = parley.new_key("someone", scope)
        got = parley.respond(request_id, "accept", {"confirm": True}, key=key)
        assert (got.status, got.code) == (403, "forbidden")
    assert parley.poll(session, request_id).json["action"] == "pending"


def test_the_asker_cannot_answer_itself(parley: Parley, asked: tuple[dict[str, Any], str]) -> None:
    """108: its token reaches no respond, as a key neither."""
    session, request_id = asked
    url = session["env"]["ELICITATION_REQUEST_URL"]
    token = url.rpartition("/")[2]
    body = {"action_type": "accept", "content": {"confirm": True}}
    by_path = parley.http(
        "PATCH", f"/api/v1/elicitations/session/{token}/{request_id}/respond", body
    )
    assert by_path.status == 404
    by_method = parley.http(
        "PATCH", f"/api/v1/elicitations/session/{token}/{request_id}", body, key=None
    )
    assert by_method.status == 405
    assert parley.respond(request_id, "accept", {"confirm": True}, key=token).status == 401
    assert parley.poll(session, request_id).json["action"] == "pending"


def test_an_unknown_question_is_404(parley: Parley) -> None:
    """82, 83, 90: no numeric keys here; the envelope says what is wrong."""
    for unknown in ("nope", "1", "a.b", "%2e%2e", "%20", "%c3%a9", "x" * 3000):
        for got in (
            parley.respond(unknown, "accept", {"confirm": True}),
            parley.http("DELETE", f"/api/v1/elicitations/{unknown}"),
        ):
            assert (got.status, got.code) == (404, "not_found"), unknown
            assert isinstance(got.json["error"]["message"], str)


def test_a_second_answer_is_told_the_first_and_changes_nothing(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """20, 91: 409 carrying the winner."""
    session, request_id = asked
    parley.respond(request_id, "accept", {"confirm": True})
    before = parley.poll(session, request_id).json
    for action, content in (("decline", None), ("cancel", None), ("accept", {"confirm": False})):
        got = parley.respond(request_id, action, content)
        assert (got.status, got.code) == (409, "already_answered")
        assert got.json["error"]["details"]["action"] == "accept"
        assert got.json["error"]["details"]["content"] == {"confirm": True}
    assert parley.poll(session, request_id).json == before
    assert parley.session(session["id"])["version"] == len(parley.events(session["id"]))


def test_the_same_answer_again_by_the_same_actor_is_the_same_success(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """Design 6: a caller that lost the acknowledgement may repeat."""
    _, request_id = asked
    first = parley.respond(request_id, "accept", {"confirm": True})
    parley.clock.turn(seconds=30)
    again = parley.respond(request_id, "accept", {"confirm": True})
    assert (again.status, again.json) == (200, first.json)
    other = parley.new_key("somebody else", Scope.ANSWER)
    assert parley.respond(request_id, "accept", {"confirm": True}, key=other).status == 409


def test_an_answer_at_or_after_the_deadline_is_refused_and_the_question_expires(
    parley: Parley,
) -> None:
    """D6: 410 with what happened; never an accept on the record."""
    for late in ({"minutes": 60}, {"minutes": 60, "milliseconds": 1}, {"days": 3}):
        session = parley.open_session()
        request_id = parley.ask(session).json["requestId"]
        parley.clock.turn(**late)
        got = parley.respond(request_id, "accept", {"confirm": True})
        assert (got.status, got.code) == (410, "deadline_passed")
        assert got.json["error"]["details"]["action"] == "expired"
        assert parley.poll(session, request_id).json["action"] == "expired"


def test_an_answer_a_millisecond_before_the_deadline_counts(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """D7."""
    session, request_id = asked
    parley.clock.turn(minutes=60, milliseconds=-1)
    assert parley.respond(request_id, "accept", {"confirm": True}).status == 200
    parley.clock.turn(milliseconds=1)
    assert parley.poll(session, request_id).json["action"] == "accept"


def test_the_clock_is_inside_the_condition(parley: Parley) -> None:
    """D6, D7: the deadline may pass between any two steps of an answer; none is recorded late."""
    session = parley.open_session()

    def later() -> datetime:
        parley.clock.turn(milliseconds=1)
        return parley.clock.now

    slow = parley.configured()
    slow.services.clock = later
    statuses = []
    for left in range(1, 9):
        request_id = parley.ask(session).json["requestId"]
        parley.clock.turn(minutes=60, milliseconds=-left)
        got = slow.respond(request_id, "accept", {"confirm": True})
        statuses.append(got.status)
        if got.status == 200:
            meta = got.json["_meta"]
            assert meta[RESPONDED_AT] < meta["com.pulsemcp/expires-at"]
        else:
            assert (got.status, got.json["error"]["details"]["action"]) == (410, "expired")
    assert set(statuses) == {200, 410}, "both sides of the edge"


def test_who_answered_and_how_is_recorded(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """3 of the weaknesses."""
    session, request_id = asked
    key = parley.new_key("alice", Scope.ANSWER)
    assert parley.respond(request_id, "decline", key=key).status == 200
    [row] = parley.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").json[
        "elicitations"
    ]
    assert row["answered_by"] == {"name": "alice", "channel": "api"}
    answered = parley.events(session["id"])[-2]
    assert answered["type"] == "elicitation.answered"
    assert answered["data"] == {
        "request_id": request_id,
        "action": "decline",
        "by": "alice",
        "channel": "api",
        "after_ms": 0,
    }


def test_a_withdrawn_question_cannot_be_answered(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """Issue 3, withdraw: 410 with the reason; the asker reads `cancel`."""
    session, request_id = asked
    path = session["env"]["ELICITATION_REQUEST_URL"].partition("/api")[2]
    got = parley.http("DELETE", f"/api{path}/{request_id}", {"reason": "not needed"}, key=None)
    assert got.status == 200
    late = parley.respond(request_id, "accept", {"confirm": True})
    assert (late.status, late.code) == (410, "withdrawn")
    assert late.json["error"]["details"]["reason"] == "not needed"
    polled = parley.poll(session, request_id).json
    assert (polled["action"], polled["_meta"]["com.parley/reason"]) == ("cancel", "not needed")
    again = parley.http("DELETE", f"/api{path}/{request_id}", key=None)
    assert again.status == 200


def test_an_answered_question_cannot_be_withdrawn(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    """Whoever is first decides; the asker learns what."""
    session, request_id = asked
    parley.respond(request_id, "accept", {"confirm": True})
    path = session["env"]["ELICITATION_REQUEST_URL"].partition("/api")[2]
    got = parley.http("DELETE", f"/api{path}/{request_id}", key=None)
    assert (got.status, got.code) == (409, "already_answered")
    assert got.json["error"]["details"]["content"] == {"confirm": True}
    by_host = parley.http("DELETE", f"/api/v1/elicitations/{request_id}")
    assert by_host.status == 409


def test_a_host_withdraws_its_own_questions_only(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    session, request_id = asked
    other = parley.new_key("other", Scope.HOST)
    path = f"/api/v1/elicitations/{request_id}"
    assert parley.http("DELETE", path, key=other).status == 404
    assert parley.http("DELETE", path, key=None).status == 401
    assert parley.poll(session, request_id).json["action"] == "pending"
    assert parley.http("DELETE", path).status == 200
    assert parley.poll(session, request_id).json["action"] == "cancel"
