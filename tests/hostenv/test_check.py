"""Every known misconfiguration is seen, and a sound set-up is not complained about."""

from __future__ import annotations

import pytest

from chalicelib.hostenv.check import findings
from chalicelib.hostenv.variables import Place
from tests.hostenv.examples import VALUES


def found(**changes: str | None) -> list[str]:
    current = {name: value for name, value in {**VALUES, **changes}.items() if value is not None}
    return findings([Place("server", current)], VALUES)


def test_what_we_inject_ourselves_is_sound() -> None:
    assert found() == []


def test_a_server_that_was_never_injected_is_not_misconfigured() -> None:
    assert findings([Place("server", {})], VALUES) == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ELICITATION_POLL_URL", None, "ELICITATION_REQUEST_URL without ELICITATION_POLL_URL"),
        ("ELICITATION_POLL_URL", "  ", "ELICITATION_REQUEST_URL without ELICITATION_POLL_URL"),
        ("ELICITATION_REQUEST_URL", None, "ELICITATION_POLL_URL without ELICITATION_REQUEST_URL"),
        ("ELICITATION_PREFER_HTTP_FALLBACK", None, "PREFER_HTTP_FALLBACK is not true"),
        ("ELICITATION_PREFER_HTTP_FALLBACK", "1", "PREFER_HTTP_FALLBACK is not true"),
        ("ELICITATION_TTL_MS", None, "TTL_MS is unset"),
        ("ELICITATION_TTL_MS", "soon", "TTL_MS is not a number"),
        ("ELICITATION_TTL_MS", "-5", "TTL_MS is not a number"),
        ("ELICITATION_TTL_MS", "300000", "TTL_MS is shorter than this instance's default"),
        ("ELICITATION_TTL_MS", "60000ms", "TTL_MS is shorter than this instance's default"),
        ("ELICITATION_REQUEST_URL", "http://zimmer/api", "points to zimmer, this instance is"),
        ("ELICITATION_POLL_URL", "https://parley.example:444/x", "points to parley.example:444"),
        ("ELICITATION_POLL_URL", "https://parley.example/x?t=1", "has a query or fragment"),
        ("ELICITATION_POLL_URL", "https://u:p@parley.example/x", "carries a user name"),
        ("ELICITATION_REQUEST_URL", "parley.example/x", "is not an http(s) URL"),
        ("ELICITATION_REQUEST_URL", "https://[x", "is not an http(s) URL"),
        ("ELICITATION_SESSION_ID", "other", "is not this session's"),
        ("ELICITATION_ENABLED", "False", "approves everything without asking"),
    ],
)
def test_a_known_misconfiguration_is_named(name: str, value: str | None, words: str) -> None:
    assert any(words in line for line in found(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ELICITATION_PREFER_HTTP_FALLBACK", "TRUE"),
        ("ELICITATION_TTL_MS", "7200000"),
        ("ELICITATION_REQUEST_URL", "https://PARLEY.example/api/v1/elicitations"),
        ("ELICITATION_ENABLED", "true"),
    ],
)
def test_what_the_client_understands_as_well_is_no_problem(name: str, value: str) -> None:
    assert found(**{name: value}) == []


def test_no_finding_quotes_a_token_or_a_password() -> None:
    lines = found(ELICITATION_POLL_URL="https://u:pa55@p.example/session/s3cret")
    assert lines
    assert not any("s3cret" in line or "pa55" in line for line in lines)
