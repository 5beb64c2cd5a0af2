"""Who asks, as a page shows it: a stranger's own words, labelled as such."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from chalicelib.domain.elicitation import Elicitation


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Strangers' raw text, apart from `asked_at`. `server` is known for relayed questions only."""

    tool: str | None
    session: str
    context: str | None
    asked_at: datetime
    server: str | None = None


def asker_of(elicitation: Elicitation, session_title: str | None) -> Asker:
    """The asker of an elicitation; a session without a title goes by its id."""
    return Asker(
        tool=elicitation.tool_name,
        session=session_title or elicitation.session_id,
        context=elicitation.context,
        asked_at=elicitation.created_at,
    )
