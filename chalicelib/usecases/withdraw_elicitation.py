"""The asker or the host takes a pending question back: a `cancel` with a reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.errors import AlreadyAnswered, NotFound
from chalicelib.domain.principal import Actor
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import ElicitationMoved, Needs, Result, describe
from chalicelib.usecases.settle import write_outcome

DEFAULT_REASON = "withdrawn"


def withdraw_elicitation(
    key: str, *, session_id: str | None, actor: Actor, reason: str, world: World
) -> Result[Elicitation]:
    """Withdraw a pending elicitation; a second withdrawal changes nothing and succeeds.

    `session_id` restricts it to the token's session. Raises `NotFound`, `AlreadyAnswered` (also for
    one that expired, with what happened) and `TryAgain`.
    """
    found = world.store.elicitation(key)
    if found is None or session_id not in (None, found.session_id):
        raise NotFound("There is no such elicitation.")
    pending = found

    def withdrawn(now: datetime, attempt: str) -> Elicitation:
        return replace(
            pending,
            status=Status.CANCEL,
            reason=reason,
            answered_at=now,
            answered_by=actor,
            attempt=attempt,
        )

    if found.is_pending:
        try:
            return write_outcome(found, needs=Needs.PENDING, outcome=withdrawn, world=world)
        except ElicitationMoved as moved:
            found = moved.current or found
    if found.status is Status.CANCEL and found.reason is not None:
        return Result(found)
    raise AlreadyAnswered("The question already has an outcome.", details=describe(found))
