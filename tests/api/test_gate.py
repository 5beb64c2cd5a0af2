"""Health, incidents, system prompt and self-check over HTTP."""

from __future__ import annotations

from dataclasses import replace
from email.utils import format_datetime
from functools import cached_property
from typing import Any

import pytest

from chalicelib.bootstrap import Services
from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.domain.principal import Scope
from chalicelib.jobs.probe import probe
from chalicelib.settings import VARIABLES
from tests.parley import Parley, path_of

SOUND = ProbeResult(kind=ProbeKind.OK, detail="HTTP 401", url="")
REFUSED = ProbeResult(kind=ProbeKind.REFUSED, detail="connection refused", url="")


class Staging(Services):
    """The services of a stage that is probed; the test sets what probes find and reads the
    pages."""

    result = SOUND

    def __init__(self, parley: Parley) -> None:
        environ = {name: getattr(parley.services.settings, field) for field, name in KEPT.items()}
        super().__init__(environ | {"PARLEY_STAGE": "staging"}, clock=parley.clock)
        self.pages: list[str] = []

    def prober(self, url: str) -> ProbeResult:
        return replace(self.result, url=url)

    def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
        assert subject
        assert message
        assert key
        self.pages.append(kind)

    @cached_property
    def publisher(self) -> Any:
        return self


KEPT = {name: VARIABLES[name] for name in ("table", "engine_url")}


@pytest.fixture
def staging(parley: Parley) -> Staging:
    return Staging(parley)


def down(staging: Staging) -> None:
    staging.result = REFUSED
    probe(staging)


def test_health_is_public_and_unknown_before_the_first_probe(parley: Parley) -> None:
    answer = parley.http("GET", "/api/v1/health", key=None)
    assert answer.status == 200
    assert answer.json == {"gate": "unknown"}
    assert answer.headers["x-parley"] == "1"


def test_an_outage_pages_once_and_shows_everywhere_until_it_is_over(
    parley: Parley, staging: Staging
) -> None:
    session = parley.open_session(mcp_servers=["github"])
    prompt = f"/api/v1/sessions/{session['id']}/system-prompt"
    probe(staging)
    assert parley.http("GET", "/api/v1/health", key=None).json == {"gate": "ok"}
    healthy = parley.http("GET", prompt).json["text"]
    for _ in range(3):
        down(staging)
        parley.clock.turn(minutes=5)
    assert staging.pages == ["page"]
    assert parley.http("GET", "/api/v1/health", key=None).json == {"gate": "down"}
    broken = parley.http("GET", prompt).json["text"]
    assert broken != healthy
    [incident] = parley.http("GET", "/api/v1/incidents").json["incidents"]
    assert incident["status"] == "open"
    assert incident["bad_probes"] == 3
    staging.result = SOUND
    for _ in range(2):
        parley.clock.turn(minutes=5)
        probe(staging)
    assert staging.pages == ["page", "recovery"]
    assert parley.http("GET", prompt).json["text"] == healthy
    [incident] = parley.http("GET", "/api/v1/incidents").json["incidents"]
    assert incident["status"] == "over"


def test_development_is_not_probed(parley: Parley) -> None:
    assert probe(parley.services) == {"probed": False}


def test_a_session_without_mcp_servers_gets_no_prompt(parley: Parley) -> None:
    session = parley.open_session()
    path = f"/api/v1/sessions/{session['id']}/system-prompt"
    assert parley.http("GET", path).json == {"text": None}
    plain = parley.http("GET", path, headers={"accept": "text/plain"})
    assert plain.text == ""


def test_incidents_are_for_admins(parley: Parley) -> None:
    key = parley.new_key("host", Scope.HOST)
    assert parley.http("GET", "/api/v1/incidents", key=key).status == 403


def test_a_token_can_check_what_it_would_get(parley: Parley) -> None:
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    parley.clock.turn(seconds=-90)
    date = format_datetime(parley.clock(), usegmt=True)
    parley.clock.turn(seconds=90)
    told = parley.http("GET", path, key=None, headers={"date": date}).json
    assert told["may"] == ["ask", "poll", "withdraw"]
    assert told["ttl_ms"] == int(session["env"]["ELICITATION_TTL_MS"])
    assert told["clock_skew_seconds"] in (-90, -91)
    assert told["gate"] == "unknown"
    parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": "archived"})
    assert parley.http("GET", path, key=None).json["may"] == ["poll", "withdraw"]
    assert parley.http("GET", path[:-4] + "AAAA", key=None).status == 401
