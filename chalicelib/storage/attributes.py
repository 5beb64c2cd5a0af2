"""Python values to DynamoDB attributes and back. Absent stays absent; instants are epoch
milliseconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Item = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_ms(at: datetime) -> int:
    """Whole milliseconds since the epoch, exactly (no float in between)."""
    return (at - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    """The aware UTC instant of epoch milliseconds."""
    return _EPOCH + ms * _MILLISECOND


def text(value: str) -> Item:
    """A string attribute."""
    return {"S": value}


def number(value: int) -> Item:
    """A number attribute."""
    return {"N": str(value)}


def instant(at: datetime) -> Item:
    """An instant as a number attribute, epoch milliseconds."""
    return number(to_ms(at))


def to_json(value: Any) -> Item:
    """A JSON value as a string attribute: numbers keep their exact spelling and type."""
    return text(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def present(item: Mapping[str, Item | None]) -> Item:
    """The item without the attributes that are None."""
    return {name: value for name, value in item.items() if value is not None}


def get_text(item: Item, name: str) -> str | None:
    """A string, or None when absent."""
    found = item.get(name)
    return None if found is None else str(found["S"])


def get_number(item: Item, name: str, default: int = 0) -> int:
    """A whole number, or the default when absent."""
    found = item.get(name)
    return default if found is None else int(found["N"])


def get_instant(item: Item, name: str) -> datetime | None:
    """An instant, or None when absent."""
    found = item.get(name)
    return None if found is None else from_ms(int(found["N"]))


def need_instant(item: Item, name: str) -> datetime:
    """An instant that every such row has."""
    return from_ms(int(item[name]["N"]))


def get_json(item: Item, name: str, default: Any = None) -> Any:
    """A JSON value, or the default when absent."""
    found = item.get(name)
    return default if found is None else json.loads(found["S"])
