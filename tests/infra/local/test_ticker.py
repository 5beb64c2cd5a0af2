"""Schedules and queue handlers are found in the app, and schedules tick whatever happens."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from chalice.app import Chalice, Cron, Rate

from infra.local import ticker
from infra.local.context import LambdaContext
from infra.local.triggers import DEFAULT_SECONDS, Schedule, queue_handlers, schedules
from tests.infra.local.standin import job_app

EVENTS = Path(__file__).parents[2] / "events"


def test_the_event_has_the_shape_of_a_recorded_one() -> None:
    recorded = json.loads((EVENTS / "scheduled.json").read_text())
    made = ticker.scheduled_event("cleanup", datetime(2026, 3, 29, 3, 50, tzinfo=UTC))
    assert {**made, "id": ""} == {**recorded, "id": ""}
    assert made["id"]


def test_a_schedule_ticks_at_once_and_again_after_a_failure() -> None:
    stop = threading.Event()
    times: list[str] = []

    def invoke(event: dict[str, Any], _context: LambdaContext) -> None:
        times.append(event["time"])
        if len(times) == 3:
            stop.set()
        raise RuntimeError("a bad tick")

    ticker.run(Schedule("probe", 300, invoke), stop, 0.001)
    assert len(times) == 3


def test_the_apps_schedules_run_at_their_own_rates() -> None:
    app, calls = job_app()
    found = {schedule.name: schedule for schedule in schedules(app)}
    assert {name: schedule.seconds for name, schedule in found.items()} == {
        "cleanup": 300,
        "probe": 3600,
    }
    event = ticker.scheduled_event("cleanup", datetime.now(UTC))
    found["cleanup"].invoke(event, LambdaContext("cleanup"))
    assert calls == [event]


@pytest.mark.parametrize(
    ("expression", "seconds"),
    [
        (Rate(1, unit=Rate.MINUTES), 60),
        (Rate(2, unit=Rate.DAYS), 172_800),
        ("rate(90 minutes)", 5400),
        (Cron(0, 1, "*", "*", "?", "*"), DEFAULT_SECONDS),
    ],
)
def test_rates_are_read_and_anything_else_gets_the_default(expression: Any, seconds: float) -> None:
    app = Chalice("one", configure_logs=False)
    app.schedule(expression)(job)
    assert [schedule.seconds for schedule in schedules(app)] == [seconds]


def test_the_apps_queue_handlers_are_found_by_queue() -> None:
    app, calls = job_app()
    by_arn = app.on_sqs_message(queue_arn="arn:aws:sqs:us-east-1:123456789012:parley-turns")
    by_arn(job)
    found = {handler.name: handler for handler in queue_handlers(app)}
    assert {(h.name, h.queue, h.batch_size) for h in found.values()} == {
        ("run_timers", "parley-timers", 10),
        ("job", "parley-turns", 1),
    }
    event: dict[str, Any] = {"Records": []}
    answer = found["run_timers"].invoke(event, LambdaContext("run_timers"))
    assert (answer, calls) == ({"batchItemFailures": []}, [event])


def job(event: Any) -> None:
    """Does nothing."""
