"""Logs and metrics: JSON lines and EMF through Powertools, one table from facts to metrics.

Never in a log: content, messages, tokens, or a URL that carries a token.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger, Metrics

NAMESPACE: Final = "Parley"

METRICS: Final[Mapping[str, str]] = {
    "elicitation.created": "ElicitationCreated",
    "elicitation.answered": "ElicitationAnswered",
    "elicitation.expired": "ElicitationExpired",
    "elicitation.withdrawn": "ElicitationWithdrawn",
    "elicitation.receipt": "ReceiptStamped",
    "session.stranded": "SessionStranded",
    "session.repaired": "SessionRepaired",
    "notice.sent": "NoticeSent",
    "card.decided": "CardDecided",
    "card.timed_out": "CardTimedOut",
    "tool.call_requested": "CardsOpened",
    "turn.completed": "TurnCompleted",
    "turn.failed": "TurnFailed",
    "probe.degraded": "ProbeDegraded",
    "incident.opened": "IncidentOpened",
    "incident.closed": "IncidentClosed",
    "page.sent": "PageSent",
    "page.failed": "PageFailed",
}
"""Facts that are counted, by the name of their event."""

DIRECT: Final = (
    "AnswerLatencyMs",
    "CleanupRan",
    "ElicitationAccepted",
    "ElicitationCancelled",
    "ElicitationDeclined",
    "NoticeFailed",
    "OldestOverdueSeconds",
    "OldestUndeliveredNoticeSeconds",
    "OpenProtocolUsed",
    "PollDegraded",
    "ProbeDown",
    "ProbeRan",
    "ReceiptDelayMs",
    "RecordFailed",
    "ServerError",
    "UnconfirmedSubscriptions",
)
"""Metrics that are not a count of one fact."""

_BY_ACTION: Final = {
    "accept": "ElicitationAccepted",
    "decline": "ElicitationDeclined",
    "cancel": "ElicitationCancelled",
}

_TOKEN_PATHS: Final = re.compile(r"(/(?:a|c|session)/)[^/\s\"']+")


class FactLike(Protocol):
    """What use cases report."""

    @property
    def type(self) -> str:
        """The fact's name."""

    @property
    def data(self) -> Mapping[str, Any]:
        """Ids and words, never content."""


def redact(text: str) -> str:
    """The text without the tokens in its paths."""
    return _TOKEN_PATHS.sub(r"\1[token]", text)


class Observer:
    """Writes facts and counts. Powertools is imported at first use, not with the module."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._logger: Logger | None = None
        self._metrics: Metrics | None = None
        # The local server runs requests on threads. Two that import a part of Powertools and the
        # whole of it at once see one half made (its package imports its parts): so one at a time.
        self._lock = threading.RLock()

    @property
    def log(self) -> Logger:
        """The JSON logger; the standard library's `parley.*` loggers write through it too."""
        with self._lock:
            if self._logger is None:
                from aws_lambda_powertools import Logger

                self._logger = Logger(service=self._service, stream=sys.stderr)
                library = logging.getLogger("parley")
                library.handlers = list(self._logger.handlers)
                library.propagate = False
            return self._logger

    @property
    def metrics(self) -> Metrics:
        """The EMF metrics of the current invocation."""
        with self._lock:
            if self._metrics is None:
                from aws_lambda_powertools import Metrics

                self._metrics = Metrics(namespace=NAMESPACE, service=self._service)
            return self._metrics

    def facts(self, facts: Iterable[FactLike]) -> None:
        """Log each fact in one line and count those that have a metric."""
        for fact in facts:
            self.log.info(fact.type, extra={"data": dict(fact.data)})
            name = METRICS.get(fact.type)
            if name is not None:
                self.count(name)
            if fact.type == "elicitation.receipt":
                self.measure("ReceiptDelayMs", int(fact.data.get("delay_ms", 0)))
            if fact.type == "elicitation.answered":
                self.count(_BY_ACTION[fact.data["action"]])
                self.measure("AnswerLatencyMs", int(fact.data.get("after_ms", 0)))

    def count(self, name: str, value: int = 1) -> None:
        """Add to a count."""
        self._add(name, "Count", value)

    def measure(self, name: str, milliseconds: int) -> None:
        """Record a duration in milliseconds."""
        self._add(name, "Milliseconds", milliseconds)

    def seconds(self, name: str, value: int) -> None:
        """Record a duration in seconds."""
        self._add(name, "Seconds", value)

    def flush(self) -> None:
        """Write the metrics of this invocation, if there are any."""
        with self._lock:
            if self._metrics is not None and self._metrics.metric_set:
                self._metrics.flush_metrics()
                self._metrics.clear_metrics()  # Powertools keeps what it is told not to print

    def _add(self, name: str, unit: str, value: int) -> None:
        with self._lock:
            self.metrics.add_metric(name=name, unit=unit, value=value)
