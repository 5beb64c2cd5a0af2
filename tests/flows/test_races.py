"""Who is first decides: many callers at once, over real HTTP, on the real engine."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import pytest

from infra.local.server import HttpServer
from tests.parley import Answer, Parley, path_of, question

CALLERS = 50


@pytest.fixture
def port(parley: Parley) -> Iterator[int]:
    """The service on a socket, with a thread for every caller."""
    server = HttpServer("127.0.0.1", 0)
    server.serve(parley.gateway)
    yield server.port
    server.stop()


class Callers:
    """Callers that are all connected before the first of them speaks."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key

    def all(self, calls: list[tuple[str, str, Any]]) -> list[Answer]:
        """Make (method, path, body) calls at the same moment."""
        together = threading.Barrier(len(calls))

        def call(made: tuple[str, str, Any]) -> Answer:
            method, path, body = made
            connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            connection.connect()
            together.wait(30)
            text = None if body is None else json.dumps(body)
            headers = {"x-api-key": self._key, "content-type": "application/json"}
            connection.request(method, path, text, headers)
            got = connection.getresponse()
            read = got.read().decode()
            connection.close()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, read)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(call, calls))


@pytest.fixture
def callers(parley: Parley, port: int) -> Callers:
    """Callers with a key that may do everything."""
    return Callers(port, parley.key)


