"""A turn on its way: steps gather in memory and are written in one transaction before anything
happens outside.

So a crash loses at most what was not written yet, and what was about to happen outside stands in
the row before it happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from chalicelib.domain.cards import Card
from chalicelib.domain.consent import Consent
from chalicelib.domain.events import Event
from chalicelib.domain.session import Session, step
from chalicelib.domain.turn import LEASE, Round, Turn
from chalicelib.domain.turn_steps import Stepped, loggable
from chalicelib.usecases.commit import commit_until_settled
from chalicelib.usecases.ports import Change
from chalicelib.usecases.turn_ports import Relay
from chalicelib.usecases.turn_rows import TurnRows


class Superseded(Exception):
    """The turn was changed by somebody else: cancelled, decided, or taken by another worker."""


class Draft:
    """The session and turn as last written, and the steps taken since."""

    def __init__(self, session: Session, turn: Turn, relay: Relay) -> None:
        self.session = session
        self.turn = turn
        self.facts: list[Event] = []
        self.base = session.version  # the session's version before the last flush
        self._stored = turn.version
        self._relay = relay
        self._told: list[Event] = []
        self._session_steps: list[Callable[[Session], Session]] = []
        self._empty_rows()

    def _empty_rows(self) -> None:
        self.rounds: list[Round] = []
        self.opened: list[Card] = []
        self.decided: list[Card] = []
        self.granted: list[Consent] = []
        self.taken: list[str] = []

    def now(self) -> datetime:
        """The clock."""
        return self._relay.world.clock()

    def new_id(self, prefix: str) -> str:
        """A fresh id of a kind."""
        return f"{prefix}_{self._relay.world.new_id()}"

    def take(self, stepped: Stepped) -> None:
        """One step further."""
        self.turn, told = stepped
        self._told += told

    def tell(self, *told: Event) -> None:
        """Events beside those of steps."""
        self._told += told

    def change(self, **changes: object) -> None:
        """Change the turn's row without an event."""
        self.turn = replace(self.turn, **changes)  # type: ignore[arg-type]

    def change_session(self, changed: Callable[[Session], Session]) -> None:
        """Change the session too; applied to the session as it is when it is written."""
        self._session_steps.append(changed)

    def hold(self, worker: str) -> None:
        """The worker goes on with the turn for as long as its function may run."""
        self.change(worker=worker, leased_until=self.now() + LEASE)

    def let_go(self) -> None:
        """No worker is at it, and the one that was got on."""
        self.change(worker=None, leased_until=None, runs=0)

    def flush(self) -> None:
        """Write all steps since the last flush. Raises `Superseded` when the turn moved meanwhile,
        and `TryAgain`. Nothing to write is written nowhere."""
        self.session = commit_until_settled(self._relay.world, self.session, self._decide)
        self.turn = replace(self.turn, version=self._stored + 1)
        self._stored = self.turn.version
        self.facts += loggable(self._told)
        self._told, self._session_steps = [], []
        self._empty_rows()

    def _decide(self, session: Session | None, attempt: str) -> tuple[Change, Session]:
        if session is None or session.turn_id not in (None, self.turn.id):
            raise Superseded
        if session is not self.session:
            self._check_unmoved()
        after = session
        for changed in self._session_steps:
            after = changed(after)
        now = self.now()
        self.base = session.version
        taken = step(session, after, *self._told, now=now)
        change = Change(
            attempt=attempt,
            before=session,
            after=taken.session,
            events=taken.events,
            turn=self._rows(session),
        )
        return change, taken.session

    def _rows(self, session: Session) -> TurnRows:
        asked_at = self.turn.asked_at
        if self.opened:
            asked_at = session.version + len(self._told)
        self.turn = replace(self.turn, asked_at=asked_at)
        return TurnRows(
            turn=replace(self.turn, version=self._stored + 1),
            rounds=tuple(self.rounds),
            opened=tuple(self.opened),
            decided=tuple(self.decided),
            granted=tuple(self.granted),
            taken=tuple(self.taken),
        )

    def _check_unmoved(self) -> None:
        """The session moved; the turn may not have."""
        if self._stored == 0:
            return
        current = self._relay.rows.turn(self.turn.session_id, self.turn.id)
        if current is None or current.version != self._stored:
            raise Superseded
