"""EventBridge in small: calls a scheduled function at its rate, first when the runner starts."""

from __future__ import annotations

import logging
import threading
import uuid
from datetime import UTC, datetime
from typing import Any, Final

from infra.local.context import ACCOUNT, LambdaContext
from infra.local.resources import REGION
from infra.local.triggers import Schedule

log = logging.getLogger("parley.local")

TIMEOUT_SECONDS: Final = 60.0


def run(schedule: Schedule, stop: threading.Event, seconds: float | None = None) -> None:
    """Tick until `stop`; `seconds` overrides the schedule's own rate. A failed tick is logged."""
    while not stop.is_set():
        event = scheduled_event(schedule.name, datetime.now(UTC))
        try:
            schedule.invoke(event, LambdaContext(schedule.name, TIMEOUT_SECONDS))
        except Exception:
            log.exception("%s failed; it runs again at its next tick", schedule.name)
        stop.wait(seconds or schedule.seconds)


def scheduled_event(name: str, now: datetime) -> dict[str, Any]:
    """The event that a rate rule sends to its target; `time` has whole seconds."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/parley-{name}"],
        "detail": {},
    }