TEXT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def asked(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """Ask in the session; the question's id."""
    request_id: str = parley.ask(session, **over).json["requestId"]
    return request_id


def accept(request_id: str, number: int) -> tuple[str, str, Any]:
    """An answer with a content of its own."""
    body = {"action_type": "accept", "content": {"n": number}}
    return "PATCH", f"/api/v1/elicitations/{request_id}/respond", body


def told(parley: Parley, session: dict[str, Any]) -> Counter[str]:
    """How often each event stands in the session's journal, which has no gap."""
    events = parley.events(session["id"])
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert parley.session(session["id"])["version"] == len(events)
    return Counter(event["type"] for event in events)


def test_of_fifty_answers_at_once_exactly_one_counts(parley: Parley, callers: Callers) -> None:
    """D5: one 200; forty-nine 409 that carry the winner's answer; one event; one answer ever."""
    session = parley.open_session()
    request_id = asked(parley, session, requestedSchema=TEXT)
    got = callers.all([accept(request_id, number) for number in range(CALLERS)])
    assert Counter(answer.status for answer in got) == {200: 1, 409: CALLERS - 1}
    [winner] = [answer for answer in got if answer.status == 200]
    content = winner.json["content"]
    for answer in got:
        if answer.status == 409:
            assert answer.code == "already_answered"
            assert answer.json["error"]["details"]["content"] == content
    for _ in range(3):
        assert parley.poll(session, request_id).json["content"] == content
    assert told(parley, session)["elicitation.answered"] == 1
    assert parley.session(session["id"])["status"] == "running"


def test_every_kind_of_outcome_at_once_leaves_one(parley: Parley, callers: Callers) -> None:
    """D5: accept, decline, cancel and withdrawal from all sides; each loser hears the same."""
    session = parley.open_session()
    request_id = asked(parley, session, requestedSchema=TEXT)
    path = f"/api/v1/elicitations/{request_id}"
    calls: list[tuple[str, str, Any]] = []
    for number in range(6):
        calls += [
            accept(request_id, number),
            ("PATCH", f"{path}/respond", {"action_type": "decline"}),
            ("PATCH", f"{path}/respond", {"action_type": "cancel"}),
            ("DELETE", path, {"reason": "not needed"}),
        ]
    got = callers.all(calls)
    assert {answer.status for answer in got} <= {200, 409, 410}
    final = parley.poll(session, request_id).json
    for answer in got:
        said = answer.json if answer.status == 200 else answer.json["error"]["details"]
        assert said.get("action", said.get("status")) == final["action"]
    outcomes = told(parley, session)
    assert outcomes["elicitation.answered"] + outcomes["elicitation.withdrawn"] == 1


class EdgeClock:
    """A clock that passes a deadline while requests are under way: each look is later."""

    def __init__(self, parley: Parley, before_ms: int) -> None:
        self._parley, self._lock = parley, threading.Lock()
        parley.clock.turn(minutes=60, milliseconds=-before_ms)

    def __call__(self) -> Any:
        with self._lock:
            self._parley.clock.turn(milliseconds=1)
            return self._parley.clock.now


@pytest.mark.parametrize("before_ms", [10, 45, 80])
def test_answers_against_expiry_at_the_deadlines_edge(
    parley: Parley, before_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D5, D7: one outcome; whoever is too late is told it, 410 for the clock's and 409 for
    another's; and polls, timers and answers at the same moment agree."""
    session = parley.open_session()
    request_id = asked(parley, session, requestedSchema=TEXT)
    clock = EdgeClock(parley, before_ms)
    edge = parley.configured()
    edge.services.clock = clock
    server = HttpServer("127.0.0.1", 0)
    server.serve(edge.gateway)
    path = path_of(session["env"]["ELICITATION_POLL_URL"])
    calls = [accept(request_id, number) for number in range(20)]
    calls += [("GET", f"{path}/{request_id}", None) for _ in range(10)]
    got = Callers(server.port, edge.key).all(calls)
    server.stop()
    answers, polls = got[:20], got[20:]
    parley.clock.turn(minutes=1)
    final = parley.poll(session, request_id).json
    won = Counter(answer.status for answer in answers)
    if final["action"] == "accept":
        assert won == {200: 1, 409: 19}
        [winner] = [answer for answer in answers if answer.status == 200]
        assert winner.json["content"] == final["content"]
        meta = final["_meta"]
        assert meta["com.pulsemcp/responded-at"] < meta["com.pulsemcp/expires-at"]
    else:
        assert final["action"] == "expired"
        assert won == {410: 20}
    assert {answer.status for answer in polls} == {200}
    assert {answer.json["action"] for answer in polls} <= {"pending", final["action"]}
    outcomes = told(parley, session)
    assert outcomes["elicitation.answered"] + outcomes["elicitation.expired"] == 1


def test_of_fifty_creates_with_the_same_id_one_is_new(parley: Parley, callers: Callers) -> None:
    """3, 73, D9: one 201, forty-nine 200, one question, one event, one notice."""
    session = parley.open_session()
    path, body = path_of(session["env"]["ELICITATION_REQUEST_URL"]), question()
    got = callers.all([("POST", path, body)] * CALLERS)
    assert Counter(answer.status for answer in got) == {201: 1, 200: CALLERS - 1}
    assert len({answer.text for answer in got}) == 1
    listed = parley.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").json
    assert len(listed["elicitations"]) == 1
    assert told(parley, session)["elicitation.created"] == 1
    parley.run_queue("notices")
    assert len(parley.mails()) == 1


def test_of_creates_with_the_same_id_and_other_bodies_one_stands(
    parley: Parley, callers: Callers
) -> None:
    session = parley.open_session()
    path, body = path_of(session["env"]["ELICITATION_REQUEST_URL"]), question()
    got = callers.all([("POST", path, body | {"message": f"{number}?"}) for number in range(20)])
    assert Counter(answer.status for answer in got) == {201: 1, 409: 19}
    assert told(parley, session)["elicitation.created"] == 1


def test_creates_in_one_session_at_once_leave_a_journal_without_gaps(
    parley: Parley, callers: Callers
) -> None:
    """Issue 3, 1: none is refused for being many, none is lost, none is counted twice."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    got = callers.all([("POST", path, question()) for _ in range(16)])
    assert Counter(answer.status for answer in got) == {201: 16}
    counted = told(parley, session)
    assert counted == {"session.opened": 1, "elicitation.created": 16, "session.needs_input": 1}
    ids = [answer.json["requestId"] for answer in got]
    assert sorted(parley.session(session["id"])["live"]) == sorted(ids)
    body = {"action_type": "decline"}
    got = callers.all([("PATCH", f"/api/v1/elicitations/{each}/respond", body) for each in ids])
    assert Counter(answer.status for answer in got) == {200: 16}
    counted = told(parley, session)
    assert (counted["elicitation.answered"], counted["session.running"]) == (16, 1)
    assert parley.session(session["id"])["status"] == "running"


def test_patches_at_once_lose_no_key(parley: Parley, callers: Callers) -> None:
    """14 of the weaknesses, 171: concurrent writers of metadata keep each other's keys."""
    session = parley.open_session()
    path = f"/api/v1/sessions/{session['id']}"
    got = callers.all([("PATCH", path, {"metadata": {f"k{n}": n}}) for n in range(15)])
    assert Counter(answer.status for answer in got) == {200: 15}
    shown = parley.session(session["id"])
    assert shown["metadata"] == {f"k{n}": n for n in range(15)}
    told(parley, session)


def test_creates_against_the_end_of_their_session(parley: Parley, callers: Callers) -> None:
    """No question is left waiting in an archived session."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    end = ("PATCH", f"/api/v1/sessions/{session['id']}", {"status": "archived"})
    got = callers.all([("POST", path, question()) for _ in range(12)] + [end])
    assert {answer.status for answer in got} <= {200, 201, 409}
    for answer in got[:-1]:
        if answer.status == 201:
            polled = parley.poll(session, answer.json["requestId"]).json
            assert polled["action"] == "cancel"
    shown = parley.session(session["id"])
    assert (shown["status"], shown["live"]) == ("archived", [])
    told(parley, session)


def test_deliveries_at_once_publish_one_notice(parley: Parley) -> None:
    """SQS delivers at least once, and may do so to two functions at the same time."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.run_queue("timers")
    together = threading.Barrier(8)
    record = {"messageId": "m", "body": json.dumps({"key": request_id, "kind": "needs_input"})}

    def deliver(_: int) -> Any:
        from chalicelib.jobs import notices

        together.wait(10)
        return notices.deliver_notices({"Records": [record]}, parley.services)

    with ThreadPoolExecutor(8) as pool:
        assert all(not got["batchItemFailures"] for got in pool.map(deliver, range(8)))
    assert len(parley.mails()) == 1


def test_cleanups_timers_and_polls_at_once_expire_once(parley: Parley) -> None:
    """All three are the same conditional write."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=61)
    deeds: list[Callable[[], Any]] = [
        parley.clean_up,
        lambda: parley.ring(request_id),
        lambda: parley.poll(session, request_id),
        lambda: parley.session(session["id"]),
    ] * 3
    together = threading.Barrier(len(deeds))

    def do(deed: Callable[[], Any]) -> None:
        together.wait(10)
        deed()

    with ThreadPoolExecutor(len(deeds)) as pool:
        list(pool.map(do, deeds))
    assert told(parley, session)["elicitation.expired"] == 1
    parley.run_queue("notices")
    assert [mail["kind"] for mail in parley.mails()] == ["lost"]
