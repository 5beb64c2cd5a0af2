"""An asker looks: 200 with one of five words, or the end of its round trip (zimmer 1.4, 2.2)."""

from __future__ import annotations

from typing import Any

from chalicelib.domain.principal import Scope
from chalicelib.usecases.commit import World
from tests.parley import JSON, Answer, Parley, instant, path_of, question

REQUEST_ID = "com.pulsemcp/request-id"
RESPONDED_AT = "com.pulsemcp/responded-at"


def row(parley: Parley, session: dict[str, Any]) -> dict[str, Any]:
    """The session's one question as its host reads it, without looking as the asker does."""
    got = parley.http("GET", f"/api/v1/sessions/{session['id']}/elicitations")
    [only] = got.json["elicitations"]
    found: dict[str, Any] = only
    return found


def test_a_pending_question_polls_pending(parley: Parley) -> None:
    """12, 38, 77: no content, the id, and no `responded-at`."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    got = parley.poll(session, request_id)
    assert got.status == 200
    assert got.json["action"] == "pending"
    assert "content" not in got.json
    assert got.json["_meta"][REQUEST_ID] == request_id
    assert RESPONDED_AT not in got.json["_meta"]


def test_an_answered_question_polls_its_answer_for_ever(parley: Parley) -> None:
    """18, 19, 22-24, 39, 40, 78: content with accept only; the same words on every poll."""
    session = parley.open_session()
    for action, content in (("accept", {"confirm": True}), ("decline", None), ("cancel", None)):
        request_id = parley.ask(session).json["requestId"]
        parley.respond(request_id, action, {"confirm": True})
        first = parley.poll(session, request_id)
        assert first.status == 200
        assert first.json["action"] == action
        assert first.json.get("content") == content
        assert instant(first.json["_meta"][RESPONDED_AT]) == parley.clock.now
        for _ in range(2):
            parley.clock.turn(days=2)
            assert parley.poll(session, request_id).json == first.json


def test_a_poll_past_the_deadline_expires_and_records_it(parley: Parley) -> None:
    """16, 17, 35, 79: lazy expiry, stored once, with the instant of it."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.clock.turn(minutes=60)
    at = parley.clock.now
    got = parley.poll(session, request_id)
    assert (got.status, got.json["action"]) == (200, "expired")
    assert instant(got.json["_meta"][RESPONDED_AT]) == at
    assert "content" not in got.json
    parley.clock.turn(hours=1)
    assert parley.poll(session, request_id).json == got.json


def test_a_poll_leaves_the_unexpired_and_the_answered_alone(parley: Parley) -> None:
    """36, 37."""
    session = parley.open_session()
    live, answered = (parley.ask(session).json["requestId"] for _ in range(2))
    parley.respond(answered, "decline")
    parley.clock.turn(minutes=59, seconds=59)
    assert parley.poll(session, live).json["action"] == "pending"
    parley.clock.turn(minutes=2)
    assert parley.poll(session, answered).json["action"] == "decline"


UNKNOWN = [
    "nope",
    "1",
    "5b0c2f9e-7f0a-4d61-9c1e-000000000000",
    "a.b",
    "%2e%2e",
    "%00",
    "%c3%a9",
    "x" * 3000,
]


def test_an_unknown_id_is_404(parley: Parley) -> None:
    """80, 84: also one that could be a database's own number."""
    session = parley.open_session()
    for unknown in UNKNOWN:
        for got in (
            parley.poll(session, unknown),
            parley.http("GET", f"/api/v1/elicitations/{unknown}"),
        ):
            assert (got.status, got.code) == (404, "not_found"), unknown


def test_another_sessions_question_is_as_unknown_as_none(parley: Parley) -> None:
    """104: the answers do not differ in a byte."""
    mine, other = parley.open_session(), parley.open_session()
    request_id = parley.ask(other).json["requestId"]
    got = parley.poll(mine, request_id)
    assert got.status == 404
    assert got.text == parley.poll(mine, "nope").text


def test_a_host_key_polls_its_own_sessions_questions_only(parley: Parley) -> None:
    """102, 106."""
    one, two = parley.new_key("one", Scope.HOST), parley.new_key("two", Scope.HOST)
    session = parley.http("POST", "/api/v1/sessions", {}, key=one).json
    request_id = parley.ask(session).json["requestId"]
    path = f"/api/v1/elicitations/{request_id}"
    assert parley.http("GET", path, key=one).status == 200
    assert parley.http("GET", path, key=two).status == 404
    assert parley.http("GET", path, key=None).status == 401


