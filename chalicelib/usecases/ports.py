"""What the use cases need from the world, as Protocols. Adapters implement them; bootstrap wires
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.events import Event, NumberedEvent
from chalicelib.domain.session import Session
from chalicelib.usecases.turn_rows import TurnRows

T = TypeVar("T")

Clock = Callable[[], datetime]
"""The current instant, aware UTC."""

NewId = Callable[[], str]
"""An unguessable URL-safe id, never the same twice."""

Pause = Callable[[float], None]
"""Wait that many seconds."""


class SessionMoved(Exception):
    """The session changed since it was read; `current` is the row now (None: it is gone)."""

    def __init__(self, current: Session | None) -> None:
        super().__init__("the session changed")
        self.current = current


class ElicitationMoved(Exception):
    """The elicitation is not in the state that the change needs; `current` is the row now."""

    def __init__(self, current: Elicitation | None) -> None:
        super().__init__("the elicitation changed")
        self.current = current


class Contended(Exception):
    """Another transaction was at the same rows; nothing was written, trying again may succeed."""


class Needs(StrEnum):
    """What must hold of an elicitation's row for its outcome to be written."""

    LIVE = "live"  # pending and before its deadline
    DUE = "due"  # pending at or after its deadline
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One elicitation's outcome to write, on a condition, with the clock inside it."""

    after: Elicitation
    needs: Needs
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One transaction: a session's next state, its events, and the rows that go with them.

    `before` is None when the session is new or gone; `after` None when it is deleted. The store
    writes all of it or nothing, on the condition that the session is still at `before.version`.
    """

    attempt: str
    before: Session | None
    after: Session | None
    events: Sequence[Event] = ()
    created: Elicitation | None = None
    outcomes: Sequence[Outcome] = field(default_factory=tuple)
    turn: TurnRows | None = None


class Store(Protocol):
    """Sessions, elicitations and the journal: read by key, changed by transaction only.

    Any method may raise `TryAgain` when storage is busy or unreachable.
    """

    def session(self, session_id: str) -> Session | None:
        """The session now (consistent read)."""

    def elicitation(self, key: str, *, consistent: bool = True) -> Elicitation | None:
        """The elicitation; with `consistent=False` at half the price and possibly a moment old."""

    def elicitations(self, keys: Sequence[str]) -> list[Elicitation]:
        """Those of `keys` that exist, in no order."""

    def sessions(self, ids: Sequence[str]) -> list[Session]:
        """Those of `ids` that exist, in no order."""

    def commit(self, change: Change) -> None:
        """Write a change. Raises `SessionMoved`, `ElicitationMoved` or `Contended`; a repeat of the
        same attempt after a lost acknowledgement succeeds silently."""

    def note_seen(self, key: str, now: datetime) -> None:
        """Note that the asker polled (at most once a minute; losing one is harmless)."""

    def note_checked(self, session_id: str, now: datetime) -> None:
        """Note that cleanup found a marked session in order; its next check comes later."""

    def note_receipt(self, key: str, now: datetime) -> None:
        """Stamp the first poll that carried the outcome; later stamps change nothing."""


class Journal(Protocol):
    """The events of one session, read in order."""

    def events(self, session_id: str, *, after: int, limit: int) -> list[NumberedEvent]:
        """Events with a version over `after`, oldest first, at most `limit`."""


@dataclass(frozen=True, slots=True)
class PageOf:
    """A page of sessions; `next` continues after it, None at the end."""

    sessions: Sequence[Session]
    next: str | None


class Lists(Protocol):
    """What lists show: from sparse indexes, a moment behind the rows."""

    def sessions(self, *, owner: str | None, limit: int, after: str | None) -> PageOf:
        """Sessions, newest first, of one owner or of all."""

    def of_session(self, session_id: str, *, limit: int) -> list[Elicitation]:
        """The session's elicitations, newest first."""

    def live(self, *, limit: int) -> list[Elicitation]:
        """Pending elicitations of all sessions, soonest deadline first."""

    def due(self, now: datetime, *, limit: int) -> list[Elicitation]:
        """Pending elicitations whose deadline has passed, longest overdue first."""

    def marked_sessions(self, now: datetime, *, limit: int) -> list[str]:
        """Ids of marked sessions whose next check has come, longest unchecked first."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What to tell people about one elicitation. `server` is known for a card only, which is told
    like an elicitation in URL mode."""

    kind: str  # needs_input | reminder | lost | card
    elicitation: Elicitation
    session: Session | None
    server: str | None = None


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A notice that is due since an instant."""

    key: str
    kind: str
    since: datetime


class NoticeBox(Protocol):
    """The outbox of notices: flags on the rows, removed when delivered."""

    def undelivered(self, before: datetime, *, limit: int) -> list[Undelivered]:
        """Notices that were due before the instant and are not delivered, longest due first."""

    def flag(self, key: str, kind: str, now: datetime) -> bool:
        """Make a notice due; False when the elicitation has its outcome."""

    def claim(self, key: str, kind: str, now: datetime) -> Elicitation | None:
        """Take the right to deliver for a minute; None when it is delivered, claimed or void."""

    def delivered(self, key: str, kind: str, now: datetime) -> None:
        """Stamp a delivered notice and drop its flag."""


class Messenger(Protocol):
    """Queues. Sending never raises: what is due stands in the rows, and cleanup sends again."""

    def wake(self, key: str, at: datetime, now: datetime) -> None:
        """Put one message on `timers` that arrives at the instant or earlier (at most 15
        minutes)."""

    def queue_notice(self, key: str, kind: str) -> None:
        """Put one message on `notices`."""


class Publisher(Protocol):
    """The topic that tells people."""

    def publish(self, notice: Notice, link: str, now: datetime) -> None:
        """Publish one notice. Raises when it was not accepted."""


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """A use case's answer and the facts that happened on the way."""

    value: T
    facts: tuple[Event, ...] = ()


def describe(elicitation: Elicitation) -> dict[str, Any]:
    """What a caller who comes too late is told about the outcome (never another's secret state)."""
    told: dict[str, Any] = {"action": elicitation.status.value}
    if elicitation.content is not None:
        told["content"] = dict(elicitation.content)
    if elicitation.answered_at is not None:
        told["answered_at"] = elicitation.answered_at.isoformat()
    if elicitation.answered_by is not None:
        told["channel"] = elicitation.answered_by.channel.value
    if elicitation.reason is not None:
        told["reason"] = elicitation.reason
    return told
