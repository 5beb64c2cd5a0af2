"""The service when AWS is not well: throttled, broken, silent, or deaf to its own success.

Faults are injected below the SDK (aws_wire.py), whose retries are real; only its pauses are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from tests.flows.aws_wire import FAULTS, Wire, throttled, timed_out, unacknowledged
from tests.parley import Answer, Parley, SharedServices, path_of, question

ATTEMPTS = 3
"""What the SDK makes of one request at most (`bootstrap.Services`)."""


class Impatient(SharedServices):
    """Services with clients of their own: what they go through is nobody else's."""

    _made: ClassVar[dict[tuple[str | None, str], Any]] = {}


@pytest.fixture
def service(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """A service whose SDK neither sleeps between attempts nor saves on them (its quota is for one
    client's lifetime; a test run has many times the faults of one)."""
    monkeypatch.setattr("botocore.retries.quota.RetryQuota.acquire", lambda *_: True)
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _seconds: None))
    services = Impatient(parley.environ, clock=parley.clock)
    return Parley(services, parley.aws, parley.clock, parley.mailbox, parley.environ)


@pytest.fixture
def wire(service: Parley) -> Iterator[Wire]:
    """The service's wire, warm: signing key and API key are in memory."""
    service.ask(service.open_session())
    service.respond("nope", "decline")
    service.run_queue("notices")
    service.mails()
    with Wire(service.services).tapped() as tapped:
        yield tapped


def try_again(got: Answer) -> None:
    """The one answer to trouble that a caller can mend by patience."""
    assert (got.status, got.code) == (503, "try_again"), got.text
    assert int(got.headers["retry-after"]) > 0
    assert len(got.text) < 200, "it may reach a model"


def degraded(got: Answer) -> None:
    """What a poll says when it could not look."""
    assert got.status == 200
    assert got.json == {"action": "pending", "_meta": {"com.parley/degraded": True}}


def test_a_poll_is_200_and_pending_while_the_table_fails(service: Parley, wire: Wire) -> None:
    """D1: any other answer ends the round trip for good; and it ends after a few attempts."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    service.respond(request_id, "accept", {"confirm": True})
    for fault in FAULTS.values():
        wire.fail("*", fault)
        for query in ("", "?wait=20"):
            wire.reset()
            degraded(service.poll(session, request_id, query))
            assert wire.seen == {"GetItem": ATTEMPTS}
    wire.mend()
    assert service.poll(session, request_id).json["action"] == "accept"


def test_a_bare_poll_is_as_patient(service: Parley, wire: Wire) -> None:
    """D1, with a key that is remembered and with one that cannot be looked up."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    wire.fail("*", throttled)
    degraded(service.http("GET", f"/api/v1/elicitations/{request_id}"))
    service.clock.turn(minutes=1)
    degraded(service.http("GET", f"/api/v1/elicitations/{request_id}"))


def test_the_rare_writes_of_a_poll_may_fail(service: Parley, wire: Wire) -> None:
    """D1: last seen and receipt are noted by a later poll; the answer is told all the same."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    wire.fail("UpdateItem", throttled)
    service.clock.turn(minutes=2)
    assert service.poll(session, request_id).json["action"] == "pending"
    service.respond(request_id, "accept", {"confirm": True})
    assert service.poll(session, request_id).json["content"] == {"confirm": True}
    wire.mend()
    service.clock.turn(seconds=5)
    service.poll(session, request_id)
    [row] = service.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").json[
        "elicitations"
    ]
    assert "receipt_at" in row


def test_an_expiry_that_cannot_be_recorded_is_not_told(service: Parley, wire: Wire) -> None:
    """D1, D5: `pending` is safe, for it may still be said that somebody answered."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    service.clock.turn(minutes=60)
    wire.fail("TransactWriteItems", throttled)
    degraded(service.poll(session, request_id))
    wire.mend()
    assert service.poll(session, request_id).json["action"] == "expired"


def test_a_cold_start_without_the_signing_key_still_polls(service: Parley) -> None:
    """D1: Secrets Manager is down; a create says so."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    cold = Parley(
        Impatient(service.environ, clock=service.clock),
        service.aws,
        service.clock,
        service.mailbox,
        service.environ,
    )
    with Wire(cold.services).tapped() as wire:
        wire.fail("GetSecretValue", timed_out)
        degraded(cold.poll(session, request_id))
        try_again(cold.ask(session))
        wire.mend()
        assert cold.poll(session, request_id).json["action"] == "pending"
        assert "com.parley/degraded" not in cold.poll(session, request_id).json["_meta"]


@pytest.mark.parametrize("operation", ["GetItem", "TransactWriteItems"])
def test_a_create_that_failed_can_be_repeated(service: Parley, wire: Wire, operation: str) -> None:
    """Issue 2: 503 with `Retry-After`; afterwards one question, one event, one notice."""
    session = service.open_session()
    path, body = path_of(session["env"]["ELICITATION_REQUEST_URL"]), question()
    for fault in FAULTS.values():
        wire.fail(operation, fault)
        wire.reset()
        try_again(service.http("POST", path, body, key=None))
        assert wire.seen[operation] == ATTEMPTS
    wire.mend()
    assert service.http("POST", path, body, key=None).status == 201
    once_only(service, session, "elicitation.created")


def test_an_answer_that_failed_can_be_repeated(service: Parley, wire: Wire) -> None:
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    for operation in ("GetItem", "TransactWriteItems"):
        for fault in FAULTS.values():
            wire.fail(operation, fault)
            try_again(service.respond(request_id, "accept", {"confirm": True}))
        wire.mend()
        assert service.poll(session, request_id).json["action"] == "pending"
    assert service.respond(request_id, "accept", {"confirm": True}).status == 200
    once_only(service, session, "elicitation.answered")


def once_only(service: Parley, session: dict[str, Any], event: str) -> None:
    """One event of this type in a journal without gaps, and one notice at most."""
    told = service.events(session["id"])
    assert [each["type"] for each in told].count(event) == 1
    assert [each["sequence"] for each in told] == list(range(1, len(told) + 1))
    service.run_queue("notices")
    assert len(service.mails()) <= 1


def test_a_winner_whose_acknowledgement_was_lost_is_told_that_it_won(
    service: Parley, wire: Wire
) -> None:
    """Design 5: the SDK repeats the transaction, and the rows refuse what they already hold."""
    for lost in (1, 2):
        session = service.open_session()
        wire.fail("TransactWriteItems", unacknowledged, times=lost)
        created = service.ask(session)
        assert created.status == 201
        request_id = created.json["requestId"]
        once_only(service, session, "elicitation.created")
        wire.fail("TransactWriteItems", unacknowledged, times=lost)
        got = service.respond(request_id, "accept", {"confirm": True})
        assert (got.status, got.json["content"]) == (200, {"confirm": True})
        once_only(service, session, "elicitation.answered")
        assert service.respond(request_id, "decline").status == 409


def test_a_create_whose_every_acknowledgement_was_lost_can_be_repeated(
    service: Parley, wire: Wire
) -> None:
    """The first attempt died before it told anybody: the replay sees to that at once."""
    session = service.open_session()
    path, body = path_of(session["env"]["ELICITATION_REQUEST_URL"]), question()
    wire.fail("TransactWriteItems", unacknowledged)
    try_again(service.http("POST", path, body, key=None))
    wire.mend()
    again = service.http("POST", path, body, key=None)
    assert (again.status, again.json["action"]) == (200, "pending")
    assert len(service.run_queue("notices")) == 1
    assert len(service.mails()) == 1
    once_only(service, session, "elicitation.created")


def test_an_answer_whose_every_acknowledgement_was_lost_can_be_repeated(
    service: Parley, wire: Wire
) -> None:
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    wire.fail("TransactWriteItems", unacknowledged)
    try_again(service.respond(request_id, "accept", {"confirm": True}))
    wire.mend()
    assert service.poll(session, request_id).json["action"] == "accept"
    assert service.respond(request_id, "accept", {"confirm": True}).status == 200
    once_only(service, session, "elicitation.answered")


def test_an_expiry_whose_acknowledgement_was_lost_stands(service: Parley, wire: Wire) -> None:
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    service.clock.turn(minutes=60)
    wire.fail("TransactWriteItems", unacknowledged, times=1)
    assert service.poll(session, request_id).json["action"] == "expired"
    told = [event["type"] for event in service.events(session["id"])]
    assert told.count("elicitation.expired") == 1


def test_sessions_can_be_opened_and_changed_again_after_trouble(
    service: Parley, wire: Wire
) -> None:
    body = {"id": "mine", "title": "x"}
    wire.fail("TransactWriteItems", unacknowledged)
    try_again(service.http("POST", "/api/v1/sessions", body))
    wire.mend()
    assert service.http("POST", "/api/v1/sessions", body).status == 200
    wire.fail("TransactWriteItems", unacknowledged, times=1)
    got = service.http("POST", "/api/v1/sessions/mine/token")
    assert (got.status, got.json["version"]) == (200, 2)
    assert [event["type"] for event in service.events("mine")] == [
        "session.opened",
        "session.token_rotated",
    ]


def test_reads_say_503_while_the_table_fails(service: Parley, wire: Wire) -> None:
    session = service.open_session()
    wire.fail("*", throttled)
    one = f"/api/v1/sessions/{session['id']}"
    for path in ("/api/v1/sessions", one, f"{one}/events", f"{one}/elicitations", f"{one}/env"):
        try_again(service.http("GET", path))


def test_queues_out_of_reach_delay_notices_and_lose_none(service: Parley, wire: Wire) -> None:
    """A create answers as ever; cleanup finds what was not queued."""
    session = service.open_session()
    wire.fail("SendMessage", timed_out)
    created = service.ask(session)
    assert created.status == 201
    wire.mend()
    assert service.run_queue("notices") == []
    service.clock.turn(minutes=5)
    assert service.clean_up()["resent"] == 1
    service.run_queue("notices")
    [mail] = service.mails()
    assert mail["request_id"] == created.json["requestId"]
    service.clock.turn(minutes=5)
    assert service.clean_up()["resent"] == 0


def test_a_job_gives_back_the_records_that_trouble_stopped(service: Parley, wire: Wire) -> None:
    """SQS tries them again, and only them."""
    session = service.open_session()
    request_id = service.ask(session).json["requestId"]
    service.clock.turn(minutes=60)
    wire.fail("TransactWriteItems", throttled, times=ATTEMPTS)
    with pytest.raises(AssertionError, match="itemIdentifier"):
        service.ring(request_id)
    service.ring(request_id)
    assert service.poll(session, request_id).json["action"] == "expired"