def test_a_get_with_a_json_content_type_and_no_body_is_a_poll(parley: Parley) -> None:
    """D3: so the protocol's clients send it."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    path = f"{path_of(session['env']['ELICITATION_POLL_URL'])}/{request_id}"
    for kind in (JSON, "application/json; charset=utf-8", "text/plain", "garbage"):
        got = parley.http("GET", path, key=None, headers={"content-type": kind})
        assert got.status == 200, kind


def test_accept_headers_never_stop_a_poll(parley: Parley) -> None:
    """A poll speaks JSON, whatever the client says it wants."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    path = f"{path_of(session['env']['ELICITATION_POLL_URL'])}/{request_id}"
    for accept in ("*/*", "text/html", "image/png", "application/octet-stream", ""):
        got = parley.http("GET", path, key=None, headers={"accept": accept})
        assert got.json["action"] == "pending", accept


def test_head_looks_without_a_body(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    got = parley.http(
        "HEAD", f"{path_of(session['env']['ELICITATION_POLL_URL'])}/{request_id}", key=None
    )
    assert (got.status, got.text) == (200, "")


def test_a_strong_request_id_polls_as_the_client_sent_it(parley: Parley) -> None:
    """D4: a client that ignores `requestId` polls with the UUID that it made."""
    session = parley.open_session()
    body = question()
    parley.http("POST", path_of(session["env"]["ELICITATION_REQUEST_URL"]), body, key=None)
    assert parley.poll(session, body["_meta"][REQUEST_ID]).status == 200


def test_the_receipt_is_stamped_by_the_first_poll_that_carries_the_outcome(parley: Parley) -> None:
    """Issue 3, receipts: pending polls do not stamp it, later ones do not move it."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.poll(session, request_id)
    parley.respond(request_id, "accept", {"confirm": True})
    assert "receipt_at" not in row(parley, session)
    parley.clock.turn(seconds=3)
    read_at = parley.clock.now
    parley.poll(session, request_id)
    parley.clock.turn(minutes=3)
    parley.poll(session, request_id)
    assert instant(row(parley, session)["receipt_at"]) == read_at


def test_the_askers_polls_are_noted_at_most_once_a_minute(parley: Parley) -> None:
    """D20: what tells a silent asker from a waiting one."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    for _ in range(11):
        parley.clock.turn(seconds=5)
        parley.poll(session, request_id)
    assert "asker_last_seen_at" not in row(parley, session)
    parley.clock.turn(seconds=5)
    parley.poll(session, request_id)
    noted = parley.clock.now
    parley.clock.turn(seconds=59)
    parley.poll(session, request_id)
    assert instant(row(parley, session)["asker_last_seen_at"]) == noted


class Held:
    """A poll's waiting, on the test's clock; `then` happens during the wait."""

    def __init__(self, parley: Parley) -> None:
        self.parley, self.waited, self.then = parley, 0.0, dict[float, Any]()
        world = parley.services.world
        parley.services.world = World(world.store, world.clock, world.new_id, self)

    def __call__(self, seconds: float) -> None:
        self.waited += seconds
        self.parley.clock.turn(seconds=seconds)
        for at in [at for at in self.then if at <= self.waited]:
            self.then.pop(at)()

    def poll(self, session: dict[str, Any], request_id: str, wait: str) -> Answer:
        """A poll with `?wait=`."""
        self.waited = 0.0
        return self.parley.poll(session, request_id, f"?wait={wait}")


def test_wait_holds_a_poll_until_the_answer_comes(parley: Parley) -> None:
    """Design 6: the answer is told within half a second of being recorded, not after the wait."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    held = Held(parley)
    held.then[3.0] = lambda: parley.respond(request_id, "accept", {"confirm": True})
    got = held.poll(session, request_id, "20")
    assert got.json["action"] == "accept"
    assert 3.0 <= held.waited < 3.5


def test_wait_holds_a_poll_past_the_deadline_to_tell_of_the_expiry(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.clock.turn(minutes=59, seconds=55)
    held = Held(parley)
    assert held.poll(session, request_id, "20").json["action"] == "expired"
    assert held.waited < 6


def test_wait_is_from_0_to_20_seconds_and_never_an_error(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    held = Held(parley)
    for wait, seconds in {
        "5": 5,
        "20": 20,
        "21": 20,
        "9999": 20,
        "0": 0,
        "-1": 0,
        "x": 0,
        "1e9": 0,
        "": 0,
    }.items():
        got = held.poll(session, request_id, wait)
        assert (got.status, got.json["action"]) == (200, "pending")
        assert seconds <= round(held.waited, 3) < seconds + 0.5, wait
