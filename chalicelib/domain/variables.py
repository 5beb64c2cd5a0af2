"""The five variables that lead an asker to Parley (seed, "Where the request goes").

Leaving any of the last three to a client's default breaks the round trip in a way that looks
exactly like a denial. `ELICITATION_ENABLED` is deliberately not among them: whether a server gates
an action is that server's decision.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = (
    "ELICITATION_REQUEST_URL",
    "ELICITATION_POLL_URL",
    "ELICITATION_PREFER_HTTP_FALLBACK",
    "ELICITATION_TTL_MS",
    "ELICITATION_SESSION_ID",
)


def five_variables(
    *, base_url: str, poll_base_url: str, token: str, session_id: str, default_minutes: int
) -> dict[str, str]:
    """Name to value, in order. The client appends `/<request-id>` to the poll URL."""
    path = f"/api/v1/elicitations/session/{token}"
    values = (
        base_url + path,
        poll_base_url + path,
        "true",
        str(default_minutes * 60_000),
        session_id,
    )
    return dict(zip(NAMES, values, strict=True))
