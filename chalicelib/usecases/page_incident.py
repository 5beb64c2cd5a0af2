"""Send operators what is due: one page per incident, and one message when it is over.

Claimed before, stamped after. A delivery that fails leaves the message due; a sender that dies
between sending and stamping makes a repeat with the same key, never a loss.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from chalicelib.domain import incident
from chalicelib.domain.events import Event
from chalicelib.domain.incident import Incident, PageKind, ProbeState
from chalicelib.usecases.ports import Clock, Contended, Result
from chalicelib.usecases.probe_endpoint import MAX_ATTEMPTS, Incidents

log = logging.getLogger("parley.incidents")

PAGE_SENT: Final = "page.sent"
PAGE_FAILED: Final = "page.failed"
MAX_PAGES: Final = 2 * incident.MAX_UNSETTLED


class Pager(Protocol):
    """Reaches operators."""

    def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
        """Send one message; `key` is the incident's, the same for both. Raises on failure."""


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A message that this sender has in hand."""

    incident: Incident
    kind: PageKind


def deliver_pages(*, incidents: Incidents, pager: Pager, clock: Clock) -> Result[dict[str, Any]]:
    """Send every message that is due, oldest incident first; stop at the first that fails."""
    facts: list[Event] = []
    sent = failed = 0
    while not failed and sent < MAX_PAGES and (claimed := _claim(incidents, clock)) is not None:
        outcome = _deliver(claimed, incidents, pager, clock)
        sent += outcome.type == PAGE_SENT
        failed += outcome.type == PAGE_FAILED
        facts.append(outcome)
    return Result({"sent": sent, "failed": failed}, tuple(facts))


def page_text(about: Incident, kind: PageKind, now: datetime) -> tuple[str, str]:
    """Subject and message. Both say what it means for agents, when, how long and how often."""
    started = f"{about.started_at:%Y-%m-%d %H:%M:%S UTC}"
    counts = f"{about.bad_probes} of {about.probes} probes failed"
    if about.flaps:
        again = "once" if about.flaps == 1 else f"{about.flaps} times"
        counts += f"; it went down again {again} before it was over"
    last = about.last_bad
    if kind is PageKind.RECOVERY:
        lines = [
            f"Agents can ask people again. They could not for {_words(about.lasted(now))}.",
            f"From: {started}",
            f"Until: {about.ended_at:%Y-%m-%d %H:%M:%S UTC}",
            f"Last failure: {last.detail}",
        ]
        subject = f"Parley: gate reachable again after {_words(about.lasted(now))}"
    else:
        state = "was unreachable (it is over)" if about.ended_at else "cannot be reached"
        lines = [
            f"The address that agents ask people through {state}. Gated tools fail closed: they "
            "return redacted values, whatever a person would have said.",
            f"URL: {last.url}",
            f"Failure ({last.kind.value}): {last.detail}",
            f"Since: {started} ({_words(about.lasted(now))})",
            "Do: check DNS, certificate and the deployed API, then run "
            "`python -m chalicelib.hostenv probe` on an agent host.",
        ]
        subject = f"Parley: gate unreachable ({about.first.kind.value})"
    return subject, "\n".join([*lines, f"Probes: {counts}", f"Incident: {about.key}"]) + "\n"


def _claim(incidents: Incidents, clock: Clock) -> _Claimed | None:
    for _ in range(MAX_ATTEMPTS):
        state, now = incidents.load(), clock()
        found = incident.next_due(state, now)
        if found is None or found.due is None:
            return None
        if incidents.save(state, incident.claim(state, found.key, now)) is not None:
            return _Claimed(found, found.due)
    return None


def _deliver(claimed: _Claimed, incidents: Incidents, pager: Pager, clock: Clock) -> Event:
    """The fact of a sent or failed delivery; whatever the pager raises is a failed one."""
    about, kind = claimed.incident, claimed.kind
    subject, message = page_text(about, kind, clock())
    try:
        pager.page(subject, message, key=about.key, kind=kind.value)
    except Exception as error:
        log.warning("page not delivered: %s", type(error).__name__)
        _change(incidents, lambda state: incident.release(state, about.key))
        return Event(type=PAGE_FAILED, at=clock(), data={"incident": about.key, "kind": kind.value})
    now = clock()
    _change(incidents, lambda state: incident.stamp(state, about.key, kind, now))
    return Event(type=PAGE_SENT, at=now, data={"incident": about.key, "kind": kind.value})


def _change(incidents: Incidents, change: Callable[[ProbeState], ProbeState]) -> None:
    """Apply a change on top of whatever was written meanwhile."""
    for _ in range(MAX_ATTEMPTS):
        state = incidents.load()
        if incidents.save(state, change(state)) is not None:
            return
    raise Contended


def _words(duration: timedelta) -> str:
    minutes, seconds = divmod(round(duration.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
