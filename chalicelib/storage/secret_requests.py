"""Secret requests at rest, and the one transaction that stores what a person typed.

Where the rows stand is in `secret_request_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.exceptions import ClientError

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.secret import SecretRequest, SecretState
from chalicelib.storage import conditions
from chalicelib.storage import secret_request_rows as rows
from chalicelib.storage.attributes import Item, get_text, instant, number, text
from chalicelib.storage.codec import event_to_item, session_to_item
from chalicelib.storage.errors import BUSY, code_of, storage_errors
from chalicelib.storage.secrets import secret_item
from chalicelib.usecases.ports import Change, Contended, SessionMoved
from chalicelib.usecases.secret_requests import RequestClosed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

IS_OPEN: Final = "is_closed = :no AND expires_at > :now"
TAKES_VALUE: Final = f"{conditions.IS_PENDING} AND {IS_OPEN}"
IS_OF_PRINCIPAL: Final = "principal = :principal"
NOT_SPENT: Final = "NOT contains(spent, :nonce)"
IS_LATEST: Final = "handle = :handle"

_NO: Final[Item] = {"BOOL": False}
_YES: Final[Item] = {"BOOL": True}


@dataclass(frozen=True, slots=True)
class DynamoSecretRequests:
    """`usecases.secret_requests.SecretRequests` on the table."""

    client: DynamoDBClient
    table: str
    retention: timedelta

    def find(self, handle: str) -> SecretRequest | None:
        """The request (consistent read)."""
        item = self._get(rows.request_key(handle))
        return rows.request_from_item(item) if item else None

    def latest(self, principal: str, session_id: str, name: str) -> str | None:
        """The handle of the principal's last request for this name."""
        item = self._get(rows.latest_key(principal, session_id, name))
        return item["handle"]["S"] if item else None

    def add(self, request: SecretRequest, *, instead_of: str | None) -> bool:
        """Store a new request as the latest one, unless another came first."""
        writes = [
            {"Put": self._row(rows.request_to_item(request), conditions.IS_NEW)},
            {"Put": self._row(rows.latest_to_item(request), conditions.IS_NEW)},
        ]
        if instead_of is not None:
            writes[1]["Put"] |= {
                "ConditionExpression": IS_LATEST,
                "ExpressionAttributeValues": {":handle": text(instead_of)},
            }
        try:
            with storage_errors():
                self.client.transact_write_items(TransactItems=cast("Any", writes))
        except ClientError as error:
            _reasons(error)
            return False
        return True

    def spend(
        self, handle: str, *, principal: str, nonce: str, attempt: str, now: datetime
    ) -> bool:
        """Use a nonce up; a repeat of the same attempt after a lost acknowledgement succeeds."""
        spent = self._update(
            handle,
            "ADD spent :nonces SET last_attempt = :attempt",
            conditions.all_of(IS_OF_PRINCIPAL, IS_OPEN, NOT_SPENT),
            {
                ":nonces": {"SS": [nonce]},
                ":nonce": text(nonce),
                ":attempt": text(attempt),
                ":principal": text(principal),
                ":no": _NO,
                ":now": instant(now),
            },
        )
        if spent:
            return True
        item = self._get(rows.request_key(handle))
        return item is not None and get_text(item, "last_attempt") == attempt

    def close(self, handle: str, *, principal: str) -> None:
        """Nothing is typed and no nonce spent any more."""
        values = {":yes": _YES, ":principal": text(principal)}
        self._update(handle, "SET is_closed = :yes", IS_OF_PRINCIPAL, values)

    def decline(self, handle: str, now: datetime) -> bool:
        """Record that the person declined, on an open page."""
        values = _pending_values(now) | {":declined": text(SecretState.DECLINED.value)}
        return self._update(handle, "SET #status = :declined", TAKES_VALUE, values)

    def keep(self, request: SecretRequest, sealed: bytes, change: Change) -> None:
        """One transaction: the request's outcome, the secret, the session and its journal."""
        writes = self._kept_rows(request, sealed, change)
        try:
            with storage_errors():
                self.client.transact_write_items(TransactItems=cast("Any", writes))
        except ClientError as error:
            self._explain(request, change, _reasons(error))

    def _kept_rows(self, request: SecretRequest, sealed: bytes, change: Change) -> list[Item]:
        before, after = change.before, change.after
        if before is None or after is None:
            raise ValueError("a typed value is kept with the change of a session that stays")
        event = change.events[0]
        item = secret_item(
            request.session_id,
            request.name,
            sealed,
            by=str(event.data["by"]),
            now=event.at,
            retention=self.retention,
        )
        session = session_to_item(after, attempt=change.attempt, retention=self.retention)
        at_version = {
            "ConditionExpression": conditions.AT_THIS_VERSION,
            "ExpressionAttributeNames": {"#version": "version"},
            "ExpressionAttributeValues": {":version": number(before.version)},
        }
        journal = [
            event_to_item(after.id, version, told, attempt=change.attempt, retention=self.retention)
            for version, told in enumerate(change.events, start=before.version + 1)
        ]
        return [
            {"Update": self._settled(request.handle, change.attempt, event.at)},
            {"Put": {"TableName": self.table, "Item": session} | at_version},
            {"Put": {"TableName": self.table, "Item": item}},
            *({"Put": self._row(row, conditions.IS_NEW)} for row in journal),
        ]

    def _settled(self, handle: str, attempt: str, now: datetime) -> Item:
        values = _pending_values(now) | {
            ":stored": text(SecretState.STORED.value),
            ":attempt": text(attempt),
        }
        return {
            "TableName": self.table,
            "Key": rows.request_key(handle),
            "UpdateExpression": "SET #status = :stored, last_attempt = :attempt",
            "ConditionExpression": TAKES_VALUE,
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": values,
        }

    def _explain(self, request: SecretRequest, change: Change, codes: list[str]) -> None:
        """Turn a refusal into the error that fits; silent when our own write refused us."""
        if codes[0] == "ConditionalCheckFailed":
            item = self._get(rows.request_key(request.handle))
            if item is None or get_text(item, "last_attempt") != change.attempt:
                raise RequestClosed
        elif "ConditionalCheckFailed" in codes:
            raise SessionMoved(None)
        elif "TransactionConflict" in codes:
            raise Contended
        else:
            raise TryAgain("Storage is busy; try again in a moment.")

    def _row(self, item: Item, condition: str) -> Item:
        return {"TableName": self.table, "Item": item, "ConditionExpression": condition}

    def _get(self, key: Item) -> Item | None:
        with storage_errors():
            answer = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return answer.get("Item")

    def _update(self, handle: str, expression: str, condition: str, values: Item) -> bool:
        update: dict[str, Any] = {
            "TableName": self.table,
            "Key": rows.request_key(handle),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
        if "#status" in expression:
            update["ExpressionAttributeNames"] = {"#status": "status"}
        try:
            with storage_errors():
                self.client.update_item(**update)
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                return False
            raise
        return True


def _reasons(error: ClientError) -> list[str]:
    """Why a transaction was refused, row by row; anything but a refusal is raised."""
    if code_of(error) == "TransactionConflictException":
        return ["TransactionConflict"]
    if code_of(error) != "TransactionCanceledException":
        raise error
    reasons = cast("list[dict[str, Any]]", error.response.get("CancellationReasons", []))
    codes = [str(reason.get("Code", "None")) for reason in reasons]
    known = {"None", "ConditionalCheckFailed", "TransactionConflict", "ThrottlingError"} | BUSY
    if not codes or not known.issuperset(codes):
        raise error
    return codes


def _pending_values(now: datetime) -> Item:
    return {":pending": text(SecretState.PENDING.value), ":no": _NO, ":now": instant(now)}
