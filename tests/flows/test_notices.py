"""People are told of each question once, and of nothing that is no longer theirs to decide."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.jobs import notices
from tests.parley import Parley, path_of, question, receive

if TYPE_CHECKING:
    import pytest

EXPIRES_AT = "com.pulsemcp/expires-at"


def asked(parley: Parley, session: dict[str, Any], minutes: float = 60, **over: Any) -> str:
    """Ask in the session, with a deadline so far ahead; the question's id."""
    at = (parley.clock.now + timedelta(minutes=minutes)).isoformat()
    meta = {EXPIRES_AT: at} | over.pop("meta", {})
    request_id: str = parley.ask(session, meta=meta, **over).json["requestId"]
    return request_id


def told(parley: Parley) -> list[tuple[str, str]]:
    """(kind, request id) of what people were told since the last look."""
    parley.run_queue("notices")
    return [(mail["kind"], mail["request_id"]) for mail in parley.mails()]


def deliver(
    parley: Parley, request_id: str, kind: str = "needs_input", times: int = 1
) -> list[Any]:
    """Hand the same message over so many times; what the function gives back."""
    body = json.dumps({"key": request_id, "kind": kind})
    records = [{"messageId": f"m{n}", "body": body} for n in range(times)]
    failures: list[Any] = notices.deliver_notices({"Records": records}, parley.services)[
        "batchItemFailures"
    ]
    return failures


def publish_fails(_self: object, *_args: object) -> None:
    """SNS does not accept it."""
    raise ConnectionError("no topic today")


def test_each_question_is_told_though_they_follow_within_seconds(parley: Parley) -> None:
    """74, D17: upstream drops the second one for 15 minutes, and its asker waits in vain."""
    session = parley.open_session()
    first = asked(parley, session)
    parley.clock.turn(seconds=2)
    second = asked(parley, session)
    assert told(parley) == [("needs_input", first), ("needs_input", second)]


def test_a_replayed_create_tells_nobody_again(parley: Parley) -> None:
    session = parley.open_session()
    path, body = path_of(session["env"]["ELICITATION_REQUEST_URL"]), question()
    parley.http("POST", path, body, key=None)
    assert len(told(parley)) == 1
    for _ in range(3):
        parley.http("POST", path, body, key=None)
        assert told(parley) == []


def test_a_message_delivered_twice_is_told_once(parley: Parley) -> None:
    """SQS delivers at least once, in one batch or hours apart."""
    session = parley.open_session()
    request_id = asked(parley, session)
    assert deliver(parley, request_id, times=3) == []
    parley.clock.turn(minutes=10)
    assert deliver(parley, request_id) == []
    assert told(parley) == [("needs_input", request_id)]


