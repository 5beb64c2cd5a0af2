"""Probe the gate once and fold the result into the stored state. Pages are `page_incident`'s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from chalicelib.domain import incident
from chalicelib.domain.events import Event
from chalicelib.domain.gate import ProbeResult, worst
from chalicelib.domain.incident import Incident, ProbeState, Thresholds
from chalicelib.usecases.ports import Clock, Contended, Result

Prober = Callable[[str], ProbeResult]
"""Probes one URL; never raises."""

MAX_ATTEMPTS: Final = 5


class Incidents(Protocol):
    """The probe's state, changed by conditional write only. `TryAgain` when storage is busy."""

    def load(self) -> ProbeState:
        """The state now (consistent); an empty one before the first probe."""

    def save(self, before: ProbeState, after: ProbeState) -> ProbeState | None:
        """Write `after`, and its changed incidents into the history, if the row is still at
        `before.version`. The state as stored, or None when another write came first."""

    def history(self, *, limit: int) -> list[Incident]:
        """Incidents, newest first, the open one included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """What a probe run works with."""

    prober: Prober
    incidents: Incidents
    clock: Clock
    thresholds: Thresholds


def probe_endpoint(
    urls: Sequence[str], *, probing: Probing, active: bool = True
) -> Result[dict[str, Any]]:
    """Probe every URL that askers use; the worst result counts.

    `active=False` (development: the URL would describe somebody's laptop) probes nothing. Of two
    probers at once, the one that finishes second is dropped: together they saw one tick.
    """
    if not active:
        return Result({"probed": False})
    before = probing.incidents.load()
    result = worst([probing.prober(url) for url in urls])
    facts = _record(before, result, probing)
    summary = {
        "probed": True,
        "recorded": facts is not None,
        "kind": result.kind.value,
        "detail": result.detail,
        "elapsed_ms": result.elapsed_ms,
    }
    return Result(summary, tuple(facts or ()))


def _record(before: ProbeState, result: ProbeResult, probing: Probing) -> list[Event] | None:
    """What happened, or None when another prober recorded the same tick.

    A write that lost to a sender's stamp is applied again on top of it.
    """
    state = before
    for _ in range(MAX_ATTEMPTS):
        now = probing.clock()
        after, facts = incident.observe(state, result, now, probing.thresholds)
        if probing.incidents.save(state, after) is not None:
            return facts
        state = probing.incidents.load()
        if state.observed_at != before.observed_at:
            return None
    raise Contended
