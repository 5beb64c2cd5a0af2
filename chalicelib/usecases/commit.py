"""The one loop in which changes are decided and written.

A change is decided on the state just read; if the state moved meanwhile, the store hands the new
state back with the refusal, and the change is decided again on it. No lock, no lost update.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.session import Session
from chalicelib.usecases.ports import Change, Clock, Contended, NewId, Pause, SessionMoved, Store

ROUNDS = 60
"""Enough for as many writers at once as a session may have live questions: an asker that is told to
come back does not (zimmer 1.4). All pauses together stay under API Gateway's 29 seconds."""
FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.15

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class World:
    """What every change needs: the store, the clock, fresh ids, and a way to wait."""

    store: Store
    clock: Clock
    new_id: NewId
    pause: Pause


def commit_until_settled(
    world: World,
    session: Session | None,
    decide: Callable[[Session | None, str], tuple[Change | None, T]],
) -> T:
    """Decide on `session`, commit, and decide anew as long as the session moves under us.

    `decide` gets the session and an attempt id, and returns the change (None: nothing to write) and
    the value to return; what it raises ends the loop, as does `ElicitationMoved`. Raises `TryAgain`
    when the session stays contended for all rounds.
    """
    attempt = world.new_id()
    wait = FIRST_PAUSE
    for round_ in range(ROUNDS):
        change, value = decide(session, attempt)
        if change is None:
            return value
        try:
            world.store.commit(change)
        except SessionMoved as moved:
            session = moved.current
        except Contended:
            if change.before is not None:
                session = world.store.session(change.before.id)
        else:
            return value
        world.pause(wait * _spread(attempt, round_))
        wait = min(wait * 1.5, LONGEST_PAUSE)
    raise TryAgain("The session is very busy; try again in a moment.")


def _spread(attempt: str, round_: int) -> float:
    """0.5 up to 1.5, another one for each caller and round, so that callers part."""
    return 0.5 + crc32(f"{attempt}/{round_}".encode()) / 2**32
