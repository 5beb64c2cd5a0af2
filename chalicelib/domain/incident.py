"""Is the gate reachable: one probe after another folded into health and incidents.

Pure: (state, result, now, thresholds) -> (state, facts). Sending pages, storing and probing are
elsewhere. Any HTTP answer counts as reached (seed, "Where the request goes"); an answer that does
not look like ours is `degraded`: worth a warning, never a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from chalicelib.domain.events import Event
from chalicelib.domain.gate import GateState, Health, ProbeKind, ProbeResult

PROBE_DOWN: Final = "probe.down"
PROBE_DEGRADED: Final = "probe.degraded"
PROBE_RECOVERED: Final = "probe.recovered"
INCIDENT_OPENED: Final = "incident.opened"
INCIDENT_CLOSED: Final = "incident.closed"
INCIDENT_FORGOTTEN: Final = "incident.forgotten"

STALE_AFTER: Final = timedelta(minutes=15)
"""Three ticks without a result: what was known then says nothing about now."""

CLAIM_LASTS: Final = timedelta(minutes=1)
"""A sender that died with a claim holds a page back for this long at most."""

MAX_UNSETTLED: Final = 20
"""Incidents kept in the state while their pages cannot be delivered; the history keeps all."""


class PageKind(StrEnum):
    """The two messages that every incident sends to operators, in this order."""

    PAGE = "page"
    RECOVERY = "recovery"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How many bad probes in a row open an incident, and how many good ones close it (>= 1)."""

    bad: int = 1
    good: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One outage, from the first bad probe to the last good one that closed it.

    `flaps` counts the times it went down again before it was over. `paged_at` and
    `recovery_paged_at` are stamped after delivery; `claimed_at` holds off a second sender.
    """

    started_at: datetime
    first: ProbeResult
    last_bad: ProbeResult
    probes: int = 1
    bad_probes: int = 1
    flaps: int = 0
    ended_at: datetime | None = None
    paged_at: datetime | None = None
    recovery_paged_at: datetime | None = None
    claimed_at: datetime | None = None

    @property
    def key(self) -> str:
        """The same for every message about this outage, so that receivers can fold repeats."""
        return f"gate-unreachable-{self.started_at:%Y%m%dT%H%M%S}.{self._milliseconds:03d}Z"

    @property
    def _milliseconds(self) -> int:
        return self.started_at.microsecond // 1000

    @property
    def is_open(self) -> bool:
        """Whether the outage goes on."""
        return self.ended_at is None

    @property
    def due(self) -> PageKind | None:
        """The message to send next; a recovery waits until the page has been delivered."""
        if self.paged_at is None:
            return PageKind.PAGE
        if self.ended_at is not None and self.recovery_paged_at is None:
            return PageKind.RECOVERY
        return None

    @property
    def is_settled(self) -> bool:
        """Whether it is over and both messages are delivered."""
        return not self.is_open and self.due is None

    def lasted(self, now: datetime) -> timedelta:
        """From the first bad probe to the end or to `now`; never negative."""
        return max((self.ended_at or now) - self.started_at, timedelta())

    def is_claimed(self, now: datetime) -> bool:
        """Whether a sender has it in hand; a claim from the future (clock set back) is void."""
        return (
            self.claimed_at is not None and self.claimed_at <= now < self.claimed_at + CLAIM_LASTS
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeState:
    """Everything one probe leaves for the next. `version` counts the writes of the stored row.

    `incidents` is oldest first: those whose messages are outstanding, then the newest one.
    """

    version: int = 0
    observed_at: datetime | None = None
    last: ProbeResult | None = None
    bad_run: tuple[ProbeResult, datetime] | None = None
    bad_count: int = 0
    good_count: int = 0
    incidents: Sequence[Incident] = ()

    @property
    def open_incident(self) -> Incident | None:
        """The outage that goes on, if any."""
        newest = self.incidents[-1] if self.incidents else None
        return newest if newest is not None and newest.is_open else None


def observe(
    state: ProbeState, result: ProbeResult, now: datetime, thresholds: Thresholds
) -> tuple[ProbeState, list[Event]]:
    """The state after one probe, and what happened. `state.version` is left to the store."""
    before = replace(
        state, incidents=tuple(incident for incident in state.incidents if not incident.is_settled)
    )
    move = _good if result.reachable else _bad
    after, facts = move(before, result, now, thresholds)
    if len(after.incidents) > MAX_UNSETTLED:
        forgotten = after.incidents[0]
        after = replace(after, incidents=after.incidents[1:])
        facts.append(_fact(INCIDENT_FORGOTTEN, forgotten.last_bad, now, incident=forgotten.key))
    return replace(after, observed_at=now, last=result), facts


def gate_state(state: ProbeState, now: datetime) -> GateState:
    """What is known of the gate at `now`. A result older than `STALE_AFTER`, or from a future that
    the clock has been set back from, leaves the health unknown; an open incident still shows."""
    incident = state.open_incident
    shown = incident.last_bad if incident else state.last
    return GateState(
        health=_health(state, now),
        checked_at=state.observed_at,
        url=shown.url if shown else "",
        detail=shown.detail if shown else "",
        since=incident.started_at if incident else None,
    )


def next_due(state: ProbeState, now: datetime) -> Incident | None:
    """The oldest incident with a message to send that no other sender has in hand."""
    for incident in state.incidents:
        if incident.due is not None and not incident.is_claimed(now):
            return incident
    return None


def claim(state: ProbeState, key: str, now: datetime) -> ProbeState:
    """The state in which this sender has the incident in hand for `CLAIM_LASTS`."""
    return _with(state, key, claimed_at=now)


def release(state: ProbeState, key: str) -> ProbeState:
    """The state after a failed delivery: the next sender may try at once."""
    return _with(state, key, claimed_at=None)


def stamp(state: ProbeState, key: str, kind: PageKind, now: datetime) -> ProbeState:
    """The state after a delivery."""
    name = "paged_at" if kind is PageKind.PAGE else "recovery_paged_at"
    return _with(state, key, claimed_at=None, **{name: now})


def _bad(
    state: ProbeState, result: ProbeResult, now: datetime, thresholds: Thresholds
) -> tuple[ProbeState, list[Event]]:
    facts = [_fact(PROBE_DOWN, result, now)]
    first, since = state.bad_run or (result, now)
    after = replace(state, bad_run=(first, since), bad_count=state.bad_count + 1, good_count=0)
    incident = state.open_incident
    if incident is not None:
        worse = replace(
            incident,
            last_bad=result,
            probes=incident.probes + 1,
            bad_probes=incident.bad_probes + 1,
            flaps=incident.flaps + (state.good_count > 0),
        )
        return replace(after, incidents=(*state.incidents[:-1], worse)), facts
    if after.bad_count < thresholds.bad:
        return after, facts
    opened = Incident(
        started_at=since,
        first=first,
        last_bad=result,
        probes=after.bad_count,
        bad_probes=after.bad_count,
    )
    facts.append(_fact(INCIDENT_OPENED, result, now, incident=opened.key))
    return replace(after, incidents=(*state.incidents, opened)), facts


def _good(
    state: ProbeState, result: ProbeResult, now: datetime, thresholds: Thresholds
) -> tuple[ProbeState, list[Event]]:
    facts = [_fact(PROBE_DEGRADED, result, now)] if result.degraded else []
    after = replace(state, bad_run=None, bad_count=0, good_count=state.good_count + 1)
    incident = state.open_incident
    if incident is None:
        if state.bad_count:
            facts.append(_fact(PROBE_RECOVERED, result, now))
        return after, facts
    better = replace(incident, probes=incident.probes + 1)
    if after.good_count >= thresholds.good:
        better = replace(better, ended_at=max(now, incident.started_at))
        facts.append(_fact(INCIDENT_CLOSED, result, now, incident=better.key))
    return replace(after, incidents=(*state.incidents[:-1], better)), facts


def _health(state: ProbeState, now: datetime) -> Health:
    if state.observed_at is None or abs(now - state.observed_at) > STALE_AFTER:
        return Health.UNKNOWN
    if state.open_incident is not None:
        return Health.DOWN
    is_clean = state.last is not None and state.last.kind is ProbeKind.OK
    return Health.OK if is_clean else Health.DEGRADED


def _with(state: ProbeState, key: str, **changes: datetime | None) -> ProbeState:
    changed = [
        replace(incident, **changes) if incident.key == key else incident  # type: ignore[arg-type]
        for incident in state.incidents
    ]
    return replace(state, incidents=tuple(changed))


def _fact(name: str, result: ProbeResult, now: datetime, **more: str) -> Event:
    data = {"kind": result.kind.value, "detail": result.detail, "url": result.url}
    return Event(type=name, at=now, data=data | more)
