"""The `timers` queue: deadlines and reminders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.jobs.batch import each_record
from chalicelib.jobs.needs import Needs
from chalicelib.usecases.run_timer import run_timer


def run_timers(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """An SQS event to Lambda's partial batch answer."""

    def ring(body: Mapping[str, Any]) -> None:
        result = run_timer(
            str(body["key"]),
            reminder_share=needs.settings.reminder_share,
            world=needs.world,
            box=needs.box,
            messenger=needs.messenger,
        )
        needs.observer.facts(result.facts)

    return each_record(event, ring, needs.observer, "run_timers")
