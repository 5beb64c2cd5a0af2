"""The conditions under which rows change, each with the name of what it demands.

An expression is built from named clauses; `:now` is the clock, read for this very write.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from chalicelib.storage.attributes import Item, instant, text
from chalicelib.usecases.ports import Needs

IS_NEW: Final = "attribute_not_exists(pk)"
EXISTS: Final = "attribute_exists(pk)"
IS_PENDING: Final = "#status = :pending"
IS_EXPIRED: Final = "#status = :expired"
BEFORE_DEADLINE: Final = "expires_at > :now"
AT_OR_AFTER_DEADLINE: Final = "expires_at <= :now"
AT_THIS_VERSION: Final = "#version = :version"
NOT_RECEIVED: Final = "attribute_not_exists(receipt_at)"
IS_MARKED: Final = "attribute_exists(live_pk)"
IS_SETTLED: Final = "#status <> :pending"

_CLAUSES: Final = {
    Needs.LIVE: (IS_PENDING, BEFORE_DEADLINE),
    Needs.DUE: (IS_PENDING, AT_OR_AFTER_DEADLINE),
    Needs.PENDING: (IS_PENDING,),
}


def all_of(*clauses: str) -> str:
    """All clauses must hold."""
    return " AND ".join(clauses)


def outcome_condition(needs: Needs, now: datetime) -> tuple[str, Item]:
    """The condition for writing an outcome, and its values."""
    clauses = _CLAUSES[needs]
    values: Item = {":pending": text("pending")}
    if len(clauses) > 1:
        values[":now"] = instant(now)
    return all_of(*clauses), values
