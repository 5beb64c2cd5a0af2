"""What each request costs at AWS, counted at the client (design 15)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.flows.aws_wire import Wire
from tests.parley import Parley, path_of, question


@pytest.fixture
def wire(parley: Parley) -> Iterator[Wire]:
    """The service's wire, with signing and API keys already in memory."""
    parley.ask(parley.open_session())
    with Wire(parley.services).tapped() as tapped:
        yield tapped


def asked(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """Ask in the session; the question's id."""
    request_id: str = parley.ask(session, **over).json["requestId"]
    return request_id


def test_a_poll_is_one_cheap_read_and_nothing_else(parley: Parley, wire: Wire) -> None:
    """Pending, answered and expired alike, once their rare notes are made."""
    session = parley.open_session()
    pending, answered = asked(parley, session), asked(parley, session)
    parley.respond(answered, "decline")
    parley.poll(session, answered)
    for request_id in (pending, answered):
        for _ in range(3):
            wire.reset()
            assert parley.poll(session, request_id).status == 200
            assert wire.seen == {"GetItem": 1}


def test_an_unknown_id_is_read_again_consistently_before_it_is_404(
    parley: Parley, wire: Wire
) -> None:
    session = parley.open_session()
    wire.reset()
    assert parley.poll(session, "h" + "x" * 32).status == 404
    assert wire.seen == {"GetItem": 2}
    wire.reset()
    assert parley.poll(session, "no.such/id").status == 404
    assert parley.poll(session, "a.b").status == 404
    assert not wire.seen, "what cannot be an id costs no read"


def test_what_cannot_be_an_id_costs_no_read_anywhere(parley: Parley, wire: Wire) -> None:
    """DynamoDB refuses keys over 2048 bytes; nobody's long path may become an error of ours."""
    wire.reset()
    for odd in ("x" * 3_000, "a.b", "%00", "%c3%a9"):
        assert parley.respond(odd, "decline").status == 404
        assert parley.http("DELETE", f"/api/v1/elicitations/{odd}").status == 404
        assert parley.http("GET", f"/api/v1/elicitations/{odd}").status == 404
        assert parley.http("GET", f"/api/v1/sessions/{odd}").status == 404
        assert parley.http("DELETE", f"/api/v1/sessions/{odd}").status == 404
    body = question(meta={"com.pulsemcp/session-id": "a b"})
    assert parley.http("POST", "/api/v1/elicitations", body).status == 404
    assert not wire.seen


def test_last_seen_is_written_at_most_once_a_minute(parley: Parley, wire: Wire) -> None:
    session = parley.open_session()
    request_id = asked(parley, session)
    wire.reset()
    for _ in range(60):
        parley.clock.turn(seconds=5)
        parley.poll(session, request_id)
    assert wire.seen == {"GetItem": 60, "UpdateItem": 5}


def test_the_receipt_is_written_once(parley: Parley, wire: Wire) -> None:
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.respond(request_id, "accept", {"confirm": True})
    wire.reset()
    for _ in range(5):
        parley.poll(session, request_id)
    assert wire.seen == {"GetItem": 5, "UpdateItem": 1}


def test_a_create_is_one_read_one_transaction_and_two_messages(parley: Parley, wire: Wire) -> None:
    session = parley.open_session()
    body, path = question(), path_of(session["env"]["ELICITATION_REQUEST_URL"])
    wire.reset()
    assert parley.http("POST", path, body, key=None).status == 201
    assert wire.seen == {"GetItem": 1, "TransactWriteItems": 1, "SendMessage": 2}
    parley.run_queue("notices")
    wire.reset()
    assert parley.http("POST", path, body, key=None).status == 200
    assert wire.seen == {"GetItem": 1, "TransactWriteItems": 1}, "a replay"


def test_a_refused_create_costs_at_most_one_read(parley: Parley, wire: Wire) -> None:
    """A bad body none; an ended session, a wrong token and an unknown one at most their look-up."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    wire.reset()
    assert parley.ask(session, message="").status == 422
    assert parley.ask(session, requestedSchema={"type": "array"}).status == 422
    assert parley.http("POST", path[:-2], question(), key=None).status == 401
    assert not wire.seen
    parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": "archived"})
    wire.reset()
    assert parley.ask(session).status == 409
    assert wire.seen == {"GetItem": 1}


def test_an_answer_is_two_reads_and_one_transaction(parley: Parley, wire: Wire) -> None:
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.respond("h" + "x" * 32, "decline")
    wire.reset()
    assert parley.respond(request_id, "accept", {"confirm": True}).status == 200
    assert wire.seen == {"GetItem": 2, "TransactWriteItems": 1}
    wire.reset()
    assert parley.respond(request_id, "decline").status == 409
    assert wire.seen == {"GetItem": 1}, "the loser is told from one read"


def test_a_key_is_looked_up_once_in_thirty_seconds(parley: Parley, wire: Wire) -> None:
    parley.open_session()
    parley.clock.turn(seconds=31)
    wire.reset()
    for _ in range(5):
        parley.http("GET", "/api/v1/sessions/nope")
    assert wire.seen["GetItem"] == 6


def test_cleanup_costs_what_is_due_and_not_what_exists(parley: Parley, wire: Wire) -> None:
    """Four indexed lists in four shards, then a read, a transaction and a message for each due."""
    sessions = [parley.open_session() for _ in range(4)]
    turns = itertools.cycle(sessions)

    def stored(many: int, **wish: float) -> None:
        at = (parley.clock.now + timedelta(**wish)).isoformat()
        for _ in range(many):
            asked(parley, next(turns), meta={"com.pulsemcp/expires-at": at})

    for _ in range(15):
        parley.respond(asked(parley, next(turns)), "decline")
    stored(10, days=7)
    parley.run_queue("notices")
    parley.mails()
    wire.reset()
    parley.clean_up()
    idle = dict(wire.seen)
    assert idle == {"Query": 16}, "nothing is due"
    stored(20, days=7)
    parley.run_queue("notices")
    wire.reset()
    parley.clean_up()
    assert dict(wire.seen) == idle, "three times as many rows, the same cost"
    stored(5, minutes=1)
    parley.run_queue("notices")
    parley.clock.turn(minutes=2)
    wire.reset()
    assert parley.clean_up()["expired"] == 5
    assert wire.seen == {"Query": 16, "GetItem": 5, "TransactWriteItems": 5, "SendMessage": 5}


def test_cleanup_looks_at_a_session_in_order_with_three_requests(
    parley: Parley, wire: Wire
) -> None:
    """And at most at 200 of them in one run."""
    session = parley.open_session()
    asked(parley, session)
    parley.run_queue("notices")
    parley.clock.turn(minutes=5)
    wire.reset()
    parley.clean_up()
    looks = 2  # this session and the fixture's
    assert wire.seen["GetItem"] == looks
    assert wire.seen["BatchGetItem"] == looks
    assert wire.seen["UpdateItem"] == looks
    assert wire.seen["TransactWriteItems"] == 0


def test_a_delivered_notice_is_two_writes_and_one_publish(parley: Parley, wire: Wire) -> None:
    parley.run_queue("notices")
    asked(parley, parley.open_session())
    wire.reset()
    parley.run_queue("notices")
    assert wire.seen == {"UpdateItem": 2, "GetItem": 1, "Publish": 1}
