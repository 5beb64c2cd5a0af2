"""From a deadline to the recorded `expired`, by nothing but the timers queue.

Two pumps hand messages to the function as Lambda's event source does; SQS delays are whole seconds.
"""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any, Final

from bench.rows import Row, percentiles
from bench.stage import Stage, stage
from bench.stored import elicitation, row, session_row, write
from infra.local.pump import Pump
from infra.local.triggers import queue_handlers

COUNT: Final = 60
FIRST: Final = timedelta(seconds=3)
SPREAD: Final = timedelta(seconds=12)
PUMPS: Final = 2
GIVE_UP_SECONDS: Final = 60
P99_AT_MOST: Final = 5_000


def run() -> list[Row]:
    """Milliseconds; a deadline is to be kept within seconds."""
    with stage() as on:
        asked = _ask(on)
        stop = threading.Event()
        threads = [threading.Thread(target=pump.run, args=(stop,)) for pump in _pumps(on)]
        for thread in threads:
            thread.start()
        delays = [_delay(on, one) for one in asked]
        stop.set()
        for thread in threads:
            thread.join()
    rows = percentiles("deadline to expired", delays)
    worst = Row(what="deadline to expired, worst", value=max(delays), at_most=P99_AT_MOST)
    return [*rows, worst]


def _ask(on: Stage) -> list[Any]:
    """Questions with deadlines spread over seconds: the API would give each a minute at least."""
    now = on.services.clock()
    asked = []
    for number in range(COUNT):
        window = FIRST + SPREAD * number / COUNT
        session_id = f"session_{number:032x}"
        one = elicitation(session_id, created_at=now, window=window)
        write(on, [row(one), session_row(session_id, [one], now)])
        on.services.messenger.wake(one.key, one.expires_at, on.services.clock())
        asked.append(one)
    return asked


def _pumps(on: Stage) -> list[Pump]:
    handler = next(h for h in queue_handlers(_with_triggers()) if h.name == "run_timers")
    url = on.environ["PARLEY_TIMERS_QUEUE_URL"]
    return [Pump(on.clients.sqs, url, handler) for _ in range(PUMPS)]


def _with_triggers() -> Any:
    """The app of the entry point, whose services read the same environment."""
    import app as service

    return service.app


def _delay(on: Stage, one: Any) -> float:
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < deadline:
        found = on.services.store.elicitation(one.key)
        if found is not None and not found.is_pending:
            late: timedelta = found.answered_at - one.expires_at
            return late / timedelta(milliseconds=1)
        time.sleep(0.05)
    raise RuntimeError("a timer never rang")
