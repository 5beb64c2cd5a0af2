"""Tell people: every notice once, claimed before and stamped after delivery."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from chalicelib.domain import events
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.events import Event
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import Messenger, Notice, NoticeBox, Publisher, Result

OVERDUE_AFTER = timedelta(minutes=2)
"""A notice that the queue has not delivered by then is queued again by cleanup."""

MAX_RESENT = 500


def deliver_notice(
    key: str,
    kind: str,
    *,
    link_for: Callable[[Elicitation], str],
    world: World,
    box: NoticeBox,
    publisher: Publisher,
) -> Result[bool]:
    """Deliver one notice if it is still wanted; False when it was not.

    A delivery that fails raises what the publisher raised: the queue tries again, the claim lapses.
    """
    now = world.clock()
    elicitation = box.claim(key, kind, now)
    if elicitation is None:
        return Result(False)
    notice = Notice(kind, elicitation, world.store.session(elicitation.session_id))
    publisher.publish(notice, link_for(elicitation), now)
    box.delivered(key, kind, world.clock())
    data = {"request_id": key, "kind": kind}
    return Result(True, (Event(type=events.NOTICE_SENT, at=now, data=data),))


def resend_notices(*, world: World, box: NoticeBox, messenger: Messenger) -> tuple[int, int]:
    """Queue again what was due `OVERDUE_AFTER` ago and is not delivered.

    Returns how many, and how many seconds the oldest of them has been due.
    """
    now = world.clock()
    overdue = box.undelivered(now - OVERDUE_AFTER, limit=MAX_RESENT)
    for notice in overdue:
        messenger.queue_notice(notice.key, notice.kind)
    oldest = int((now - overdue[0].since).total_seconds()) if overdue else 0
    return len(overdue), oldest
