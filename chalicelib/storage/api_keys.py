"""API keys at rest: hash, principal, scopes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from chalicelib.domain.api_key import ApiKey
from chalicelib.domain.principal import Scope
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import (
    get_instant,
    get_json,
    instant,
    need_instant,
    present,
    text,
    to_json,
)
from chalicelib.storage.errors import code_of, storage_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class DynamoApiKeys:
    """`ports.ApiKeys` on the table."""

    client: DynamoDBClient
    table: str

    def find(self, key_id: str) -> ApiKey | None:
        """The key with this id, revoked or not."""
        with storage_errors():
            answer = self.client.get_item(
                TableName=self.table, Key=keys.key(f"KEY#{key_id}"), ConsistentRead=True
            )
        item = answer.get("Item")
        if item is None:
            return None
        return ApiKey(
            key_id=key_id,
            secret_hash=item["secret_hash"]["S"],
            name=item["name"]["S"],
            scopes=frozenset(Scope(scope) for scope in get_json(dict(item), "scopes", [])),
            created_at=need_instant(dict(item), "created_at"),
            revoked_at=get_instant(dict(item), "revoked_at"),
        )

    def add(self, key: ApiKey) -> None:
        """Store a new key."""
        item = keys.key(f"KEY#{key.key_id}") | present(
            {
                "kind": text("api_key"),
                "secret_hash": text(key.secret_hash),
                "name": text(key.name),
                "scopes": to_json(sorted(scope.value for scope in key.scopes)),
                "created_at": instant(key.created_at),
            }
        )
        with storage_errors():
            self.client.put_item(
                TableName=self.table, Item=item, ConditionExpression=conditions.IS_NEW
            )

    def revoke(self, key_id: str, now: datetime) -> bool:
        """Revoke a key; False when there is none."""
        try:
            with storage_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=keys.key(f"KEY#{key_id}"),
                    UpdateExpression="SET revoked_at = if_not_exists(revoked_at, :now)",
                    ConditionExpression=conditions.EXISTS,
                    ExpressionAttributeValues={":now": instant(now)},
                )
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                return False
            raise
        return True
