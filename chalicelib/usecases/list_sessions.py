"""Sessions by status, paged. The status shown is computed, so it is filtered here and not in an
index."""

from __future__ import annotations

from datetime import datetime

from chalicelib.domain.errors import FieldProblem, InvalidInput
from chalicelib.domain.principal import Principal
from chalicelib.domain.session import Session
from chalicelib.usecases.ports import Lists, PageOf

STATUSES = (
    "running",
    "idle",
    "needs_input",
    "waiting_for_tool_results",
    "archived",
    "failed",
)
MOST_PAGES = 20
"""Pages looked through for one page of a rare status; the caller goes on with `next`."""


def list_sessions(
    *,
    principal: Principal,
    status: str | None,
    limit: int,
    after: str | None,
    now: datetime,
    lists: Lists,
) -> PageOf:
    """Newest first; a host's key lists its own sessions. Raises `InvalidInput` for a bad status."""
    if status is not None and status not in STATUSES:
        message = f"must be one of {', '.join(STATUSES)}"
        raise InvalidInput(f"status: {message}", fields=[FieldProblem("status", message)])
    owner = None if principal.sees_all_sessions() else principal.name
    found: list[Session] = []
    for _ in range(MOST_PAGES):
        page = lists.sessions(owner=owner, limit=limit - len(found), after=after)
        found += [s for s in page.sessions if status in (None, s.shown_status(now))]
        after = page.next
        if after is None or len(found) >= limit:
            break
    return PageOf(found, after)
