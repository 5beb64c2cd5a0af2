"""The five variables, exactly (zimmer 6; 114-120)."""

from __future__ import annotations

from chalicelib.domain.variables import NAMES, five_variables


def test_the_five_variables_and_no_other() -> None:
    made = five_variables(
        base_url="https://p.example/api",
        poll_base_url="https://q.example",
        token="t0ken",
        session_id="s1",
        default_minutes=90,
    )
    assert made == {
        "ELICITATION_REQUEST_URL": "https://p.example/api/api/v1/elicitations/session/t0ken",
        "ELICITATION_POLL_URL": "https://q.example/api/v1/elicitations/session/t0ken",
        "ELICITATION_PREFER_HTTP_FALLBACK": "true",
        "ELICITATION_TTL_MS": "5400000",
        "ELICITATION_SESSION_ID": "s1",
    }
    assert tuple(made) == NAMES
    assert "ELICITATION_ENABLED" not in made
