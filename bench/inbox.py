"""The inbox page with a thousand live questions: requests to the table, and time."""

from __future__ import annotations

import statistics
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from bench.recorded import recording
from bench.round_trip import timed
from bench.rows import Row
from bench.stage import Stage, stage
from bench.stored import elicitation, row, session_row, write

LIVE: Final = 1_000
EACH: Final = 10
RUNS: Final = 9
REQUESTS_AT_MOST: Final = 12
"""Four shards of the live index, four of the sessions, a read of the sessions not yet known."""


def run() -> list[Row]:
    """Against the bare reads of what the page shows."""
    with stage() as on:
        now = on.services.clock()
        for number in range(LIVE // EACH):
            session_id = f"session_{number:032x}"
            asked = [
                elicitation(session_id, created_at=now, window=timedelta(minutes=30 + n))
                for n in range(EACH)
            ]
            write(on, [*map(row, asked), session_row(session_id, asked, now)])
        event = on.event("GET", "/", headers={"Cookie": _sign_in(on)})
        page = on.invoke(event)["body"]
        with recording(on.services.dynamodb) as calls:
            on.invoke(event)
        took = statistics.median(timed(lambda: on.invoke(event)) for _ in range(RUNS))
        bare = statistics.median(timed(lambda: _bare(on)) for _ in range(RUNS))
    what = f"inbox page, {LIVE:,} live"
    return [
        Row(what=what, value=took, floor=bare),
        Row(what=f"{what}: requests", value=len(calls), unit="requests", at_most=REQUESTS_AT_MOST),
        Row(what=f"{what}: size", value=len(page.encode()) / 1024, unit="KiB"),
    ]


def _sign_in(on: Stage) -> str:
    from chalicelib.api.signed_in import sign_in_csrf

    form = urlencode({"key": on.key, "next": "/", "csrf": sign_in_csrf(on.services)})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    event = on.event("POST", "/sign-in", headers=headers) | {"body": form}
    answer = on.invoke(event, status=303)
    cookies = answer.get("multiValueHeaders", {}).get("Set-Cookie") or [
        answer["headers"]["Set-Cookie"]
    ]
    return "; ".join(str(cookie).partition(";")[0] for cookie in cookies)


def _bare(on: Stage) -> None:
    """The four queries that return the thousand rows, and nothing else."""
    from chalicelib.storage import keys

    for shard in range(keys.SHARDS):
        on.services.dynamodb.query(
            TableName=on.environ["PARLEY_TABLE"],
            IndexName=keys.LIVE,
            KeyConditionExpression="live_pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"L#{shard}"}},
        )
