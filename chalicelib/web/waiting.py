"""What waits for a person, as lists show it: questions and cards alike, and which of them a search
finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from chalicelib.domain.cards import Card
from chalicelib.domain.elicitation import Elicitation, Mode
from chalicelib.domain.text import one_line
from chalicelib.web.times import TimeLeft, time_left


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One line of a list. Text is a stranger's, raw. `path` is absolute and leads to its page."""

    key: str
    path: str
    message: str
    tool: str | None
    session_id: str
    session_title: str | None
    expires_at: datetime
    context: str | None = None
    server: str | None = None
    leads_elsewhere: bool = False

    @property
    def session(self) -> str:
        """The session's name for people."""
        return self.session_title or self.session_id


def waiting_elicitation(
    elicitation: Elicitation, *, session_title: str | None, path: str
) -> Waiting:
    """A live elicitation as a line."""
    return Waiting(
        key=elicitation.key,
        path=path,
        message=elicitation.message,
        tool=elicitation.tool_name,
        session_id=elicitation.session_id,
        session_title=session_title,
        expires_at=elicitation.expires_at,
        context=elicitation.context,
        leads_elsewhere=elicitation.mode is Mode.URL,
    )


def waiting_card(card: Card, *, session_title: str | None, path: str) -> Waiting:
    """An open card as a line."""
    return Waiting(
        key=card.call_id,
        path=path,
        message=card.message,
        tool=card.tool,
        server=card.server,
        session_id=card.session_id,
        session_title=session_title,
        expires_at=card.expires_at,
        leads_elsewhere=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search in the inbox; empty parts do not filter."""

    text: str = ""
    session: str = ""
    tool: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether everything is shown."""
        return not (self.text or self.session or self.tool)

    def as_string(self) -> str:
        """As it stands in a URL after `?`; empty when everything is shown."""
        parts = {"q": self.text, "session": self.session, "tool": self.tool}
        return urlencode({name: value for name, value in parts.items() if value})

    def finds(self, one: Waiting) -> bool:
        """Every word of the text occurs somewhere in the line, or is its key; session and tool are
        exact."""
        parts = (one.message, one.tool, one.server, one.session, one.context)
        haystack = " ".join(part for part in parts if part).casefold()
        words = self.text.casefold().split()
        return (
            all(word in haystack or word == one.key.casefold() for word in words)
            and self.session in ("", one.session_id)
            and self.tool in ("", one.tool)
        )


def query_from(parameters: Mapping[str, str]) -> Query:
    """The search of a request's query: `q`, `session`, `tool`."""
    return Query(
        text=one_line(parameters.get("q", ""), 200),
        session=parameters.get("session", ""),
        tool=parameters.get("tool", ""),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """What waits, with the time it has left."""

    one: Waiting
    time: TimeLeft


def lines(waiting: Sequence[Waiting], now: datetime) -> list[Line]:
    """Lines for a template, soonest deadline first, and always in the same order."""
    ordered = sorted(waiting, key=lambda one: (one.expires_at, one.key))
    return [Line(one, time_left(one.expires_at, now)) for one in ordered]


def found(waiting: Sequence[Waiting], query: Query) -> list[Waiting]:
    """What the search finds."""
    return [one for one in waiting if query.finds(one)]
