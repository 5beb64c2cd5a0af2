"""Changes as DynamoDB transactions: all of it or nothing, on the conditions that decided it.

Two things about the refusal (`TransactionCanceledException`) matter. It carries the rows as they
are (`ReturnValuesOnConditionCheckFailure`), so nobody reads again to learn who won. And the SDK
retries after a lost acknowledgement, so a winner can be refused by its own write: the attempt id in
the rows tells. `ClientRequestToken` is not leant on for that.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from chalicelib.domain.elicitation import Status
from chalicelib.domain.errors import TryAgain
from chalicelib.domain.session import Session
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import Item, get_text, number
from chalicelib.storage.codec import (
    elicitation_from_item,
    elicitation_to_item,
    event_to_item,
    notice_due,
    outcome_attributes,
    session_from_item,
    session_to_item,
)
from chalicelib.storage.errors import BUSY, code_of, storage_errors
from chalicelib.usecases.ports import (
    Change,
    Contended,
    ElicitationMoved,
    Outcome,
    SessionMoved,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_RETURN_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


def commit(client: DynamoDBClient, table: str, change: Change, retention: timedelta) -> None:
    """Write a change; see `ports.Store.commit` for what it raises."""
    items = [*_rows(table, change, retention)]
    try:
        with storage_errors():
            client.transact_write_items(TransactItems=cast("Any", items))
    except ClientError as error:
        if code_of(error) == "TransactionConflictException":
            raise Contended from error
        if code_of(error) != "TransactionCanceledException":
            raise
        reasons = cast("list[dict[str, Any]]", error.response.get("CancellationReasons", []))
        _explain(change, reasons, error)


def _rows(table: str, change: Change, retention: timedelta) -> list[dict[str, Any]]:
    """Elicitations first: their refusal is the one that callers act on."""
    rows: list[dict[str, Any]] = []
    if change.created is not None:
        row = elicitation_to_item(change.created, retention=retention)
        rows.append(_put(table, row, conditions.IS_NEW))
    rows += [_outcome(table, outcome) for outcome in change.outcomes]
    rows += _session(table, change, retention)
    session = change.after or change.before
    if session is not None:
        first = session.version - len(change.events) + 1 if change.after else session.version + 1
        for version, event in enumerate(change.events, start=first):
            item = event_to_item(
                session.id, version, event, attempt=change.attempt, retention=retention
            )
            rows.append(_put(table, item, conditions.IS_NEW))
        rows += _turn(table, change, session, retention)
    return rows


def _turn(
    table: str, change: Change, session: Session, retention: timedelta
) -> list[dict[str, Any]]:
    """Last, so that a refusal by one of them reads as contention: decide again on fresh rows."""
    if change.turn is None:
        return []
    from chalicelib.storage.turn_transactions import turn_items

    return turn_items(
        table, change.turn, attempt=change.attempt, now=session.updated_at, retention=retention
    )


def _put(table: str, item: Item, condition: str) -> dict[str, Any]:
    return {
        "Put": {"TableName": table, "Item": item, "ConditionExpression": condition} | _RETURN_OLD
    }


def _session(table: str, change: Change, retention: timedelta) -> list[dict[str, Any]]:
    if change.after is None:
        return [_delete_session(table, change.before)] if change.before is not None else []
    item = session_to_item(change.after, attempt=change.attempt, retention=retention)
    put = _put(table, item, conditions.IS_NEW)
    if change.before is not None:
        put["Put"] |= _at_version(change.before)
    return [put]


def _at_version(before: Session) -> dict[str, Any]:
    return {
        "ConditionExpression": conditions.AT_THIS_VERSION,
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {":version": number(before.version)},
    }


def _delete_session(table: str, before: Session) -> dict[str, Any]:
    row = {"TableName": table, "Key": keys.key(keys.session_pk(before.id))}
    return {"Delete": row | _at_version(before) | _RETURN_OLD}


def _outcome(table: str, outcome: Outcome) -> dict[str, Any]:
    """Set the outcome and leave the `live` index; an undelivered question is no longer worth
    telling, but that nobody answered is."""
    condition, values = conditions.outcome_condition(outcome.needs, outcome.now)
    attributes = outcome_attributes(outcome.after)
    removed = "live_pk, live_at"
    if outcome.after.status is Status.EXPIRED:
        attributes |= notice_due(outcome.after.key, "lost", outcome.now)
    else:
        removed += ", outbox_pk, outbox_at, notice_due"
    sets = ", ".join(f"#{name} = :{name}" for name in attributes)
    names = {f"#{name}": name for name in attributes}
    update = {
        "TableName": table,
        "Key": keys.key(keys.elicitation_pk(outcome.after.key)),
        "UpdateExpression": f"SET {sets} REMOVE {removed}",
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values | {f":{n}": v for n, v in attributes.items()},
    }
    return {"Update": update | _RETURN_OLD}


def _explain(change: Change, reasons: list[dict[str, Any]], error: ClientError) -> None:
    """Turn a refusal into the error that fits; return silently when our own write refused us."""
    items = [reason.get("Item") for reason in reasons]
    if any(item and get_text(item, "attempt") == change.attempt for item in items):
        return
    codes = [str(reason.get("Code", "None")) for reason in reasons]
    elicitations = len(change.outcomes) + (change.created is not None)
    for index, code in enumerate(codes[:elicitations]):
        if code == "ConditionalCheckFailed":
            item = items[index]
            raise ElicitationMoved(elicitation_from_item(item) if item else None) from error
    if "ConditionalCheckFailed" in codes:
        item = items[elicitations] if len(items) > elicitations else None
        raise _session_moved(item) from error
    if "TransactionConflict" in codes:
        raise Contended from error
    if BUSY & set(codes) or "ThrottlingError" in codes:
        raise TryAgain("Storage is busy; try again in a moment.") from error
    raise error


def _session_moved(item: Item | None) -> Exception:
    """An event row that was there first also means that the session moved, under our old view."""
    is_session = item is not None and get_text(item, "kind") == "session"
    return SessionMoved(session_from_item(item)) if is_session and item else Contended()
