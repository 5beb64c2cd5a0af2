"""Reads of turns, cards, rounds and consents, and the notices of cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from chalicelib.domain.cards import Card
from chalicelib.domain.consent import Consent
from chalicelib.domain.turn import Round, Turn
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import Item, get_number, instant, text
from chalicelib.storage.errors import code_of, storage_errors
from chalicelib.storage.outbox import CLAIM_LASTS, NOT_CLAIMED, NOT_DELIVERED
from chalicelib.storage.turn_codec import (
    card_from_item,
    consent_from_item,
    round_from_item,
    turn_from_item,
)
from chalicelib.usecases.turn_ports import Due

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NAMES = {"#sent": "card_sent_at", "#claim": "card_claimed_at"}


@dataclass(frozen=True, slots=True)
class DynamoTurns:
    """`turn_ports.TurnReads` on the table."""

    client: DynamoDBClient
    table: str

    def turn(self, session_id: str, turn_id: str) -> Turn | None:
        """The turn now."""
        item = self._get(session_id, keys.turn_sk(turn_id))
        return turn_from_item(item) if item else None

    def card(self, session_id: str, call_id: str) -> Card | None:
        """A card, whatever its state."""
        item = self._get(session_id, keys.card_sk(call_id))
        return card_from_item(item) if item else None

    def cards(self, session_id: str, call_ids: Sequence[str]) -> list[Card]:
        """Those of a few `call_ids` that exist."""
        found = [self.card(session_id, call_id) for call_id in call_ids]
        return [card for card in found if card is not None]

    def consent(self, session_id: str, call_id: str) -> Consent | None:
        """A consent that is not used yet."""
        item = self._get(session_id, keys.consent_sk(call_id))
        return consent_from_item(item) if item else None

    def round(self, session_id: str, call_id: str) -> Round | None:
        """What a call's server asked."""
        item = self._get(session_id, keys.round_sk(call_id))
        return round_from_item(item) if item else None

    def open_cards(self, *, limit: int) -> list[Card]:
        """Pending cards of all sessions, soonest deadline first."""
        return [card_from_item(item) for item in self._live(None, limit) if _is_card(item)]

    def due(self, now: datetime, *, limit: int) -> Due:
        """Open cards past their deadline, and turns that a worker should have been at."""
        rows = self._live(now, limit)
        return Due(
            [card_from_item(item) for item in rows if _is_card(item)],
            [(i["session_id"]["S"], i["id"]["S"]) for i in rows if not _is_card(i)],
        )

    def claim_notice(self, session_id: str, call_id: str, now: datetime) -> Card | None:
        """Take the delivery of a card's notice; void once it is decided or its time is over."""
        condition = conditions.all_of(
            conditions.EXISTS,
            NOT_DELIVERED,
            NOT_CLAIMED,
            conditions.IS_PENDING,
            conditions.BEFORE_DEADLINE,
        )
        values = {
            ":now": instant(now),
            ":stale": instant(now - CLAIM_LASTS),
            ":pending": text("pending"),
        }
        try:
            with storage_errors():
                answer = self.client.update_item(
                    TableName=self.table,
                    Key=_key(session_id, keys.card_sk(call_id)),
                    UpdateExpression="SET #claim = :now",
                    ConditionExpression=condition,
                    ExpressionAttributeNames={**_NAMES, "#status": "status"},
                    ExpressionAttributeValues=values,
                    ReturnValues="ALL_NEW",
                )
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                return None
            raise
        return card_from_item(dict(answer["Attributes"]))

    def notice_delivered(self, session_id: str, call_id: str, now: datetime) -> None:
        """Stamp a card's notice and drop its flag; a card that is gone needs neither."""
        try:
            with storage_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=_key(session_id, keys.card_sk(call_id)),
                    UpdateExpression="SET #sent = :now REMOVE outbox_pk, outbox_at, notice_due",
                    ConditionExpression=conditions.EXISTS,
                    ExpressionAttributeNames={"#sent": _NAMES["#sent"]},
                    ExpressionAttributeValues={":now": instant(now)},
                )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise

    def _get(self, session_id: str, sk: str) -> Item | None:
        with storage_errors():
            answer = self.client.get_item(
                TableName=self.table, Key=_key(session_id, sk), ConsistentRead=True
            )
        return answer.get("Item")

    def _live(self, until: datetime | None, limit: int) -> list[Item]:
        """Rows of cards and turns in `live`; without `until` all of them, due or not."""
        condition = "live_pk = :pk" if until is None else "live_pk = :pk AND live_at <= :now"
        bound: Item = {} if until is None else {":now": instant(until)}
        rows: list[Item] = []
        with storage_errors():
            for shard in range(keys.SHARDS):
                answer = self.client.query(
                    TableName=self.table,
                    IndexName=keys.LIVE,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues={":pk": text(f"T#{shard}"), **bound},
                    Limit=limit,
                )
                rows += [dict(item) for item in answer["Items"]]
        rows.sort(key=lambda item: get_number(item, "live_at"))
        return rows[:limit]


def _is_card(item: Item) -> bool:
    return bool(item["kind"]["S"] == "card")


def _key(session_id: str, sk: str) -> Item:
    return keys.key(keys.session_pk(session_id), sk)
