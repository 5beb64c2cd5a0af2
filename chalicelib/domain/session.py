"""One run of an agent, and whether it needs a person.

`needs_input` is computed from what is live, never stored. Each transition takes a session and
returns the next one with the events that tell it; storage writes both in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from chalicelib.domain import events
from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.errors import SessionEnded, TooManyLive
from chalicelib.domain.events import Event
from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.text import summary

MAX_LIVE: Final = 40
"""Live elicitations of one session: they are withdrawn together in one transaction (AWS: 100
items)."""


class HostStatus(StrEnum):
    """What the host says about the agent's process; `needs_input` is ours to say, not the
    host's."""

    RUNNING = "running"
    IDLE = "idle"
    ARCHIVED = "archived"
    FAILED = "failed"


ENDED: Final = frozenset({HostStatus.ARCHIVED, HostStatus.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session as stored. `live` and `cards` map what waits for a person to its deadline (UTC).

    `version` is the number of the last journal event. `token_generation` revokes older session
    tokens; `secret` makes handles for weak request ids. `turn_id` is the turn in progress.
    """

    id: str
    owner: str
    created_at: datetime
    updated_at: datetime
    secret: str
    status: HostStatus = HostStatus.RUNNING
    version: int = 0
    title: str | None = None
    agent_id: str | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    mcp_servers: tuple[str, ...] = ()
    live: Mapping[str, datetime] = field(default_factory=dict)
    cards: Mapping[str, datetime] = field(default_factory=dict)
    lost: Lost | None = None
    token_generation: int = 1
    turn_id: str | None = None

    @property
    def is_ended(self) -> bool:
        """Whether the host said that the agent's process is over."""
        return self.status in ENDED

    def live_keys(self, now: datetime) -> tuple[str, ...]:
        """Keys of the elicitations that may still be answered, soonest deadline first."""
        return tuple(
            key for key, at in sorted(self.live.items(), key=lambda item: item[1]) if at > now
        )

    def overdue_keys(self, now: datetime) -> tuple[str, ...]:
        """Keys whose deadline has passed and whose outcome is not recorded yet."""
        return tuple(key for key, at in self.live.items() if at <= now)

    def needs_input(self, now: datetime) -> bool:
        """A person is needed: something is live, a card is open, or a round trip was stranded."""
        if self.is_ended:
            return False
        stranded = self.lost is not None and self.lost.reason is LostReason.STRANDED
        return bool(self.live_keys(now)) or bool(self.cards) or stranded

    @property
    def is_marked(self) -> bool:
        """What the journal last told of `needs_input`: the marker stays until an outcome is
        recorded, also in the moments between a deadline and its recording."""
        stranded = self.lost is not None and self.lost.reason is LostReason.STRANDED
        return not self.is_ended and bool(self.live or self.cards or stranded)

    def shown_status(self, now: datetime) -> str:
        """The status on the wire: the host's word unless a person is needed or a turn runs here."""
        if not self.is_ended and self.cards:
            return "waiting_for_tool_results"
        if self.needs_input(now):
            return "needs_input"
        return "active" if self.turn_id is not None and not self.is_ended else self.status.value


@dataclass(frozen=True, slots=True)
class Step:
    """A session's next state and the events that led to it."""

    session: Session
    events: tuple[Event, ...]


def step(before: Session, after: Session, *happened: Event, now: datetime) -> Step:
    """Close a transition: adds the event that tells a flip of `needs_input`, and the new
    version."""
    told = list(happened)
    if before.is_marked != after.is_marked and not after.is_ended:
        name = events.SESSION_NEEDS_INPUT if after.is_marked else events.SESSION_RUNNING
        told.append(Event(type=name, at=now, data={"status": after.shown_status(now)}))
    return Step(replace(after, version=before.version + len(told), updated_at=now), tuple(told))


def ask(session: Session, elicitation: Elicitation, now: datetime) -> Step:
    """A new elicitation joins the session; it clears an older lost record.

    Raises `SessionEnded` for an archived or failed session and `TooManyLive` over `MAX_LIVE`.
    """
    if session.is_ended:
        message = f"The session is {session.status.value}: nobody is there to wait for an answer."
        raise SessionEnded(message)
    if len(session.live) >= MAX_LIVE:
        raise TooManyLive(f"The session already has {MAX_LIVE} questions waiting.")
    after = replace(
        session, live={**session.live, elicitation.key: elicitation.expires_at}, lost=None
    )
    data = {
        "request_id": elicitation.key,
        "mode": elicitation.mode.value,
        "expires_at": elicitation.expires_at.isoformat(),
    }
    return step(session, after, Event(type=events.ELICITATION_CREATED, at=now, data=data), now=now)


def settle(session: Session, elicitation: Elicitation, now: datetime) -> Step:
    """An elicitation of the session got its outcome (`elicitation` is the row after it).

    A person's answer clears a lost record; an expiry that leaves nothing live writes one, unless
    the session has ended (zimmer 3.3).
    """
    live = {key: at for key, at in session.live.items() if key != elicitation.key}
    after = replace(session, live=live, lost=_lost_after(session, elicitation, live, now))
    told = [outcome_event(elicitation, now)]
    newly_lost = after.lost if after.lost is not session.lost else None
    if newly_lost is not None and newly_lost.reason is LostReason.STRANDED:
        told.append(_stranded_event(newly_lost, now))
    return step(session, after, *told, now=now)


def strip_stale(
    session: Session, stale: frozenset[str], newest: Elicitation | None, now: datetime
) -> Step | None:
    """Drop markers whose elicitation is gone or already has its outcome (seed, "Stranded").

    A session that showed `needs_input` only for them stays so with a `stranded` record; one that
    did not gets no banner, since its agent never stopped. None when there is nothing to strip.
    """
    gone = stale & session.live.keys()
    if not gone:
        return None
    live = {key: at for key, at in session.live.items() if key not in gone}
    after = replace(session, live=live)
    told = [Event(type=events.SESSION_REPAIRED, at=now, data={"request_ids": sorted(gone)})]
    if session.needs_input(now) and not after.needs_input(now):
        record = _record(LostReason.STRANDED, newest, now)
        after = replace(after, lost=record)
        told.append(_stranded_event(record, now))
    return step(session, after, *told, now=now)


def resume(session: Session, now: datetime) -> Step:
    """The host goes on with the session: running again, any lost record cleared."""
    after = replace(session, status=HostStatus.RUNNING, lost=None)
    return step(session, after, Event(type=events.SESSION_RESUMED, at=now), now=now)


def _lost_after(
    session: Session, elicitation: Elicitation, live: Mapping[str, datetime], now: datetime
) -> Lost | None:
    if elicitation.status is not Status.EXPIRED:
        answered = elicitation.reason is None
        return None if answered else session.lost
    if session.is_ended or any(at > now for at in live.values()):
        return session.lost
    silent = elicitation.asker_was_silent()
    return _record(LostReason.STRANDED if silent else LostReason.EXPIRED, elicitation, now)


def _record(reason: LostReason, elicitation: Elicitation | None, now: datetime) -> Lost:
    if elicitation is None:
        return Lost(reason=reason, at=now)
    return Lost(
        reason=reason,
        at=now,
        request_id=elicitation.key,
        summary=summary(elicitation.tool_name, elicitation.message),
    )


def outcome_event(elicitation: Elicitation, now: datetime) -> Event:
    """The event that tells an elicitation's outcome (`elicitation` is the row after it)."""
    data: dict[str, Any] = {"request_id": elicitation.key}
    if elicitation.status is Status.EXPIRED:
        return Event(type=events.ELICITATION_EXPIRED, at=now, data=data)
    data["action"] = elicitation.status.value
    if elicitation.answered_by is not None:
        by = elicitation.answered_by
        data |= {"by": by.name, "channel": by.channel.value}
    if elicitation.reason is None:
        data["after_ms"] = (now - elicitation.created_at) // timedelta(milliseconds=1)
        return Event(type=events.ELICITATION_ANSWERED, at=now, data=data)
    data["reason"] = elicitation.reason
    return Event(type=events.ELICITATION_WITHDRAWN, at=now, data=data)


def _stranded_event(record: Lost, now: datetime) -> Event:
    return Event(type=events.SESSION_STRANDED, at=now, data={"request_id": record.request_id})
