"""A turn's rows as items of a transaction, after those of its session (`transactions`)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from chalicelib.domain.cards import Card
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import Item, number, text
from chalicelib.storage.turn_codec import (
    card_to_item,
    consent_to_item,
    decision_attributes,
    round_to_item,
    turn_to_item,
)
from chalicelib.usecases.turn_rows import TurnRows

_OLD: Final = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


def turn_items(
    table: str, rows: TurnRows, *, attempt: str, now: datetime, retention: timedelta
) -> list[dict[str, Any]]:
    """The turn at the version it had, new rounds, new and decided cards, consents given and
    used."""
    session_id = rows.turn.session_id
    return [
        _turn(table, rows, attempt=attempt, now=now, retention=retention),
        *(
            _put(table, round_to_item(session_id, asked, now=now, retention=retention))
            for asked in rows.rounds
        ),
        *(
            _put_new(table, card_to_item(card, attempt=attempt, retention=retention))
            for card in rows.opened
        ),
        *(_decide(table, card, attempt) for card in rows.decided),
        *(
            _put_new(table, consent_to_item(consent, attempt=attempt, retention=retention))
            for consent in rows.granted
        ),
        *(_take(table, session_id, call_id) for call_id in rows.taken),
    ]


def _turn(
    table: str, rows: TurnRows, *, attempt: str, now: datetime, retention: timedelta
) -> dict[str, Any]:
    item = turn_to_item(rows.turn, attempt=attempt, now=now, retention=retention)
    if rows.turn.version == 1:
        return _put_new(table, item)
    condition = {
        "ConditionExpression": conditions.AT_THIS_VERSION,
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {":version": number(rows.turn.version - 1)},
    }
    return {"Put": {"TableName": table, "Item": item} | condition | _OLD}


def _put(table: str, item: Item) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": item}}


def _put_new(table: str, item: Item) -> dict[str, Any]:
    return {
        "Put": {"TableName": table, "Item": item, "ConditionExpression": conditions.IS_NEW} | _OLD
    }


def _decide(table: str, card: Card, attempt: str) -> dict[str, Any]:
    """The decision, out of the index of open cards; nobody needs to be told of it any more."""
    attributes = decision_attributes(card) | {"attempt": text(attempt)}
    sets = ", ".join(f"#{name} = :{name}" for name in attributes)
    update = {
        "TableName": table,
        "Key": keys.key(keys.session_pk(card.session_id), keys.card_sk(card.call_id)),
        "UpdateExpression": f"SET {sets} REMOVE live_pk, live_at, outbox_pk, outbox_at, notice_due",
        "ConditionExpression": conditions.IS_PENDING,
        "ExpressionAttributeNames": {f"#{name}": name for name in attributes},
        "ExpressionAttributeValues": {
            **{f":{name}": value for name, value in attributes.items()},
            ":pending": text("pending"),
        },
    }
    return {"Update": update | _OLD}


def _take(table: str, session_id: str, call_id: str) -> dict[str, Any]:
    key = keys.key(keys.session_pk(session_id), keys.consent_sk(call_id))
    row = {"TableName": table, "Key": key, "ConditionExpression": conditions.EXISTS}
    return {"Delete": row | _OLD}
