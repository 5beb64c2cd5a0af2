"""Let the clock answer: the poll, the timer and cleanup all come here."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import ElicitationMoved, Messenger, Needs, Result
from chalicelib.usecases.settle import write_outcome


def expire_elicitation(
    elicitation: Elicitation, *, world: World, messenger: Messenger
) -> Result[Elicitation]:
    """Expire a due elicitation; when somebody was faster, returns what is recorded now.

    People are told once that nobody answered (a `lost` notice). Raises `TryAgain`.
    """

    def expired(now: datetime, attempt: str) -> Elicitation:
        return replace(elicitation, status=Status.EXPIRED, answered_at=now, attempt=attempt)

    try:
        result = write_outcome(elicitation, needs=Needs.DUE, outcome=expired, world=world)
    except ElicitationMoved as moved:
        return Result(moved.current or elicitation)
    messenger.queue_notice(elicitation.key, "lost")
    return result
