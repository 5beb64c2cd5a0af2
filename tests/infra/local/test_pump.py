"""The pump on a real queue: what is done goes, what failed comes back, and ends in the DLQ."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from infra.local.pump import Pump, failed_ids, sqs_event
from infra.local.resources import Clients, ensure_queue, queue_arn
from infra.local.triggers import QueueHandler

EVENTS = Path(__file__).parents[2] / "events"
numbers = itertools.count(1)


class Queue:
    """A fresh queue whose messages are visible again at once, and a pump that records."""

    def __init__(self, aws: Clients, answer: Callable[[dict[str, Any]], Any]) -> None:
        self.aws = aws
        self.name = f"pump-{next(numbers)}"
        self.url = ensure_queue(aws.sqs, self.name, visibility_seconds=0)
        self.batches: list[list[str]] = []
        self._answer = answer
        self.pump = Pump(aws.sqs, self.url, QueueHandler("job", self.name, 10, self._invoke))

    def send(self, *bodies: str) -> None:
        for body in bodies:
            self.aws.sqs.send_message(QueueUrl=self.url, MessageBody=body)

    def dead(self) -> list[str]:
        url = self.aws.sqs.get_queue_url(QueueName=f"{self.name}-dlq")["QueueUrl"]
        received = self.aws.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
        return sorted(message["Body"] for message in received.get("Messages", []))

    def _invoke(self, event: dict[str, Any], _context: Any) -> Any:
        self.batches.append(sorted(record["body"] for record in event["Records"]))
        return self._answer(event)


def fail(*bodies: str) -> Callable[[dict[str, Any]], Any]:
    """A handler's answer that names the records with these bodies."""

    def answer(event: dict[str, Any]) -> Any:
        failed = [record["messageId"] for record in event["Records"] if record["body"] in bodies]
        return {"batchItemFailures": [{"itemIdentifier": one} for one in failed]}

    return answer


def blow_up(_event: dict[str, Any]) -> Any:
    raise RuntimeError("the handler broke")


@pytest.mark.engine
def test_only_the_failed_records_of_a_batch_come_back(aws: Clients) -> None:
    queue = Queue(aws, fail("b"))
    queue.send("a", "b", "c")
    assert [queue.pump.pump_once(0) for _ in range(3)] == [3, 1, 1]
    assert queue.batches == [["a", "b", "c"], ["b"], ["b"]]


@pytest.mark.engine
@pytest.mark.parametrize("answer", [blow_up, lambda _: {"batchItemFailures": [{"wrong": 1}]}])
def test_a_handler_that_breaks_fails_its_whole_batch(
    aws: Clients, answer: Callable[[dict[str, Any]], Any]
) -> None:
    queue = Queue(aws, answer)
    queue.send("a", "b")
    assert [queue.pump.pump_once(0) for _ in range(2)] == [2, 2]


@pytest.mark.engine
def test_the_fifth_failure_is_the_last(aws: Clients) -> None:
    queue = Queue(aws, fail("poison"))
    queue.send("poison", "fine")
    received = [queue.pump.pump_once(0) for _ in range(7)]
    assert received == [2, 1, 1, 1, 1, 0, 0]
    assert queue.dead() == ["poison"]


@pytest.mark.engine
def test_a_handler_sees_how_often_a_message_was_received(aws: Clients) -> None:
    counts: list[str] = []

    def answer(event: dict[str, Any]) -> Any:
        counts.extend(r["attributes"]["ApproximateReceiveCount"] for r in event["Records"])
        return fail("again")(event)

    queue = Queue(aws, answer)
    queue.send("again")
    for _ in range(3):
        queue.pump.pump_once(0)
    assert counts == ["1", "2", "3"]


@pytest.mark.engine
def test_a_real_message_has_the_shape_of_a_recorded_one(aws: Clients) -> None:
    seen: list[dict[str, Any]] = []
    queue = Queue(aws, seen.append)
    aws.sqs.send_message(
        QueueUrl=queue.url,
        MessageBody="{}",
        MessageAttributes={
            "kind": {"DataType": "String", "StringValue": "deadline"},
            "raw": {"DataType": "Binary", "BinaryValue": b"\x00"},
        },
    )
    queue.pump.pump_once(0)
    record, recorded = seen[0]["Records"][0], load("sqs_two_records")["Records"][0]
    assert record.keys() == recorded.keys()
    assert record["attributes"].keys() == recorded["attributes"].keys()
    assert record["messageAttributes"]["kind"] == recorded["messageAttributes"]["kind"]
    assert record["messageAttributes"]["raw"]["binaryValue"] == "AA=="
    assert record["eventSourceARN"] == queue_arn(aws.sqs, queue.url)


@pytest.mark.engine
def test_a_pump_goes_on_after_the_engine_did_not_answer(
    aws: Clients, caplog: pytest.LogCaptureFixture
) -> None:
    done, stop = threading.Event(), threading.Event()
    queue = Queue(aws, lambda _: done.set())
    queue.send("a")

    class Flaky:
        """The real client, but its first call fails."""

        failed = False

        def __getattr__(self, name: str) -> Any:
            if name == "receive_message" and not self.failed:
                self.failed = True
                raise ConnectionError("no engine")
            return getattr(aws.sqs, name)

    handler = QueueHandler("job", queue.name, 10, queue._invoke)
    pump = Pump(cast("Any", Flaky()), queue.url, handler)
    thread = threading.Thread(target=pump.run, args=(stop,))
    thread.start()
    assert done.wait(10)
    stop.set()
    thread.join(10)
    assert [record.getMessage() for record in caplog.records] == ["The queue of job: no engine"]


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": None}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "1"}]}, {"1"}),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, {"1", "2"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"1", "2"}),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, {"1", "2"}),
        ({"batchItemFailures": [{}]}, {"1", "2"}),
        ({"batchItemFailures": 3}, {"1", "2"}),
        ("done", set()),
    ],
)
def test_a_partial_batch_answer_is_read_as_lambda_reads_it(answer: Any, failed: set[str]) -> None:
    assert failed_ids(answer, frozenset({"1", "2"})) == failed


def test_received_messages_become_the_recorded_event() -> None:
    recorded = load("sqs_two_records")
    received = [
        {
            "MessageId": record["messageId"],
            "ReceiptHandle": record["receiptHandle"],
            "Body": record["body"],
            "MD5OfBody": record["md5OfBody"],
            "Attributes": record["attributes"],
            "MessageAttributes": {
                name: {"DataType": value["dataType"], "StringValue": value["stringValue"]}
                for name, value in record["messageAttributes"].items()
            },
        }
        for record in recorded["Records"]
    ]
    arn = recorded["Records"][0]["eventSourceARN"]
    assert sqs_event(cast("Any", received), arn) == recorded


def load(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text())
    return event
