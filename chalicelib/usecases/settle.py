"""Write one elicitation's outcome with its session, whoever decided it.

Answer, withdrawal and expiry are the same transaction with another condition; exactly one wins.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.session import Session, outcome_event, settle
from chalicelib.usecases.commit import World, commit_until_settled
from chalicelib.usecases.ports import Change, Needs, Outcome, Result


def write_outcome(
    elicitation: Elicitation,
    *,
    needs: Needs,
    outcome: Callable[[datetime, str], Elicitation],
    world: World,
) -> Result[Elicitation]:
    """`outcome(now, attempt)` makes the row after it, with the clock read anew in every round.

    Raises `ElicitationMoved` when the row is not in the state that `needs` names, and `TryAgain`.
    """

    def decide(session: Session | None, attempt: str) -> tuple[Change, Result[Elicitation]]:
        now = world.clock()
        after = outcome(now, attempt)
        written = Outcome(after=after, needs=needs, now=now)
        if session is None:
            change = Change(attempt=attempt, before=None, after=None, outcomes=(written,))
            return change, Result(after, (outcome_event(after, now),))
        taken = settle(session, after, now)
        change = Change(
            attempt=attempt,
            before=session,
            after=taken.session,
            events=taken.events,
            outcomes=(written,),
        )
        return change, Result(after, taken.events)

    session = world.store.session(elicitation.session_id)
    return commit_until_settled(world, session, decide)
