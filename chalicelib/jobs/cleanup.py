"""The `cleanup` schedule: expire what is due, repair sessions, queue undelivered notices again,
time out cards, queue turns that no worker is at."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from chalicelib.jobs.needs import Needs
from chalicelib.usecases.clean_up import clean_up
from chalicelib.usecases.clean_up_turns import clean_up_turns


def cleanup(needs: Needs) -> dict[str, Any]:
    """Run once and report what was done; also the heartbeat that an alarm listens for."""
    result = clean_up(
        world=needs.world, lists=needs.lists, box=needs.box, messenger=needs.messenger
    )
    turns = clean_up_turns(relay=needs.relay)
    summary = asdict(result.value) | turns.value
    needs.observer.facts(result.facts + turns.facts)
    needs.observer.log.info("cleanup", extra={"data": summary})
    needs.observer.count("CleanupRan")
    needs.observer.seconds("OldestOverdueSeconds", result.value.overdue_seconds)
    needs.observer.seconds("OldestUndeliveredNoticeSeconds", result.value.undelivered_seconds)
    if not needs.settings.is_local:
        needs.observer.count("UnconfirmedSubscriptions", needs.publisher.unconfirmed())
    needs.observer.flush()
    return summary
