"""Secrets at rest: KMS ciphertext beside a name, in the session's partition or the operator's.

KMS encrypts each value by itself, bound by its encryption context to where it belongs and to its
name: a row copied elsewhere does not decrypt. A session's rows go with the session (`purge`); where
DynamoDB's TTL takes the session, they follow when they were not used for the retention time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from chalicelib.domain.secret import SecretInfo
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import (
    Item,
    get_number,
    instant,
    need_instant,
    number,
    present,
    text,
    to_ms,
)
from chalicelib.storage.errors import code_of, storage_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from chalicelib.storage.kms import KmsCipher

OPERATOR_PK: Final = "SECRETS"
PREFIX: Final = "SECRET#"

NOTE_USE_EVERY: Final = timedelta(days=1)
"""Reading a session's secret moves its TTL on at most this often."""


@dataclass(frozen=True, slots=True)
class DynamoSecrets:
    """`usecases.secrets.SecretStore` on DynamoDB and KMS; `cipher` is called when one is needed."""

    client: DynamoDBClient
    table: str
    cipher: Callable[[], KmsCipher]
    retention: timedelta

    def seal(self, session_id: str | None, name: str, value: str) -> bytes:
        """The value as KMS ciphertext."""
        return self.cipher().encrypt(value, _context(session_id, name))

    def put(
        self, session_id: str | None, name: str, sealed: bytes, *, by: str, now: datetime
    ) -> None:
        """Store or replace."""
        item = secret_item(session_id, name, sealed, by=by, now=now, retention=self.retention)
        with storage_errors():
            self.client.put_item(TableName=self.table, Item=item)

    def read(self, session_id: str | None, name: str, now: datetime) -> str | None:
        """The value, decrypted."""
        with storage_errors():
            answer = self.client.get_item(
                TableName=self.table, Key=_key(session_id, name), ConsistentRead=True
            )
        item = answer.get("Item")
        if item is None:
            return None
        self._note_use(dict(item), session_id, name, now)
        return self.cipher().decrypt(item["sealed"]["B"], _context(session_id, name))

    def list_infos(self, session_id: str | None) -> list[SecretInfo]:
        """What is stored, by name; the ciphertext stays where it is."""
        query: dict[str, Any] = {
            "TableName": self.table,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": {":pk": text(_pk(session_id)), ":prefix": text(PREFIX)},
            "ProjectionExpression": "#name, updated_at, #by",
            "ExpressionAttributeNames": {"#name": "name", "#by": "by"},
            "ConsistentRead": True,
        }
        infos: list[SecretInfo] = []
        with storage_errors():
            while True:
                answer = self.client.query(**query)
                infos += [_info(dict(item)) for item in answer["Items"]]
                if "LastEvaluatedKey" not in answer:
                    return infos
                query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def delete(self, session_id: str | None, name: str) -> bool:
        """Delete one; False when there was none."""
        with storage_errors():
            answer = self.client.delete_item(
                TableName=self.table, Key=_key(session_id, name), ReturnValues="ALL_OLD"
            )
        return "Attributes" in answer

    def _note_use(self, item: Item, session_id: str | None, name: str, now: datetime) -> None:
        """Only a row that is still there: a session deleted meanwhile stays deleted."""
        if session_id is None:
            return
        ttl = _ttl(now, self.retention)
        if ttl - get_number(item, "ttl") < NOTE_USE_EVERY.total_seconds():
            return
        try:
            with storage_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=_key(session_id, name),
                    UpdateExpression="SET #ttl = :ttl",
                    ConditionExpression=conditions.EXISTS,
                    ExpressionAttributeNames={"#ttl": "ttl"},
                    ExpressionAttributeValues={":ttl": number(ttl)},
                )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise


def secret_item(
    session_id: str | None,
    name: str,
    sealed: bytes,
    *,
    by: str,
    now: datetime,
    retention: timedelta,
) -> Item:
    """The row of a secret. An operator's has no end."""
    return _key(session_id, name) | present(
        {
            "kind": text("secret"),
            "name": text(name),
            "sealed": {"B": sealed},
            "by": text(by),
            "updated_at": instant(now),
            "ttl": None if session_id is None else number(_ttl(now, retention)),
        }
    )


def _context(session_id: str | None, name: str) -> dict[str, str]:
    """What the ciphertext is bound to."""
    if session_id is None:
        return {"purpose": "parley-operator-secret", "name": name}
    return {"purpose": "parley-session-secret", "session": session_id, "name": name}


def _pk(session_id: str | None) -> str:
    return OPERATOR_PK if session_id is None else keys.session_pk(session_id)


def _key(session_id: str | None, name: str) -> Item:
    return keys.key(_pk(session_id), PREFIX + name)


def _ttl(now: datetime, retention: timedelta) -> int:
    return to_ms(now + retention) // 1000


def _info(item: Item) -> SecretInfo:
    return SecretInfo(
        name=item["name"]["S"], updated_at=need_instant(item, "updated_at"), by=item["by"]["S"]
    )
