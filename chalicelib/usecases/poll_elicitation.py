"""The asker looks: one read, and never a failure that the asker cannot mend.

The rare writes (last seen at most once a minute, the receipt once, an expiry that is due) must not
fail a poll; clients of the protocol take any non-2xx for the end of the round trip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chalicelib.domain import events
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.errors import NotFound, TryAgain
from chalicelib.domain.events import Event
from chalicelib.usecases.commit import World
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.ports import Messenger, Result

LOOK_EVERY = 0.4
"""Seconds between looks while a poll is held; half of it is the median delay of an answer."""


@dataclass(frozen=True, slots=True)
class Polled:
    """What the asker is told. `elicitation` None means: could not look, so keep waiting."""

    elicitation: Elicitation | None

    @property
    def is_degraded(self) -> bool:
        """Whether the answer is `pending` for want of knowing better."""
        return self.elicitation is None


def poll_elicitation(
    key: str, *, session_id: str | None, wait: float, world: World, messenger: Messenger
) -> Result[Polled]:
    """The elicitation's state, held for up to `wait` seconds (0..20) while it is pending. Trouble
    ends the wait: another look could outlast the gateway, and the asker comes back anyway.

    `session_id` restricts it to the token's session. Raises `NotFound` only.
    """
    until = world.clock() + timedelta(seconds=wait)
    while True:
        try:
            result = _look(key, session_id=session_id, world=world, messenger=messenger)
        except TryAgain:
            return Result(Polled(None))
        found = result.value.elicitation
        if found is None or not found.is_pending or world.clock() >= until:
            return result
        world.pause(LOOK_EVERY)


def _look(
    key: str, *, session_id: str | None, world: World, messenger: Messenger
) -> Result[Polled]:
    found = _read(key, world)
    if found is None or session_id not in (None, found.session_id):
        raise NotFound("There is no such elicitation.")
    now = world.clock()
    if found.is_due(now):
        seen = replace(found, last_seen_at=now)  # whoever looks has not gone silent
        expired = expire_elicitation(seen, world=world, messenger=messenger)
        return _with_notes(expired.value, expired.facts, now, world)
    return _with_notes(found, (), now, world)


def _read(key: str, world: World) -> Elicitation | None:
    """The cheap read first; what it does not find may be newer than it sees."""
    found = world.store.elicitation(key, consistent=False)
    return found or world.store.elicitation(key, consistent=True)


def _with_notes(
    found: Elicitation, facts: tuple[Event, ...], now: datetime, world: World
) -> Result[Polled]:
    try:
        if found.wants_last_seen(now):
            world.store.note_seen(found.key, now)
        if found.wants_receipt():
            world.store.note_receipt(found.key, now)
            facts += (_receipt(found, now),)
    except TryAgain:
        pass  # the next poll notes it; the asker's answer does not depend on it
    return Result(Polled(found), facts)


def _receipt(found: Elicitation, now: datetime) -> Event:
    delay = now - (found.answered_at or now)
    data = {"request_id": found.key, "delay_ms": int(delay / timedelta(milliseconds=1))}
    return Event(type=events.RECEIPT_STAMPED, at=now, data=data)
