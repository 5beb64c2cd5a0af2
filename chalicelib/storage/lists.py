"""What lists show, from the sparse indexes: never a scan, every page bounded.

Shards are queried one after the other and merged. Index rows lag the table by a moment, so whoever
acts on one does it by a conditional write on the row itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from chalicelib.domain.elicitation import Elicitation
from chalicelib.storage import keys
from chalicelib.storage.attributes import Item, get_number, instant, text
from chalicelib.storage.codec import elicitation_from_item, session_from_item
from chalicelib.storage.errors import storage_errors
from chalicelib.usecases.ports import PageOf

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class DynamoLists:
    """`ports.Lists` on the table's indexes."""

    client: DynamoDBClient
    table: str

    def sessions(self, *, owner: str | None, limit: int, after: str | None) -> PageOf:
        """Newest first; `after` is the `next` of the page before."""
        rows: list[Item] = []
        for shard in range(keys.SHARDS):
            rows += self._sessions_of_shard(shard, owner=owner, limit=limit + 1, after=after)
        rows.sort(key=lambda item: str(item["list_at"]["S"]), reverse=True)
        page, more = rows[:limit], len(rows) > limit
        cursor = str(page[-1]["list_at"]["S"]) if more else None
        return PageOf([session_from_item(item) for item in page], cursor)

    def of_session(self, session_id: str, *, limit: int) -> list[Elicitation]:
        """The session's elicitations, newest first."""
        rows = self._query(
            keys.SESSIONS,
            "list_pk = :pk",
            {":pk": text(keys.of_session_pk(session_id))},
            limit=limit,
            newest_first=True,
        )
        return [elicitation_from_item(item) for item in rows]

    def live(self, *, limit: int) -> list[Elicitation]:
        """Pending elicitations of all sessions, soonest deadline first."""
        return self._by_deadline("live_pk = :pk", {}, limit=limit)

    def due(self, now: datetime, *, limit: int) -> list[Elicitation]:
        """Pending elicitations whose deadline has passed, longest overdue first."""
        return self._by_deadline(
            "live_pk = :pk AND live_at <= :now", {":now": instant(now)}, limit=limit
        )

    def marked_sessions(self, now: datetime, *, limit: int) -> list[str]:
        """Ids of marked sessions whose next check has come."""
        rows = self._over_shards(
            keys.LIVE,
            "M",
            "live_pk = :pk AND live_at <= :now",
            {":now": instant(now)},
            limit=limit,
        )
        return [str(item["id"]["S"]) for item in rows]

    def _by_deadline(self, condition: str, values: Item, *, limit: int) -> list[Elicitation]:
        rows = self._over_shards(keys.LIVE, "L", condition, values, limit=limit)
        return [elicitation_from_item(item) for item in rows]

    def _over_shards(
        self, index: str, prefix: str, condition: str, values: Item, *, limit: int
    ) -> list[Item]:
        rows: list[Item] = []
        for shard in range(keys.SHARDS):
            pk = {":pk": text(f"{prefix}#{shard}")}
            rows += self._query(index, condition, pk | values, limit=limit)
        rows.sort(key=lambda item: get_number(item, "live_at"))
        return rows[:limit]

    def _sessions_of_shard(
        self, shard: int, *, owner: str | None, limit: int, after: str | None
    ) -> list[Item]:
        values = {":pk": text(f"S#{shard}")}
        condition = "list_pk = :pk"
        if after is not None:
            values[":after"] = text(after)
            condition += " AND list_at < :after"
        keep = None if owner is None else (lambda item: item["owner"]["S"] == owner)
        return self._query(
            keys.SESSIONS, condition, values, limit=limit, newest_first=True, keep=keep
        )

    def _query(
        self,
        index: str,
        condition: str,
        values: Item,
        *,
        limit: int,
        newest_first: bool = False,
        keep: Callable[[Item], bool] | None = None,
    ) -> list[Item]:
        rows: list[Item] = []
        start: dict[str, Any] = {}
        with storage_errors():
            while len(rows) < limit:
                answer = self.client.query(
                    TableName=self.table,
                    IndexName=index,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=values,
                    ScanIndexForward=not newest_first,
                    Limit=limit,
                    **start,
                )
                found: Iterable[Item] = answer["Items"]
                rows += [item for item in found if keep is None or keep(item)]
                if "LastEvaluatedKey" not in answer:
                    break
                start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        return rows[:limit]
