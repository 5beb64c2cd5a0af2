"""The probe's state and the history of incidents.

    PROBE  STATE                the state, changed only at the version that was read
    PROBE  INCIDENT#<start ms>  one incident, kept for the retention after it last changed

State and changed incidents are one transaction. A write that loses to itself (the SDK retries after
a lost acknowledgement) is harmless: the state stands, and a claim lapses within a minute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.domain.incident import Incident, ProbeState
from chalicelib.storage import conditions, keys
from chalicelib.storage.attributes import (
    Item,
    from_ms,
    get_instant,
    get_json,
    get_number,
    instant,
    number,
    present,
    text,
    to_json,
    to_ms,
)
from chalicelib.storage.errors import code_of, storage_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PK = "PROBE"
STATE = "STATE"
_INSTANTS = ("started_at", "ended_at", "paged_at", "recovery_paged_at", "claimed_at")
_COUNTS = ("probes", "bad_probes", "flaps")
_RESULTS = ("first", "last_bad")
LOST_CODES = frozenset({"ConditionalCheckFailed", "TransactionConflict", "None"})


@dataclass(frozen=True, slots=True)
class DynamoIncidents:
    """`probe_endpoint.Incidents` on the table."""

    client: DynamoDBClient
    table: str
    retention: timedelta

    def load(self) -> ProbeState:
        """The state now; an empty one before the first probe."""
        with storage_errors():
            answer = self.client.get_item(
                TableName=self.table, Key=keys.key(PK, STATE), ConsistentRead=True
            )
        item = answer.get("Item")
        return _state_from_item(dict(item)) if item else ProbeState()

    def save(self, before: ProbeState, after: ProbeState) -> ProbeState | None:
        """Write at `before.version`; None when another write came first."""
        stored = replace(after, version=before.version + 1)
        known = [_unclaimed(found) for found in before.incidents]
        changed = [found for found in map(_unclaimed, after.incidents) if found not in known]
        rows = [self._state_put(before, stored)]
        rows += [self._history_put(found, after.observed_at) for found in changed]
        try:
            with storage_errors():
                self.client.transact_write_items(TransactItems=cast("Any", rows))
        except ClientError as error:
            if _came_second(error):
                return None
            raise
        return stored

    def history(self, *, limit: int) -> list[Incident]:
        """Incidents, newest first."""
        with storage_errors():
            answer = self.client.query(
                TableName=self.table,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :sk)",
                ExpressionAttributeValues={":pk": text(PK), ":sk": text("INCIDENT#")},
                ScanIndexForward=False,
                Limit=limit,
            )
        return [_incident_from_json(get_json(dict(i), "incident")) for i in answer["Items"]]

    def _state_put(self, before: ProbeState, stored: ProbeState) -> dict[str, Any]:
        put = {
            "TableName": self.table,
            "Item": _state_to_item(stored),
            "ConditionExpression": conditions.IS_NEW,
        }
        if before.version:
            put |= {
                "ConditionExpression": conditions.AT_THIS_VERSION,
                "ExpressionAttributeNames": {"#version": "version"},
                "ExpressionAttributeValues": {":version": number(before.version)},
            }
        return {"Put": put}

    def _history_put(self, incident: Incident, observed_at: datetime | None) -> dict[str, Any]:
        kept_from = observed_at or incident.started_at
        item = keys.key(PK, f"INCIDENT#{to_ms(incident.started_at):013d}") | {
            "kind": text("incident"),
            "incident": to_json(_incident_to_json(incident)),
            "ttl": number(to_ms(kept_from + self.retention) // 1000),
        }
        return {"Put": {"TableName": self.table, "Item": item}}


def _unclaimed(incident: Incident) -> Incident:
    """The incident as the history tells it: who has its page in hand is no part of it."""
    return replace(incident, claimed_at=None)


def _came_second(error: ClientError) -> bool:
    if code_of(error) == "TransactionConflictException":
        return True
    reasons = cast("list[dict[str, Any]]", error.response.get("CancellationReasons", []))
    codes = {str(reason.get("Code", "None")) for reason in reasons}
    return code_of(error) == "TransactionCanceledException" and codes <= LOST_CODES


def _state_to_item(state: ProbeState) -> Item:
    bad_run = None
    if state.bad_run is not None:
        first, since = state.bad_run
        bad_run = to_json({"first": _result_to_json(first), "since": to_ms(since)})
    return keys.key(PK, STATE) | present(
        {
            "kind": text("probe_state"),
            "version": number(state.version),
            "observed_at": instant(state.observed_at) if state.observed_at else None,
            "last": to_json(_result_to_json(state.last)) if state.last else None,
            "bad_run": bad_run,
            "bad_count": number(state.bad_count),
            "good_count": number(state.good_count),
            "incidents": to_json([_incident_to_json(found) for found in state.incidents]),
        }
    )


def _state_from_item(item: Item) -> ProbeState:
    last, bad_run = get_json(item, "last"), get_json(item, "bad_run")
    return ProbeState(
        version=get_number(item, "version"),
        observed_at=get_instant(item, "observed_at"),
        last=_result_from_json(last) if last else None,
        bad_run=(
            (_result_from_json(bad_run["first"]), from_ms(bad_run["since"])) if bad_run else None
        ),
        bad_count=get_number(item, "bad_count"),
        good_count=get_number(item, "good_count"),
        incidents=tuple(_incident_from_json(found) for found in get_json(item, "incidents", [])),
    )


def _result_to_json(result: ProbeResult) -> dict[str, Any]:
    return asdict(result)


def _result_from_json(data: Mapping[str, Any]) -> ProbeResult:
    return ProbeResult(**{**data, "kind": ProbeKind(data["kind"])})


def _incident_to_json(incident: Incident) -> dict[str, Any]:
    told = {name: getattr(incident, name) for name in (*_INSTANTS, *_COUNTS)}
    data = {name: to_ms(v) if isinstance(v, datetime) else v for name, v in told.items()}
    results = {name: _result_to_json(getattr(incident, name)) for name in _RESULTS}
    return {**data, **results}


def _incident_from_json(data: Mapping[str, Any]) -> Incident:
    values: dict[str, Any] = {name: int(data[name]) for name in _COUNTS}
    values |= {name: from_ms(data[name]) for name in _INSTANTS if data[name] is not None}
    values |= {name: _result_from_json(data[name]) for name in _RESULTS}
    return Incident(**values)
