"""A session's journal as server-sent events: replay, wait, say goodbye.

The same generator serves an open connection (local server) and a finite body (API Gateway, which
passes on whole answers of at most 29 seconds): they differ in pace only. No HTTP in here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.api.views import event_body
from chalicelib.domain.events import NumberedEvent

PAGE: Final = 100
HEARTBEAT: Final = ": heartbeat\n\n"
RETRY_MS: Final = 100


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds, and bytes of all frames. With `settle` the stream ends that long after it had
    something to tell: nobody reads a finite body before its end."""

    total: float
    settle: float | None = None
    first_look: float = 0.1
    slowest_look: float = 1.0
    heartbeat: float = 15.0
    most_bytes: int = 4_000_000


@dataclass(frozen=True, slots=True)
class Watch:
    """What one client follows: a session's events after a version, of the types it wants."""

    session_id: str
    after: int
    wants: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Source:
    """Where events come from (after a version, at most so many), a clock in seconds, a way to
    wait."""

    events: Callable[[int, int], Sequence[NumberedEvent]]
    monotonic: Callable[[], float]
    pause: Callable[[float], None]


def frames(watch: Watch, pace: Pace, source: Source) -> Iterator[str]:
    """`connected`, events with their ids, heartbeats while there is nothing, `disconnecting`.

    An id alone goes ahead of the goodbye when the last events were not wanted, so that the next
    connection does not look at them again.
    """
    yield frame("connected", {"status": "connected"})
    state = _State(watch.after, source.monotonic())
    look = pace.first_look
    while not state.is_over(pace, source.monotonic()):
        page = source.events(state.seen, PAGE)
        state.has_looked = True
        for numbered in page:
            state.seen = numbered.version
            if watch.wants(numbered.event.type):
                text = _event_frame(watch.session_id, numbered)
                state.tell(numbered.version, len(text), source.monotonic())
                yield text
        if len(page) == PAGE:
            continue
        if source.monotonic() - state.last_sent >= pace.heartbeat:
            state.last_sent = source.monotonic()
            yield HEARTBEAT
        look = pace.first_look if page else min(look * 1.5, pace.slowest_look)
        source.pause(state.sleep(look, pace, source.monotonic()))
    if state.seen > max(state.told, watch.after):
        yield f"id: {_event_id(state.seen)}\n\n"
    yield frame("disconnecting", {"reason": "connection_cycle", "retry_ms": RETRY_MS})


def frame(name: str, data: Any, *, event_id: str | None = None) -> str:
    """One event; JSON has no raw line breaks, so `data` is one line."""
    head = f"event: {name}\n" + (f"id: {event_id}\n" if event_id else "")
    return f"{head}retry: {RETRY_MS}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


class _State:
    """How far a stream is."""

    def __init__(self, after: int, now: float) -> None:
        self.seen = after
        self.told = 0
        self.size = 0
        self.has_looked = False
        self.began = now
        self.last_sent = now
        self.last_told: float | None = None

    def tell(self, version: int, size: int, now: float) -> None:
        self.told = version
        self.size += size
        self.last_sent = self.last_told = now

    def is_over(self, pace: Pace, now: float) -> bool:
        """At least one look is taken, however short the time."""
        settled = (
            pace.settle is not None
            and self.last_told is not None
            and now - self.last_told >= pace.settle
        )
        is_late = self._left(pace, now) <= 0
        return settled or self.size > pace.most_bytes or (self.has_looked and is_late)

    def sleep(self, look: float, pace: Pace, now: float) -> float:
        """Until the next look, the end, or the settling, whichever is first."""
        waits = [look, max(self._left(pace, now), 0.0)]
        if pace.settle is not None and self.last_told is not None:
            waits.append(max(self.last_told + pace.settle - now, 0.0))
        return min(waits)

    def _left(self, pace: Pace, now: float) -> float:
        return self.began + pace.total - now


def _event_id(version: int) -> str:
    return f"event_{version:012d}"


def _event_frame(session_id: str, numbered: NumberedEvent) -> str:
    body = event_body(session_id, numbered)
    return frame(numbered.event.type, body, event_id=_event_id(numbered.version))
