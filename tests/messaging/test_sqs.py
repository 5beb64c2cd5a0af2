"""Messages on the queues: their delays, and that a failure to send is nobody's failure.

The client is the SDK's own; its stubber checks each request against the model of SQS.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber

from chalicelib.messaging.sqs import LONGEST_DELAY, QueueUrls, SqsQueues

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
TIMERS, NOTICES, TURNS = (
    f"https://sqs.example/1/{name}" for name in ("timers", "notices", "turns")
)
Send = Callable[[SqsQueues], None]

SENDS: tuple[tuple[Send, str, dict[str, str]], ...] = (
    (lambda it: it.wake("k", NOW, NOW), TIMERS, {"key": "k"}),
    (lambda it: it.wake_card("s", "c", NOW, NOW), TIMERS, {"session_id": "s", "call_id": "c"}),
    (lambda it: it.wake_turn("s", "t", NOW, NOW), TIMERS, {"session_id": "s", "turn_id": "t"}),
    (lambda it: it.queue_notice("k", "lost"), NOTICES, {"key": "k", "kind": "lost"}),
    (lambda it: it.queue_turn("s", "t"), TURNS, {"session_id": "s", "turn_id": "t"}),
)


@pytest.fixture(scope="module")
def made() -> SqsQueues:
    """Making a client reads the SDK's model of SQS: once is enough."""
    client = boto3.client("sqs", region_name="us-east-1")
    return SqsQueues(client, QueueUrls(timers=TIMERS, notices=NOTICES, turns=TURNS))


@pytest.fixture
def stubber(made: SqsQueues) -> Iterator[Stubber]:
    with Stubber(made.client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def expect(stubber: Stubber, url: str, body: dict[str, str], delay: int) -> None:
    """The next request is this message, and SQS takes it."""
    sent = {"QueueUrl": url, "MessageBody": json.dumps(body), "DelaySeconds": delay}
    stubber.add_response("send_message", {"MessageId": "m", "MD5OfMessageBody": "d"}, sent)


@pytest.mark.parametrize(
    ("ahead", "delay"),
    [
        (timedelta(0), 0),
        (timedelta(seconds=-5), 0),
        (timedelta(milliseconds=-1), 0),
        (timedelta(days=-7), 0),
        (timedelta(milliseconds=1), 1),
        (timedelta(seconds=59.001), 60),
        (timedelta(seconds=60), 60),
        (timedelta(seconds=899.001), 900),
        (timedelta(seconds=900), 900),
        (timedelta(seconds=900.001), 900),
        (timedelta(days=7), LONGEST_DELAY),
    ],
)
def test_a_timer_arrives_at_its_instant_or_after_fifteen_minutes(
    made: SqsQueues, stubber: Stubber, ahead: timedelta, delay: int
) -> None:
    """Rounded up: a message that came a moment early would have to be sent again."""
    expect(stubber, TIMERS, {"key": "k"}, delay)
    expect(stubber, TIMERS, {"session_id": "s", "call_id": "c"}, delay)
    expect(stubber, TIMERS, {"session_id": "s", "turn_id": "t"}, delay)
    made.wake("k", NOW + ahead, NOW)
    made.wake_card("s", "c", NOW + ahead, NOW)
    made.wake_turn("s", "t", NOW + ahead, NOW)


@pytest.mark.parametrize(("send", "url", "body"), SENDS)
def test_each_message_goes_to_its_queue_at_once(
    made: SqsQueues, stubber: Stubber, send: Send, url: str, body: dict[str, str]
) -> None:
    expect(stubber, url, body, 0)
    send(made)


@pytest.mark.parametrize(("send", "url", "body"), SENDS)
def test_what_sqs_refuses_is_logged_and_left_to_cleanup(
    made: SqsQueues,
    stubber: Stubber,
    caplog: pytest.LogCaptureFixture,
    send: Send,
    url: str,
    body: dict[str, str],
) -> None:
    stubber.add_client_error("send_message", "Throttling", "slow down", 400)
    with caplog.at_level("WARNING", "parley.messaging"):
        send(made)
    assert [record.getMessage() for record in caplog.records] == [
        "a message was not queued: ClientError"
    ]


def test_an_unreachable_queue_is_logged_and_left_to_cleanup(
    made: SqsQueues, caplog: pytest.LogCaptureFixture
) -> None:
    """The log names neither the address nor the message."""

    def refuse(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url=TIMERS)

    made.client.meta.events.register_first("before-send.sqs.SendMessage", refuse)
    try:
        with caplog.at_level("WARNING", "parley.messaging"):
            made.queue_notice("k", "lost")
    finally:
        made.client.meta.events.unregister("before-send.sqs.SendMessage", refuse)
    assert [record.getMessage() for record in caplog.records] == [
        "a message was not queued: EndpointConnectionError"
    ]


def test_a_bug_of_ours_is_not_taken_for_a_failure_to_send(made: SqsQueues) -> None:
    """Only what the SDK reports is swallowed."""
    with pytest.raises(TypeError, match="JSON"):
        made.queue_notice("k", object())  # type: ignore[arg-type]
