"""What of the app runs without a request: its queue handlers and schedules, as it declares them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from infra.local.context import LambdaContext

if TYPE_CHECKING:
    from chalice.app import Chalice

log = logging.getLogger("parley.local")

Invoke = Callable[[dict[str, Any], LambdaContext], Any]

DEFAULT_SECONDS: Final = 300.0
_SECONDS: Final = {"minute": 60, "hour": 3600, "day": 86_400}
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")


@dataclass(frozen=True, slots=True)
class QueueHandler:
    """A function that takes a queue's messages; `batch_size` is the most it takes at once."""

    name: str
    queue: str
    batch_size: int
    invoke: Invoke


@dataclass(frozen=True, slots=True)
class Schedule:
    """A function that runs every `seconds`."""

    name: str
    seconds: float
    invoke: Invoke


def queue_handlers(app: Chalice) -> list[QueueHandler]:
    """The app's `on_sqs_message` functions; a queue given by ARN is known by its last part."""
    from chalice.app import SQSEventConfig

    return [
        QueueHandler(
            name=source.name,
            queue=(source.queue or source.queue_arn or "").rpartition(":")[2],
            batch_size=source.batch_size,
            invoke=app.handler_map[source.name],
        )
        for source in app.event_sources
        if isinstance(source, SQSEventConfig)
    ]


def schedules(app: Chalice) -> list[Schedule]:
    """The app's scheduled functions. Only rates are understood; anything else runs every 5 min."""
    from chalice.app import ScheduledEventConfig

    return [
        Schedule(source.name, _seconds_of(source), app.handler_map[source.name])
        for source in app.event_sources
        if isinstance(source, ScheduledEventConfig)
    ]


def _seconds_of(source: Any) -> float:
    expression = source.schedule_expression
    text = expression if isinstance(expression, str) else expression.to_string()
    rate = _RATE.fullmatch(text)
    if rate is None:
        log.warning("%s runs every %d s here, not by %s", source.name, DEFAULT_SECONDS, text)
        return DEFAULT_SECONDS
    return float(int(rate[1]) * _SECONDS[rate[2]])
