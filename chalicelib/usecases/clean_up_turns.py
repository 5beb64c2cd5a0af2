"""The net under cards and turns: what the timers and queues lost (part of cleanup)."""

from __future__ import annotations

import logging
from typing import Final

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.events import Event
from chalicelib.usecases.decide_card import time_out_card, wake_turn
from chalicelib.usecases.ports import Result
from chalicelib.usecases.turn_ports import Relay

log = logging.getLogger("parley.cleanup")

MAX_DUE: Final = 500


def clean_up_turns(*, relay: Relay) -> Result[dict[str, int]]:
    """Time out overdue cards, then queue turns that want a worker and have had none for a while."""
    now = relay.world.clock()
    facts: list[Event] = []
    summary = {"cards_timed_out": 0, "turns_queued": 0, "turns_failed": 0}
    due = relay.rows.due(now, limit=MAX_DUE)
    for card in due.cards:
        try:
            result = time_out_card(card.session_id, card.call_id, relay=relay)
        except TryAgain:
            summary["turns_failed"] += 1
            continue
        summary["cards_timed_out"] += result.value == "timed out"
        facts += result.facts
    for session_id, turn_id in due.turns:
        summary["turns_queued"] += wake_turn(session_id, turn_id, relay=relay)
    return Result(summary, tuple(facts))
