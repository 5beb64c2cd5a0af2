from __future__ import annotations

from typing import Any

import pytest

from infra.local.resources import Clients
from infra.metering import Meter, read_units, size, write_units


def _row(length: int = 0, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"pk": {"S": "E#1"}, "sk": {"S": "META"}}
    return row | {"text": {"S": "x" * length}} | more


LIVE: dict[str, Any] = {"live_pk": {"S": "L#0"}, "live_at": {"N": "1"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"S": "caf\u00e9"}, 5),
        ({"N": "-12.34"}, 4),
        ({"B": b"123"}, 3),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": [{"S": "ab"}, {"BOOL": False}]}, 3 + 1 + 2 + 1 + 1),
        ({"M": {"ab": {"S": "cd"}}}, 3 + 1 + 2 + 2),
    ],
)
def test_an_items_size_is_its_names_and_values(value: dict[str, Any], expected: int) -> None:
    assert size({"name": value}) == 4 + expected


@pytest.mark.parametrize(
    ("length", "consistent", "units"),
    [(10, True, 1), (10, False, 0.5), (4_000, True, 1), (4_200, True, 2), (4_200, False, 1)],
)
def test_reads_are_billed_by_four_kilobytes(length: int, consistent: bool, units: float) -> None:
    assert read_units([_row(length)], consistent=consistent) == units


def test_a_read_that_finds_nothing_is_billed_too() -> None:
    assert read_units([], consistent=False) == 0.5


@pytest.mark.parametrize(
    ("old", "new", "units"),
    [
        (None, _row(10), 1),
        (None, _row(1_100), 2),
        (_row(3_000), _row(10), 3),
        (None, _row(**LIVE), 2),
        (_row(**LIVE), _row(), 2),
        (_row(**LIVE), _row(5, **LIVE), 2),
        (_row(**LIVE), _row(**LIVE | {"live_at": {"N": "2"}}), 3),
        (_row(10), None, 1),
    ],
)
def test_writes_are_billed_by_one_kilobyte_and_once_more_for_each_index(
    old: dict[str, Any] | None, new: dict[str, Any] | None, units: int
) -> None:
    assert write_units(old, new) == units


def test_a_transaction_is_billed_twice(aws: Clients, table: str) -> None:
    meter = Meter(aws.dynamodb)
    client = meter.watch(Clients(aws.dynamodb.meta.endpoint_url).dynamodb)

    client.put_item(TableName=table, Item=_row())
    assert meter.take() == {"write_unit": 1}
    client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": _row(1)}}])
    assert meter.take() == {"write_unit": 2}


def test_batches_and_queries_are_billed_by_what_they_return(aws: Clients, table: str) -> None:
    meter = Meter(aws.dynamodb)
    client = meter.watch(Clients(aws.dynamodb.meta.endpoint_url).dynamodb)
    client.put_item(TableName=table, Item=_row())
    meter.take()
    key = {"pk": {"S": "E#1"}, "sk": {"S": "META"}}

    client.batch_get_item(RequestItems={table: {"Keys": [key], "ConsistentRead": True}})
    assert meter.take() == {"read_unit": 1}
    client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": "E#1"}},
    )
    assert meter.take() == {"read_unit": 0.5}
