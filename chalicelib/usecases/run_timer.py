"""A question's timer rang: remind, expire, or wait on.

SQS may ring twice, late, or early (15 minutes is its longest delay); each ring looks at the row and
does what is due, so none of that matters.
"""

from __future__ import annotations

from chalicelib.domain.reminder import next_wake, wants_reminder
from chalicelib.usecases.commit import World
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.ports import Messenger, NoticeBox, Result


def run_timer(
    key: str, *, reminder_share: float, world: World, box: NoticeBox, messenger: Messenger
) -> Result[str]:
    """Returns what was done: `gone`, `settled`, `expired`, `reminded` or `waits`."""
    found = world.store.elicitation(key)
    if found is None or not found.is_pending:
        return Result("gone" if found is None else "settled")
    now = world.clock()
    if found.is_due(now):
        expired = expire_elicitation(found, world=world, messenger=messenger)
        return Result("expired", expired.facts)
    done = "waits"
    if wants_reminder(found, reminder_share, now) and box.flag(key, "reminder", now):
        messenger.queue_notice(key, "reminder")
        done = "reminded"
    at = next_wake(found, reminder_share, now)
    messenger.wake(key, at, now)
    return Result(done)
