"""The loop in which changes are decided and written."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.session import Session
from chalicelib.usecases.commit import ROUNDS, World, commit_until_settled
from chalicelib.usecases.ports import Change, Contended, ElicitationMoved, SessionMoved

NOW = datetime(2026, 5, 4, tzinfo=UTC)
SESSION = Session(id="s", owner="o", created_at=NOW, updated_at=NOW, secret="x", version=1)


class Refusing:
    """A store that refuses as it is told to, then accepts."""

    def __init__(self, *refusals: Exception) -> None:
        self.refusals, self.written, self.reads = list(refusals), list[Change](), 0

    def commit(self, change: Change) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        self.written.append(change)

    def session(self, _session_id: str) -> Session:
        self.reads += 1
        return replace(SESSION, version=7)


class Run:
    """One run of the loop, with what it saw and how long it waited."""

    def __init__(self, store: Any) -> None:
        self.waits: list[float] = []
        self.seen: list[Session | None] = []
        self.attempts: set[str] = set()
        self.world = World(store, lambda: NOW, iter("abc").__next__, self.waits.append)

    def decide(self, session: Session | None, attempt: str) -> tuple[Change | None, str]:
        self.seen.append(session)
        self.attempts.add(attempt)
        return Change(attempt=attempt, before=session, after=session), "done"

    def go(self) -> str:
        return commit_until_settled(self.world, SESSION, self.decide)


def test_what_is_not_refused_is_written_once() -> None:
    run = Run(store := Refusing())
    assert run.go() == "done"
    assert (len(store.written), run.waits) == (1, [])


def test_a_moved_session_is_decided_on_anew_without_another_read() -> None:
    newer = replace(SESSION, version=2)
    run = Run(store := Refusing(SessionMoved(newer), SessionMoved(None)))
    assert run.go() == "done"
    assert run.seen == [SESSION, newer, None]
    assert store.reads == 0
    assert len(run.attempts) == 1, "one attempt, so that a lost acknowledgement is recognised"


def test_contention_reads_the_session_again() -> None:
    run = Run(store := Refusing(Contended(), Contended()))
    assert run.go() == "done"
    assert store.reads == 2
    assert run.seen[-1] == replace(SESSION, version=7)


def test_waiting_grows_is_bounded_and_ends_in_try_again() -> None:
    run = Run(Refusing(*[Contended()] * (ROUNDS + 1)))
    with pytest.raises(TryAgain):
        run.go()
    assert len(run.seen) == ROUNDS
    assert run.waits[0] < 0.02
    assert max(run.waits) < 0.25
    assert sum(run.waits) < 20


def test_what_is_decided_or_refused_for_good_ends_the_loop() -> None:
    with pytest.raises(ElicitationMoved):
        Run(Refusing(ElicitationMoved(None))).go()
    run = Run(store := Refusing())
    assert commit_until_settled(run.world, SESSION, lambda _s, _a: (None, "nothing")) == "nothing"
    assert store.written == []


def test_two_writers_do_not_wait_in_step() -> None:
    one, two = Run(Refusing(*[Contended()] * 9)), Run(Refusing(*[Contended()] * 9))
    two.world.new_id()
    one.go()
    two.go()
    assert one.waits != two.waits
