"""Queues. A send that fails loses nothing: the rows say what is due, and cleanup sends again."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

log = logging.getLogger("parley.messaging")

LONGEST_DELAY: Final = 900
"""SQS delays a message by at most 15 minutes."""


@dataclass(frozen=True, slots=True)
class QueueUrls:
    """Where the queues are."""

    timers: str
    notices: str
    turns: str


@dataclass(frozen=True, slots=True)
class SqsQueues:
    """Sends to the three queues. Nothing here raises: failures are logged and cleanup is the
    net."""

    client: SQSClient
    urls: QueueUrls

    def wake(self, key: str, at: datetime, now: datetime) -> None:
        """One message on `timers` at the instant, or after 15 minutes if that is sooner."""
        self._wake({"key": key}, at, now)

    def wake_card(self, session_id: str, call_id: str, at: datetime, now: datetime) -> None:
        """One message on `timers` for an open card's deadline."""
        self._wake({"session_id": session_id, "call_id": call_id}, at, now)

    def wake_turn(self, session_id: str, turn_id: str, at: datetime, now: datetime) -> None:
        """One message on `timers` for the end of a worker's lease."""
        self._wake({"session_id": session_id, "turn_id": turn_id}, at, now)

    def queue_notice(self, key: str, kind: str) -> None:
        """One message on `notices`."""
        self._send(self.urls.notices, {"key": key, "kind": kind}, 0)

    def queue_turn(self, session_id: str, turn_id: str) -> None:
        """One message on `turns`."""
        self._send(self.urls.turns, {"session_id": session_id, "turn_id": turn_id}, 0)

    def _wake(self, body: dict[str, Any], at: datetime, now: datetime) -> None:
        seconds = -int(-(at - now).total_seconds() // 1)
        self._send(self.urls.timers, body, max(0, min(seconds, LONGEST_DELAY)))

    def _send(self, url: str, body: dict[str, Any], delay: int) -> None:
        try:
            self.client.send_message(QueueUrl=url, MessageBody=json.dumps(body), DelaySeconds=delay)
        except (BotoCoreError, ClientError) as error:
            log.warning("a message was not queued: %s", type(error).__name__)