def test_a_failed_delivery_is_tried_again_and_not_stamped(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue gives it back; the claim lapses after a minute; cleanup is the net under both."""
    session = parley.open_session()
    request_id = asked(parley, session)
    with monkeypatch.context() as broken:
        broken.setattr(type(parley.services.publisher), "publish", publish_fails)
        assert deliver(parley, request_id) == [{"itemIdentifier": "m0"}]
    found = parley.services.store.elicitation(request_id)
    assert found is not None
    assert found.notified_at is None
    parley.clock.turn(seconds=61)
    assert deliver(parley, request_id) == []
    found = parley.services.store.elicitation(request_id)
    assert found is not None
    assert found.notified_at == parley.clock.now
    assert told(parley) == [("needs_input", request_id)]


def test_a_notice_that_never_reached_the_queue_is_sent_by_cleanup_once(parley: Parley) -> None:
    """The process died between commit and enqueue: the row says what is due."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.aws.sqs.purge_queue(QueueUrl=parley.services.settings.notices_queue_url)
    assert told(parley) == []
    parley.clock.turn(minutes=1)
    assert parley.clean_up()["resent"] == 0, "it may still be on its way"
    parley.clock.turn(minutes=4)
    summary = parley.clean_up()
    assert (summary["resent"], summary["undelivered_seconds"]) == (1, 300)
    assert told(parley) == [("needs_input", request_id)]
    for _ in range(3):
        parley.clock.turn(minutes=5)
        assert parley.clean_up()["resent"] == 0
    assert told(parley) == []


def test_a_crash_after_delivery_leaves_nothing_to_send_again(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stamp did not come to be, so people may be told twice, but not for ever."""
    session = parley.open_session()
    request_id = asked(parley, session)

    def crash(_self: object, *_args: object) -> None:
        raise ConnectionError("killed")

    with monkeypatch.context() as broken:
        broken.setattr(type(parley.services.box), "delivered", crash)
        assert deliver(parley, request_id) == [{"itemIdentifier": "m0"}]
    parley.aws.sqs.purge_queue(QueueUrl=parley.services.settings.notices_queue_url)
    resent = []
    for _ in range(4):
        parley.clock.turn(minutes=5)
        resent.append(parley.clean_up()["resent"])
        parley.run_queue("notices")
    assert resent == [1, 0, 0, 0]
    assert [mail["kind"] for mail in parley.mails()] == ["needs_input", "needs_input"]


def test_what_is_decided_before_delivery_is_not_told(parley: Parley) -> None:
    """By an answer, by the asker, by the clock; nor does cleanup find it again."""
    session = parley.open_session()
    answered, withdrawn, late = (asked(parley, session) for _ in range(3))
    parley.respond(answered, "decline")
    parley.http("DELETE", f"/api/v1/elicitations/{withdrawn}")
    parley.clock.turn(minutes=60)
    assert told(parley) == []
    parley.clean_up()
    assert told(parley) == [("lost", late)]
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["resent"] == 0


def test_that_nobody_answered_is_told_once(parley: Parley) -> None:
    """Issue 3, 7: whoever recorded the expiry, and only for an expiry."""
    session = parley.open_session()
    request_id = asked(parley, session)
    assert told(parley) == [("needs_input", request_id)]
    parley.clock.turn(minutes=60)
    parley.ring(request_id)
    parley.poll(session, request_id)
    parley.clean_up()
    deliver(parley, request_id, "lost", times=2)
    assert told(parley) == [("lost", request_id)]
    answered = asked(parley, session)
    parley.respond(answered, "decline")
    deliver(parley, answered, "reminder")
    assert told(parley) == []


def test_a_reminder_comes_once_at_half_the_window(parley: Parley) -> None:
    """Issue 3, 7."""
    session = parley.open_session()
    request_id = asked(parley, session, minutes=40)
    assert told(parley) == [("needs_input", request_id)]
    parley.clock.turn(minutes=20, milliseconds=-1)
    parley.ring(request_id)
    assert told(parley) == []
    parley.clock.turn(milliseconds=1)
    parley.ring(request_id, times=2)
    assert told(parley) == [("reminder", request_id)]
    parley.clock.turn(minutes=10)
    parley.ring(request_id)
    assert told(parley) == []
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["resent"] == 0


def test_a_window_under_thirty_minutes_gets_no_reminder(parley: Parley) -> None:
    session = parley.open_session()
    request_id = asked(parley, session, minutes=29.99)
    assert told(parley) == [("needs_input", request_id)]
    parley.clock.turn(minutes=20)
    parley.ring(request_id)
    assert told(parley) == []


def test_any_outcome_cancels_the_reminder(parley: Parley) -> None:
    """Also one that comes between the timer and the delivery."""
    session = parley.open_session()
    answered, withdrawn, raced = (asked(parley, session) for _ in range(3))
    assert len(told(parley)) == 3
    parley.respond(answered, "decline")
    parley.http("DELETE", f"/api/v1/elicitations/{withdrawn}")
    parley.clock.turn(minutes=30)
    for request_id in (answered, withdrawn, raced):
        parley.ring(request_id)
    parley.respond(raced, "accept", {"confirm": True})
    assert told(parley) == []
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["resent"] == 0


def test_the_reminders_share_of_the_window_is_configurable(parley: Parley) -> None:
    """0 turns it off."""
    for share, minutes, kinds in (("0.25", 15, ["reminder"]), ("0", 45, [])):
        service = parley.configured(PARLEY_REMINDER_SHARE=share)
        session = service.open_session()
        request_id = asked(service, session)
        told(service)
        service.clock.turn(minutes=minutes)
        service.ring(request_id)
        assert [kind for kind, _ in told(service)] == kinds


def test_records_that_cannot_be_read_fail_alone(parley: Parley) -> None:
    """A poison message goes to the dead-letter queue; its neighbours are delivered."""
    session = parley.open_session()
    request_id = asked(parley, session)
    bodies = [
        "not json",
        "[]",
        "{}",
        json.dumps({"key": request_id, "kind": "party"}),
        json.dumps({"key": request_id, "kind": "needs_input"}),
        json.dumps({"key": "gone", "kind": "needs_input"}),
    ]
    records = [{"messageId": str(n), "body": body} for n, body in enumerate(bodies)]
    got = notices.deliver_notices({"Records": records}, parley.services)
    failed = [failure["itemIdentifier"] for failure in got["batchItemFailures"]]
    assert failed == ["0", "1", "2", "3"]
    assert told(parley) == [("needs_input", request_id)]


def test_a_subscriber_can_filter_and_read_what_it_needs(parley: Parley) -> None:
    """Design 7: attributes beside the message, the link in it, no content anywhere."""
    session = parley.open_session(title="Nightly", agent_id="agent-7")
    request_id = asked(parley, session, meta={"com.pulsemcp/context": "private context"})
    parley.run_queue("notices")
    [message] = receive(parley.aws, parley.mailbox)
    envelope = json.loads(message["Body"])
    assert {name: each["Value"] for name, each in envelope["MessageAttributes"].items()} == {
        "kind": "needs_input",
        "session": session["id"],
        "agent": "agent-7",
        "tool": "deploy",
        "mode": "form",
    }
    body = json.loads(envelope["Message"])
    assert body["request_id"] == request_id
    assert body["session_id"] == session["id"]
    assert body["link"].startswith("http://localhost:8000/a/")
    assert body["message"] == "Deploy to production?"
    assert "private context" not in message["Body"]
    assert session["env"]["ELICITATION_REQUEST_URL"].rpartition("/")[2] not in message["Body"]


def test_no_notice_follows_an_answer(parley: Parley) -> None:
    """An answered question has none any more, whatever is still on its way."""
    session = parley.open_session()
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    request_id = asked(parley, session, requestedSchema=schema)
    parley.respond(request_id, "accept", {"note": "hunter2"})
    for kind in ("needs_input", "reminder", "lost"):
        deliver(parley, request_id, kind)
    assert parley.mails() == []
