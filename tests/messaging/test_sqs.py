"""Messages on the queues: their delays, and that a failure to send is nobody's failure."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from chalicelib.messaging.sqs import QueueUrls, SqsQueues

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Client:
    """What SqsQueues calls, remembering or refusing."""

    def __init__(self, error: Exception | None = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self._error = error

    def send_message(self, **message: Any) -> None:
        if self._error is not None:
            raise self._error
        self.sent.append(message)


def queues(client: Client) -> SqsQueues:
    return SqsQueues(cast("Any", client), QueueUrls(timers="T", notices="N", turns="U"))


@pytest.mark.parametrize(
    ("ahead", "delay"),
    [
        (timedelta(0), 0),
        (timedelta(seconds=-5), 0),
        (timedelta(milliseconds=1), 1),
        (timedelta(seconds=59.001), 60),
        (timedelta(seconds=60), 60),
        (timedelta(seconds=900), 900),
        (timedelta(days=7), 900),
    ],
)
def test_a_timer_arrives_at_its_instant_or_after_fifteen_minutes(
    ahead: timedelta, delay: int
) -> None:
    """Rounded up: a message that came a moment early would have to be sent again."""
    client = Client()
    queues(client).wake("k", NOW + ahead, NOW)
    [sent] = client.sent
    assert (sent["QueueUrl"], sent["DelaySeconds"]) == ("T", delay)
    assert json.loads(sent["MessageBody"]) == {"key": "k"}


def test_each_message_goes_to_its_queue() -> None:
    client = Client()
    made = queues(client)
    made.queue_notice("k", "lost")
    made.queue_turn("s", "t")
    made.wake_card("s", "c", NOW, NOW)
    assert [(sent["QueueUrl"], json.loads(sent["MessageBody"])) for sent in client.sent] == [
        ("N", {"key": "k", "kind": "lost"}),
        ("U", {"session_id": "s", "turn_id": "t"}),
        ("T", {"session_id": "s", "call_id": "c"}),
    ]


@pytest.mark.parametrize(
    "error",
    [
        EndpointConnectionError(endpoint_url="http://x"),
        ClientError({"Error": {"Code": "Throttling"}}, "SendMessage"),
    ],
)
def test_what_cannot_be_sent_is_left_to_cleanup(error: Exception) -> None:
    client = Client(error)
    queues(client).queue_notice("k", "needs_input")
    queues(client).wake("k", NOW, NOW)
    assert client.sent == []
