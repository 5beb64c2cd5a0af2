"""What a service asks of AWS, in the units that AWS bills: counted at the clients of a real run.

Engines report consumed capacity wrongly, so units are worked out from the rows themselves by the
rules of DynamoDB's developer guide ("Read consistency", "Item sizes", "Managing settings on
transactions"): reads by 4 KB, half for eventually consistent ones; writes by 1 KB, twice in a
transaction; the same again for every index that the row stands in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from infra.local.resources import TABLE

READ_BYTES: Final = 4096
WRITE_BYTES: Final = 1024

_INDEX_KEYS: Final = [
    [part["AttributeName"] for part in index["KeySchema"]]
    for index in TABLE["GlobalSecondaryIndexes"]
]
_BILLED: Final = {"SendMessage": "sqs_request", "Publish": "sns_publish"}


def size(item: Mapping[str, Any]) -> int:
    """The bytes that DynamoDB bills for an item: names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, held),) = value.items()
    if kind == "S":
        return len(held.encode())
    if kind == "N":
        return len(held.strip("-").replace(".", "")) // 2 + 2
    if kind == "B":
        return len(held)
    if kind == "L":
        return 3 + sum(1 + _value_size(one) for one in held)
    if kind == "M":
        return 3 + sum(1 + len(k.encode()) + _value_size(v) for k, v in held.items())
    return 1


def read_units(items: Iterable[Mapping[str, Any]], *, consistent: bool) -> float:
    """Units of one read; nothing found costs as much as one small row."""
    blocks = max(1, math.ceil(sum(size(item) for item in items) / READ_BYTES))
    return blocks if consistent else blocks / 2


def write_units(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> int:
    """Units of one plain write: the row, and the indexes that it enters, leaves or changes in."""
    blocks = math.ceil(max(size(old or {}), size(new or {}), 1) / WRITE_BYTES)
    touched = 0
    for keys in _INDEX_KEYS:
        before = [old[key] for key in keys] if old and keys[0] in old else None
        after = [new[key] for key in keys] if new and keys[0] in new else None
        touched += 2 if before and after and before != after else bool(before or after)
    return blocks * (1 + touched)


class Meter:
    """Counts what the clients that it watches cost. `reader` looks at rows uncounted."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.units: Counter[str] = Counter()

    def watch(self, client: Any) -> Any:
        """Count every call of a boto3 client."""
        client.meta.events.register("provide-client-params.*.*", self._before)
        client.meta.events.register("after-call.*.*", self._after)
        return client

    def take(self) -> Counter[str]:
        """What was counted since the last take."""
        taken, self.units = self.units, Counter()
        return taken

    def _before(
        self, params: Mapping[str, Any], model: Any, context: dict[str, Any], **_: Any
    ) -> None:
        context["asked"] = params
        context["old"] = [self._row(table, key) for table, key in _written(model.name, params)]

    def _after(
        self, parsed: Mapping[str, Any], model: Any, context: Mapping[str, Any], **_: Any
    ) -> None:
        name, asked = model.name, context["asked"]
        if name in _BILLED:
            self.units[_BILLED[name]] += 1
        elif name in ("GetItem", "Query", "BatchGetItem"):
            self.units["read_unit"] += _read(name, asked, parsed)  # type: ignore[assignment]
        else:
            for (table, key), old in zip(_written(name, asked), context["old"], strict=True):
                units = write_units(old, self._row(table, key))
                self.units["write_unit"] += units * (2 if name == "TransactWriteItems" else 1)

    def _row(self, table: str, key: Mapping[str, Any]) -> Mapping[str, Any] | None:
        found = self._reader.get_item(TableName=table, Key=key, ConsistentRead=True)
        row: Mapping[str, Any] | None = found.get("Item")
        return row


def _read(name: str, asked: Mapping[str, Any], parsed: Mapping[str, Any]) -> float:
    if name == "GetItem":
        found = [parsed["Item"]] if "Item" in parsed else []
        return read_units(found, consistent=bool(asked.get("ConsistentRead")))
    if name == "Query":
        return read_units(parsed["Items"], consistent=bool(asked.get("ConsistentRead")))
    ((table, request),) = asked["RequestItems"].items()
    consistent = bool(request.get("ConsistentRead"))
    rows = parsed["Responses"][table]
    return sum(read_units([row], consistent=consistent) for row in rows)


def _written(name: str, asked: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    if name == "TransactWriteItems":
        return [_key_of(row) for item in asked["TransactItems"] for row in item.values()]
    if name in ("PutItem", "UpdateItem", "DeleteItem"):
        return [_key_of(asked)]
    return []


def _key_of(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    source = row["Key"] if "Key" in row else row["Item"]
    return row["TableName"], {name: source[name] for name in ("pk", "sk")}
