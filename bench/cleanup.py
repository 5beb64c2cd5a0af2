"""One cleanup over 100,000 stored and 1,000 due elicitations, against one over the due ones alone.

The embedded engine walks a whole index for each query; DynamoDB does not. Requests, and the rows
that they return, are what counts on AWS; the times are the engine's.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from bench.recorded import recording
from bench.rows import Row
from bench.stage import Stage, stage
from bench.stored import answered, elicitation, row, session_row, write

STORED: Final = 100_000
DUE: Final = 1_000
LIVE: Final = 1_000
EACH: Final = 5
"""Questions of one session."""

READS: Final = {"GetItem", "Query", "BatchGetItem"}
WRITES: Final = {"TransactWriteItems", "UpdateItem", "PutItem", "BatchWriteItem"}
SENDS: Final = {"SendMessage"}
AT_MOST: Final = 1.05
"""Requests with much stored over requests with nothing else stored: what exists must not count."""


def run() -> list[Row]:
    """Time and requests for each due row, with much stored against with nothing else."""
    with _patient_stage() as on:
        alone, bare = _cleanup(on)
    with _patient_stage() as on:
        write(on, _settled(on.services.clock()))
        write(on, _pending(on.services.clock(), LIVE, timedelta(hours=1)))
        took, counts = _cleanup(on)
    told = f"per due row, {DUE:,} due of {STORED:,} stored"
    rows = [Row(what=f"time {told}", value=took / DUE, floor=alone / DUE)]
    for what, kinds in (("reads", READS), ("writes", WRITES), ("sends", SENDS)):
        value, floor = (sum(c[kind] for kind in kinds) / DUE for c in (counts, bare))
        rows.append(Row(what=f"{what} {told}", value=value, floor=floor, unit="", at_most=AT_MOST))
    return rows


@contextlib.contextmanager
def _patient_stage() -> Iterator[Stage]:
    """With a client that waits while the engine walks its indexes, which takes seconds."""
    with stage() as on:
        on.services.dynamodb = on.clients.dynamodb
        yield on


def _cleanup(on: Stage) -> tuple[float, Counter[str]]:
    """Milliseconds and requests of one cleanup that finds `DUE` elicitations due."""
    from chalicelib.jobs.cleanup import cleanup

    now = on.services.clock()
    write(on, _pending(now - timedelta(hours=1), DUE, timedelta(minutes=59)))
    with recording(on.services.dynamodb, on.services.messenger.client) as calls:
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):  # metrics
            summary = cleanup(on.services)
        took = (time.perf_counter() - start) * 1000
    if summary["expired"] != DUE:
        raise RuntimeError(summary)
    return took, Counter(operation for _, operation, _ in calls)


def _pending(created_at: datetime, count: int, window: timedelta) -> Iterator[dict[str, Any]]:
    """Questions, `EACH` of a session, and their sessions."""
    for number in range(count // EACH):
        session_id = f"session_{number:032x}{int(created_at.timestamp())}"
        asked = [elicitation(session_id, created_at=created_at, window=window) for _ in range(EACH)]
        yield from map(row, asked)
        yield session_row(session_id, asked, created_at)


def _settled(now: datetime) -> Iterator[dict[str, Any]]:
    for number in range(STORED):
        at = now - timedelta(days=20, seconds=number)
        one = elicitation(f"session_{number // 20:032x}", created_at=at, window=timedelta(hours=1))
        yield row(answered(one))
