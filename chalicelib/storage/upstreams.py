"""Registered upstream servers, and what connections to them learned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from chalicelib.domain.upstream import UpstreamRecord
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import (
    Item,
    get_json,
    get_text,
    instant,
    need_instant,
    number,
    present,
    text,
    to_json,
    to_ms,
)
from chalicelib.storage.errors import code_of, storage_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PK: Final = "UPSTREAM"
MAX_KNOWN: Final = 64 * 1024
"""Characters of what was learned, as JSON; more is learned anew each time instead."""


@dataclass(frozen=True, slots=True)
class DynamoRegistry:
    """`turn_ports.Registry` on the table."""

    client: DynamoDBClient
    table: str
    retention: timedelta

    def get(self, name: str) -> UpstreamRecord | None:
        """A server by its name."""
        item = self._get(keys.key(PK, name))
        return _record(item) if item else None

    def all(self) -> list[UpstreamRecord]:
        """All of them, by name; an instance has few."""
        query: dict[str, Any] = {
            "TableName": self.table,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": text(PK)},
            "ConsistentRead": True,
        }
        found: list[UpstreamRecord] = []
        with storage_errors():
            while True:
                answer = self.client.query(**query)
                found += [_record(dict(item)) for item in answer["Items"]]
                if "LastEvaluatedKey" not in answer:
                    return found
                query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def put(self, record: UpstreamRecord) -> None:
        """Register or replace; what was learned of an older registration goes."""
        with storage_errors():
            self.client.put_item(TableName=self.table, Item=_item(record))

    def remove(self, name: str) -> bool:
        """False when there was none."""
        with storage_errors():
            answer = self.client.delete_item(
                TableName=self.table, Key=keys.key(PK, name), ReturnValues="ALL_OLD"
            )
        return "Attributes" in answer

    def learned(self, record: UpstreamRecord, known: Mapping[str, Any] | None) -> None:
        """Keep what a connection learned, if the registration is still the same."""
        if known is not None and len(json.dumps(known)) > MAX_KNOWN:
            return
        expression = "REMOVE known" if known is None else "SET known = :known"
        values = {":at": instant(record.registered_at)}
        if known is not None:
            values[":known"] = to_json(dict(known))
        try:
            with storage_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=keys.key(PK, record.name),
                    UpdateExpression=expression,
                    ConditionExpression=conditions.all_of(conditions.EXISTS, "registered_at = :at"),
                    ExpressionAttributeValues=values,
                )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise

    def session_known(self, session_id: str, server: str) -> Mapping[str, Any] | None:
        """What this session's last connection to the server learned."""
        item = self._get(_session_key(session_id, server))
        return get_json(item, "known") if item else None

    def keep_session_known(
        self, session_id: str, server: str, known: Mapping[str, Any], now: datetime
    ) -> None:
        """Keep it in the session's partition, so that it goes with the session."""
        if len(json.dumps(known)) > MAX_KNOWN:
            return
        item = _session_key(session_id, server) | {
            "kind": text("upstream session"),
            "known": to_json(dict(known)),
            "ttl": number(to_ms(now + self.retention) // 1000),
        }
        with storage_errors():
            self.client.put_item(TableName=self.table, Item=item)

    def _get(self, key: Item) -> Item | None:
        with storage_errors():
            answer = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return answer.get("Item")


def _session_key(session_id: str, server: str) -> Item:
    return keys.key(keys.session_pk(session_id), f"UP#{server}")


def _item(record: UpstreamRecord) -> Item:
    return keys.key(PK, record.name) | present(
        {
            "kind": text("upstream"),
            "name": text(record.name),
            "url": text(record.url),
            "protocol_mode": text(record.protocol_mode),
            "credential": text(record.credential) if record.credential else None,
            "header": text(record.header),
            "registered_at": instant(record.registered_at),
            "registered_by": text(record.registered_by),
        }
    )


def _record(item: Item) -> UpstreamRecord:
    return UpstreamRecord(
        name=item["name"]["S"],
        url=item["url"]["S"],
        registered_at=need_instant(item, "registered_at"),
        registered_by=item["registered_by"]["S"],
        protocol_mode=item["protocol_mode"]["S"],
        credential=get_text(item, "credential"),
        header=item["header"]["S"],
        known=get_json(item, "known"),
    )
