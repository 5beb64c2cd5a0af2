"""What a probe met and what is known of the gate: values that probes, pages and prompts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ProbeKind(StrEnum):
    """What a probe met. `OK` and `DEGRADED` are answers; the rest are failures of the transport."""

    OK = "ok"
    DEGRADED = "degraded"
    DNS = "dns"
    REFUSED = "refused"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    BAD_URL = "bad_url"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """One probe of one URL. `url` and `detail` carry no token; `elapsed_ms` is in milliseconds."""

    kind: ProbeKind
    detail: str
    url: str
    status: int | None = None
    elapsed_ms: int = 0

    @property
    def reachable(self) -> bool:
        """Whether anything answered HTTP."""
        return self.kind in {ProbeKind.OK, ProbeKind.DEGRADED}

    @property
    def degraded(self) -> bool:
        """Whether something answered, but not as this service does."""
        return self.kind is ProbeKind.DEGRADED


def worst(results: Sequence[ProbeResult]) -> ProbeResult:
    """Down before degraded before sound; the first of equals. Raises `ValueError` on none."""
    return min(results, key=lambda result: (result.reachable, not result.degraded))


class Health(StrEnum):
    """What is known of the gate."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateState:
    """What everyone else is told of the gate: health pages, self-checks, system prompts."""

    health: Health
    checked_at: datetime | None = None
    url: str = ""
    detail: str = ""
    since: datetime | None = None

    @property
    def is_broken(self) -> bool:
        """Whether an incident is open, however old its last probe is."""
        return self.since is not None
