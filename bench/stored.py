"""Rows in bulk, written past the service: what a deployment has stored after months."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from bench.stage import CONTENT, SCHEMA, Stage

BATCH: Final = 25
WRITERS: Final = 4
RETENTION: Final = timedelta(days=30)


def elicitation(session_id: str, *, created_at: datetime, window: timedelta) -> Any:
    """A pending question of a session."""
    from chalicelib.domain.elicitation import Elicitation

    key = str(uuid.uuid4())
    return Elicitation(
        key=key,
        session_id=session_id,
        request_id=key,
        message="Deploy to production?",
        schema=SCHEMA,
        tool_name="deploy",
        created_at=created_at,
        expires_at=created_at + window,
        attempt="bulk",
    )


def answered(pending: Any) -> Any:
    """The same question after its answer."""
    from chalicelib.domain.elicitation import Status
    from chalicelib.domain.principal import Actor, Channel

    return replace(
        pending,
        status=Status.ACCEPT,
        content=CONTENT,
        answered_at=pending.created_at + timedelta(seconds=40),
        answered_by=Actor("bulk", Channel.API),
    )


def row(one: Any) -> dict[str, Any]:
    """As stored, with every notice delivered; a settled one is in no index but its session's."""
    from chalicelib.storage.codec import elicitation_to_item, outcome_attributes

    item = elicitation_to_item(one, retention=RETENTION)
    gone = {"outbox_pk", "outbox_at", "notice_due"}
    if not one.is_pending:
        item |= outcome_attributes(one)
        gone |= {"live_pk", "live_at"}
    return {name: value for name, value in item.items() if name not in gone}


def session_row(session_id: str, pending: Iterable[Any], now: datetime) -> dict[str, Any]:
    """A session in which these questions are live."""
    from chalicelib.domain.session import Session
    from chalicelib.storage.codec import session_to_item

    session = Session(
        id=session_id,
        owner="bulk",
        created_at=now,
        updated_at=now,
        secret="bulk",
        title=f"Nightly release {session_id[-4:]}",
        version=1,
        live={one.key: one.expires_at for one in pending},
    )
    return session_to_item(session, attempt="bulk", retention=RETENTION)


def write(on: Stage, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows, 25 a request; returns how many."""
    table = on.environ["PARLEY_TABLE"]

    def put(batch: list[dict[str, Any]]) -> int:
        requests: Any = [{"PutRequest": {"Item": item}} for item in batch]
        left = on.services.dynamodb.batch_write_item(RequestItems={table: requests})
        if left["UnprocessedItems"]:
            raise RuntimeError("the engine left rows unwritten")
        return len(batch)

    with ThreadPoolExecutor(WRITERS) as pool:
        return sum(pool.map(put, _batches(iter(rows))))


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, BATCH)):
        yield batch
