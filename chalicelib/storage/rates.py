"""Counters that all instances share: how often something was tried in a window of time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chalicelib.storage import keys
from chalicelib.storage.attributes import number, to_ms
from chalicelib.storage.errors import storage_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class DynamoRates:
    """Counts tries per name and window; the rows go by themselves (TTL)."""

    client: DynamoDBClient
    table: str

    def hit(self, name: str, *, window_seconds: int, now: datetime) -> int:
        """Count one try and return how many there were in this window, this one included."""
        seconds = to_ms(now) // 1000
        window = seconds // window_seconds
        with storage_errors():
            answer = self.client.update_item(
                TableName=self.table,
                Key=keys.key(f"RATE#{name}#{window}"),
                UpdateExpression="ADD tries :one SET #ttl = :ttl",
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues={
                    ":one": number(1),
                    ":ttl": number(seconds + 2 * window_seconds),
                },
                ReturnValues="UPDATED_NEW",
            )
        return int(answer["Attributes"]["tries"]["N"])
