"""The rows of sessions, elicitations and journals: read by key, changed by transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.events import NumberedEvent
from chalicelib.domain.request_id import may_be_handle
from chalicelib.domain.session import Session
from chalicelib.storage import conditions, keys, transactions
from chalicelib.storage.attributes import Item, instant, text
from chalicelib.storage.codec import (
    CHECK_MARKED_EVERY,
    elicitation_from_item,
    event_from_item,
    session_from_item,
)
from chalicelib.storage.errors import code_of, storage_errors
from chalicelib.usecases.ports import Change

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH = 25
"""AWS's limit of one BatchWriteItem."""

READ_BATCH = 100
"""AWS's limit of one BatchGetItem."""


@dataclass(frozen=True, slots=True)
class DynamoStore:
    """`ports.Store` and `ports.Journal` on one DynamoDB table."""

    client: DynamoDBClient
    table: str
    retention: timedelta

    def session(self, session_id: str) -> Session | None:
        """The session now (consistent read)."""
        if not may_be_handle(session_id):
            return None
        item = self._get(keys.key(keys.session_pk(session_id)), consistent=True)
        return session_from_item(item) if item else None

    def elicitation(self, key: str, *, consistent: bool = True) -> Elicitation | None:
        """The elicitation, or None."""
        if not may_be_handle(key):
            return None
        item = self._get(keys.key(keys.elicitation_pk(key)), consistent=consistent)
        return elicitation_from_item(item) if item else None

    def elicitations(self, keys_: Sequence[str]) -> list[Elicitation]:
        """Those of any number of keys that exist, in no order."""
        return [elicitation_from_item(i) for i in self._batch(map(keys.elicitation_pk, keys_))]

    def sessions(self, ids: Sequence[str]) -> list[Session]:
        """Those of any number of session ids that exist, in no order."""
        return [session_from_item(item) for item in self._batch(map(keys.session_pk, ids))]

    def commit(self, change: Change) -> None:
        """Write a change; raises as `ports.Store.commit` says."""
        transactions.commit(self.client, self.table, change, self.retention)

    def note_seen(self, key: str, now: datetime) -> None:
        """Note the asker's poll on a pending elicitation."""
        self._note(keys.elicitation_pk(key), "last_seen_at", now, conditions.IS_PENDING)

    def note_checked(self, session_id: str, now: datetime) -> None:
        """Note that a marked session is in order; one that is no longer marked stays unmarked."""
        self._note(
            keys.session_pk(session_id), "live_at", now + CHECK_MARKED_EVERY, conditions.IS_MARKED
        )

    def note_receipt(self, key: str, now: datetime) -> None:
        """Stamp the first poll that carried the outcome."""
        condition = conditions.all_of(conditions.IS_SETTLED, conditions.NOT_RECEIVED)
        self._note(keys.elicitation_pk(key), "receipt_at", now, condition)

    def events(self, session_id: str, *, after: int, limit: int) -> list[NumberedEvent]:
        """Journal events after a version, oldest first (consistent: a commit is seen at once)."""
        with storage_errors():
            answer = self.client.query(
                TableName=self.table,
                KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :last",
                ExpressionAttributeValues={
                    ":pk": text(keys.session_pk(session_id)),
                    ":first": text(keys.event_sk(after + 1)),
                    ":last": text(keys.AFTER_ALL_EVENTS),
                },
                ConsistentRead=True,
                Limit=limit,
            )
        return [event_from_item(item) for item in answer["Items"]]

    def purge(self, session_id: str) -> None:
        """Delete everything that is left of a deleted session: its journal and what it kept."""
        with storage_errors():
            while rows := self._rows_of(session_id):
                requests: list[Any] = [{"DeleteRequest": {"Key": row}} for row in rows]
                self.client.batch_write_item(RequestItems={self.table: requests})

    def _rows_of(self, session_id: str) -> list[Item]:
        answer = self.client.query(
            TableName=self.table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": text(keys.session_pk(session_id))},
            ProjectionExpression="pk, sk",
            ConsistentRead=True,
            Limit=BATCH,
        )
        return [dict(item) for item in answer["Items"]]

    def _batch(self, pks: Iterable[str]) -> list[Item]:
        """META rows by partition, 100 a request; throttled leftovers are asked for again."""
        wanted = [keys.key(pk) for pk in pks]
        found: list[Item] = []
        with storage_errors():
            while wanted:
                request: Any = {"Keys": wanted[:READ_BATCH], "ConsistentRead": True}
                wanted = wanted[READ_BATCH:]
                answer = self.client.batch_get_item(RequestItems={self.table: request})
                found += [dict(item) for item in answer["Responses"][self.table]]
                left: Any = answer.get("UnprocessedKeys", {}).get(self.table)
                wanted += [dict(key) for key in left["Keys"]] if left else []
        return found

    def _get(self, key: Item, *, consistent: bool) -> Item | None:
        with storage_errors():
            answer = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=consistent)
        return answer.get("Item")

    def _note(self, pk: str, name: str, at: datetime, condition: str) -> None:
        """A narrow update that may come too late: then it changes nothing."""
        of_status = "#status" in condition
        names = {"#noted": name} | ({"#status": "status"} if of_status else {})
        values = {":at": instant(at)} | ({":pending": text("pending")} if of_status else {})
        try:
            with storage_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=keys.key(pk),
                    UpdateExpression="SET #noted = :at",
                    ConditionExpression=conditions.all_of(conditions.EXISTS, condition),
                    ExpressionAttributeNames=names,
                    ExpressionAttributeValues=values,
                )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise
