"""The net under timers, notices and markers; every 5 minutes (seed, "Expiry" and "Stranded").

Cost grows with what is due, not with what exists: three bounded index queries and then one write
for each thing that is due. An error on one row does not stop the others.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import timedelta

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.events import Event
from chalicelib.domain.session import Session, strip_stale
from chalicelib.usecases.commit import World, commit_until_settled
from chalicelib.usecases.deliver_notice import resend_notices
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.ports import Change, Lists, Messenger, NoticeBox, Result

log = logging.getLogger("parley.cleanup")

MAX_DUE = 1_000
MAX_MARKED = 200


@dataclass(frozen=True, slots=True)
class Summary:
    """What one cleanup did. `overdue_seconds`: how late the longest overdue elicitation was;
    `undelivered_seconds`: how long the oldest undelivered notice has been due."""

    expired: int = 0
    repaired: int = 0
    resent: int = 0
    failed: int = 0
    overdue_seconds: int = 0
    undelivered_seconds: int = 0


def clean_up(
    *, world: World, lists: Lists, box: NoticeBox, messenger: Messenger
) -> Result[Summary]:
    """Expire what is due, repair markers, queue undelivered notices again, in this order."""
    expired = expire_due(world=world, lists=lists, messenger=messenger)
    repaired = repair_sessions(world=world, lists=lists)
    resent, undelivered = resend_notices(world=world, box=box, messenger=messenger)
    summary = replace(
        expired.value,
        repaired=repaired.value.repaired,
        failed=expired.value.failed + repaired.value.failed,
        resent=resent,
        undelivered_seconds=undelivered,
    )
    return Result(summary, expired.facts + repaired.facts)


def expire_due(*, world: World, lists: Lists, messenger: Messenger) -> Result[Summary]:
    """Pass A: every elicitation past its deadline gets `expired`, whatever its session's state."""
    now = world.clock()
    summary, facts = Summary(), list[Event]()
    for due in lists.due(now, limit=MAX_DUE):
        late = int((now - due.expires_at) / timedelta(seconds=1))
        summary = replace(summary, overdue_seconds=max(summary.overdue_seconds, late))
        try:
            result = expire_elicitation(due, world=world, messenger=messenger)
        except Exception as error:
            _note_failure(error, due.key)
            summary = replace(summary, failed=summary.failed + 1)
            continue
        summary = replace(summary, expired=summary.expired + bool(result.facts))
        facts += result.facts
    return Result(summary, tuple(facts))


def repair_sessions(*, world: World, lists: Lists) -> Result[Summary]:
    """Pass B: restore "marker set => a live elicitation exists" for marked sessions.

    A session in order goes to the end of the line, so that every marked one gets its turn.
    """
    summary, facts = Summary(), list[Event]()
    for session_id in lists.marked_sessions(world.clock(), limit=MAX_MARKED):
        try:
            result = repair_session(session_id, world=world)
            if not result.value:
                world.store.note_checked(session_id, world.clock())
        except Exception as error:
            _note_failure(error, session_id)
            summary = replace(summary, failed=summary.failed + 1)
            continue
        summary = replace(summary, repaired=summary.repaired + result.value)
        facts += result.facts
    return Result(summary, tuple(facts))


def repair_session(session_id: str, *, world: World) -> Result[bool]:
    """Strip the markers of one session that no pending elicitation stands behind."""

    def decide(session: Session | None, attempt: str) -> tuple[Change | None, Result[bool]]:
        if session is None or not session.live:
            return None, Result(False)
        rows = world.store.elicitations(sorted(session.live))
        standing = {row.key for row in rows if row.is_pending and row.session_id == session.id}
        stale = frozenset(session.live.keys() - standing)
        newest = max(rows, key=lambda row: row.created_at, default=None)
        taken = strip_stale(session, stale, newest, world.clock())
        if taken is None:
            return None, Result(False)
        change = Change(attempt=attempt, before=session, after=taken.session, events=taken.events)
        return change, Result(True, taken.events)

    return commit_until_settled(world, world.store.session(session_id), decide)


def _note_failure(error: Exception, identity: str) -> None:
    """Busy storage is a matter of time; anything else is a defect, and its trace is wanted."""
    if isinstance(error, TryAgain):
        log.warning("busy, left for the next run: %s", identity)
    else:
        log.error("left for the next run: %s", identity, exc_info=error)
