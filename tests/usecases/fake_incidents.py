"""An in-memory `Incidents`, and what else a run of probes needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.domain.incident import Incident, ProbeState

START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
TICK = timedelta(minutes=5)

OK = ProbeResult(
    kind=ProbeKind.OK, detail="HTTP 401 from https://p.example", url="https://p.example"
)
DEGRADED = replace(OK, kind=ProbeKind.DEGRADED, detail="HTTP 502 from https://p.example")
DOWN = replace(OK, kind=ProbeKind.REFUSED, detail="the connection was refused")
LETTERS = {"u": OK, "g": DEGRADED, "d": DOWN}


class FakeIncidents:
    """Optimistic locking as the table does it."""

    def __init__(self) -> None:
        self.state = ProbeState()
        self.kept: dict[datetime, Incident] = {}

    def load(self) -> ProbeState:
        return self.state

    def save(self, before: ProbeState, after: ProbeState) -> ProbeState | None:
        if before.version != self.state.version:
            return None
        self.state = replace(after, version=before.version + 1)
        self.kept |= {
            found.started_at: replace(found, claimed_at=None) for found in after.incidents
        }
        return self.state

    def history(self, *, limit: int) -> list[Incident]:
        return [self.kept[at] for at in sorted(self.kept, reverse=True)][:limit]


class FakePager:
    """Notes what it sends; fails as often as it is told to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.messages: list[str] = []
        self.failures = 0

    def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("no way to the operators")
        self.sent.append((kind, key))
        self.messages.append(f"{subject}\n{message}")

    def count(self, kind: str) -> int:
        return sum(sent == kind for sent, _ in self.sent)


class TestClock:
    """A clock that moves when told to."""

    __test__ = False

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now
