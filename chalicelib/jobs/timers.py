"""The `timers` queue: deadlines of questions and cards, reminders, leases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.domain.events import Event
from chalicelib.jobs.batch import each_record
from chalicelib.jobs.needs import Needs
from chalicelib.usecases.run_timer import run_timer


def run_timers(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """An SQS event to Lambda's partial batch answer."""

    def ring(body: Mapping[str, Any]) -> None:
        if "session_id" in body:
            needs.observer.facts(_ring_in_turn(body, needs))
            return
        result = run_timer(
            str(body["key"]),
            reminder_share=needs.settings.reminder_share,
            world=needs.world,
            box=needs.box,
            messenger=needs.messenger,
        )
        needs.observer.facts(result.facts)

    return each_record(event, ring, needs.observer, "run_timers")


def _ring_in_turn(body: Mapping[str, Any], needs: Needs) -> tuple[Event, ...]:
    """A card's deadline, or the end of a worker's lease on a turn."""
    from chalicelib.usecases.decide_card import time_out_card, wake_turn

    session_id = str(body["session_id"])
    if "call_id" in body:
        return time_out_card(session_id, str(body["call_id"]), relay=needs.relay).facts
    wake_turn(session_id, str(body["turn_id"]), relay=needs.relay)
    return ()
