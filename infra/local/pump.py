"""SQS to handler, as Lambda's event source mapping does it: batches, partial failure, redelivery.

A failed message is left alone: its visibility time-out brings it back and the queue's redrive
policy ends it. Nothing is retried here.
"""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from infra.local.context import LambdaContext
from infra.local.resources import REGION, queue_arn
from infra.local.triggers import QueueHandler

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

log = logging.getLogger("parley.local")

WAIT_SECONDS: Final = 1
"""One long poll; also the longest that a stop waits for an idle pump."""
MOST_SECONDS_BETWEEN_TRIES: Final = 15.0
SQS_BATCH_LIMIT: Final = 10


class Pump:
    """Moves one queue's messages into one handler, batch after batch, on a thread of its own."""

    def __init__(self, sqs: SQSClient, url: str, handler: QueueHandler) -> None:
        self._sqs = sqs
        self._url = url
        self._handler = handler
        self._arn = queue_arn(sqs, url)

    def run(self, stop: threading.Event) -> None:
        """Pump until `stop`. An engine that does not answer is asked again, ever less often."""
        failures = 0
        while not stop.is_set():
            try:
                self.pump_once(WAIT_SECONDS)
            except Exception as error:
                failures += 1
                if not stop.is_set():
                    log.warning("The queue of %s: %s", self._handler.name, error)
                stop.wait(min(0.5 * 2**failures, MOST_SECONDS_BETWEEN_TRIES))
            else:
                failures = 0

    def pump_once(self, wait_seconds: int) -> int:
        """Receive one batch, hand it over, delete what was done; returns how many were received.

        Raises what the engine's client raises; what the handler raises fails the whole batch.
        """
        messages = self._sqs.receive_message(
            QueueUrl=self._url,
            MaxNumberOfMessages=min(self._handler.batch_size, SQS_BATCH_LIMIT),
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        if messages:
            failed = self._hand_over(messages)
            self._delete(message for message in messages if message["MessageId"] not in failed)
        return len(messages)

    def _hand_over(self, messages: Sequence[MessageTypeDef]) -> frozenset[str]:
        """The ids of the messages that are not done."""
        ids = frozenset(message["MessageId"] for message in messages)
        try:
            answer = self._handler.invoke(
                sqs_event(messages, self._arn), LambdaContext(self._handler.name)
            )
        except Exception:
            log.exception("%s failed; its batch comes back", self._handler.name)
            return ids
        return failed_ids(answer, ids)

    def _delete(self, messages: Iterable[MessageTypeDef]) -> None:
        entries = [
            {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
            for number, message in enumerate(messages)
        ]
        if entries:
            self._sqs.delete_message_batch(QueueUrl=self._url, Entries=entries)  # type: ignore[arg-type]


def failed_ids(answer: Any, ids: frozenset[str]) -> frozenset[str]:
    """What a handler's answer says of its batch, read as Lambda reads it (ReportBatchItemFailures).

    Nothing or an empty list: all done. An answer that names an unknown message: none done.
    """
    failures = answer.get("batchItemFailures") if isinstance(answer, Mapping) else None
    try:
        named = frozenset(failure["itemIdentifier"] for failure in failures or ())
    except (TypeError, KeyError):
        return ids
    return named if named <= ids else ids


def sqs_event(messages: Iterable[MessageTypeDef], arn: str) -> dict[str, Any]:
    """The event that Lambda makes of received messages."""
    return {"Records": [_record(message, arn) for message in messages]}


def _record(message: MessageTypeDef, arn: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message["Attributes"]),
        "messageAttributes": {
            name: _attribute(value) for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": REGION,
    }


def _attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    shaped: dict[str, Any] = {"stringListValues": [], "binaryListValues": []}
    if "BinaryValue" in value:
        shaped["binaryValue"] = base64.b64encode(value["BinaryValue"]).decode()
    else:
        shaped["stringValue"] = value["StringValue"]
    return shaped | {"dataType": value["DataType"]}
