"""Which notices are still to be delivered: flags on the rows, in a sparse index, removed when
done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from chalicelib.domain.elicitation import Elicitation
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import Item, instant, need_instant, text
from chalicelib.storage.codec import elicitation_from_item, notice_due
from chalicelib.storage.errors import code_of, storage_errors
from chalicelib.usecases.ports import Undelivered

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CLAIM_LASTS: Final = timedelta(minutes=1)
"""A claim outlives the delivery's function time-out (30 s); after it another delivery may try."""

NOT_DELIVERED: Final = "attribute_not_exists(#sent)"
NOT_CLAIMED: Final = "(attribute_not_exists(#claim) OR #claim < :stale)"


@dataclass(frozen=True, slots=True)
class DynamoNoticeBox:
    """`ports.NoticeBox`. Names: `<kind>_sent_at` stamps, `<kind>_claimed_at` claims."""

    client: DynamoDBClient
    table: str

    def undelivered(self, before: datetime, *, limit: int) -> list[Undelivered]:
        """Notices due before the instant, longest due first."""
        found: list[Undelivered] = []
        with storage_errors():
            for shard in range(keys.SHARDS):
                answer = self.client.query(
                    TableName=self.table,
                    IndexName=keys.OUTBOX,
                    KeyConditionExpression="outbox_pk = :pk AND outbox_at <= :before",
                    ExpressionAttributeValues={
                        ":pk": text(f"O#{shard}"),
                        ":before": instant(before),
                    },
                    Limit=limit,
                )
                found += [_undelivered(dict(item)) for item in answer["Items"]]
        return sorted(found, key=lambda notice: notice.since)[:limit]

    def flag(self, key: str, kind: str, now: datetime) -> bool:
        """Make a notice due on a pending row; False when the row has its outcome."""
        flags = notice_due(key, kind, now)
        sets = ", ".join(f"{name} = :{name}" for name in flags)
        return (
            self._update(
                key,
                f"SET {sets}",
                condition=conditions.all_of(conditions.EXISTS, conditions.IS_PENDING),
                names={"#status": "status"},
                values={f":{name}": value for name, value in flags.items()}
                | {":pending": text("pending")},
            )
            is not None
        )

    def claim(self, key: str, kind: str, now: datetime) -> Elicitation | None:
        """Take the delivery for `CLAIM_LASTS`; None when it is done, taken or void.

        A question or reminder is void once the elicitation has its outcome, and that nobody
        answered unless it expired.
        """
        clauses = [conditions.EXISTS, NOT_DELIVERED, NOT_CLAIMED]
        values = {":now": instant(now), ":stale": instant(now - CLAIM_LASTS)}
        names = {"#sent": f"{kind}_sent_at", "#claim": f"{kind}_claimed_at", "#status": "status"}
        if kind == "lost":
            clauses.append(conditions.IS_EXPIRED)
            values[":expired"] = text("expired")
        else:
            clauses += [conditions.IS_PENDING, conditions.BEFORE_DEADLINE]
            values[":pending"] = text("pending")
        return self._update(
            key,
            "SET #claim = :now",
            condition=conditions.all_of(*clauses),
            names=names,
            values=values,
        )

    def delivered(self, key: str, kind: str, now: datetime) -> None:
        """Stamp the delivery, and in the same write drop the flag; a flag for another kind stays.

        Two writes would leave, after a crash between them, a flag that nothing removes any more.
        """
        names = {"#sent": f"{kind}_sent_at"}
        stamp, values = "SET #sent = :now", {":now": instant(now)}
        flagged = self._update(
            key,
            f"{stamp} REMOVE outbox_pk, outbox_at, notice_due",
            condition=conditions.all_of(conditions.EXISTS, "notice_due = :kind"),
            names=names,
            values=values | {":kind": text(kind)},
        )
        if flagged is None:
            self._update(key, stamp, condition=conditions.EXISTS, names=names, values=values)

    def _update(
        self,
        key: str,
        expression: str,
        *,
        condition: str,
        names: dict[str, str],
        values: dict[str, dict[str, str]],
    ) -> Elicitation | None:
        try:
            with storage_errors():
                answer = self.client.update_item(
                    TableName=self.table,
                    Key=keys.key(keys.elicitation_pk(key)),
                    UpdateExpression=expression,
                    ConditionExpression=condition,
                    ExpressionAttributeNames=names,
                    ExpressionAttributeValues=values,
                    ReturnValues="ALL_NEW",
                )
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                return None
            raise
        return elicitation_from_item(answer["Attributes"])


def _undelivered(item: Item) -> Undelivered:
    return Undelivered(item["id"]["S"], item["notice_due"]["S"], need_instant(item, "outbox_at"))
