"""A recorded answer, readable field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.form_schema.fields import Field
from chalicelib.domain.principal import Channel
from chalicelib.domain.text import one_line

_CHANNELS = {
    Channel.LINK: "by someone with the link",
    Channel.INBOX: "in the inbox",
    Channel.API: "through the API",
    Channel.MCP: "through MCP",
    Channel.ASKER: "by the agent’s side",
    Channel.SYSTEM: "by Parley itself",
}
_NAMED = frozenset({Channel.INBOX, Channel.API, Channel.MCP})

_ACTIONS = {
    Status.ACCEPT: "accepted",
    Status.DECLINE: "declined",
    Status.CANCEL: "dismissed without an answer",
    Status.EXPIRED: "expired",
    Status.PENDING: "waiting",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One field's title and value, raw and perhaps with line breaks; None for a field left out."""

    title: str
    value: str | None


def recorded(elicitation: Elicitation, fields: Sequence[Field]) -> list[Recorded]:
    """What an accept carries, in the form's order; a field that was left out says so."""
    if elicitation.status is not Status.ACCEPT:
        return []
    content: Mapping[str, Any] = elicitation.content or {}
    told = [Recorded(field.title, _in_words(field, content.get(field.name))) for field in fields]
    known = {field.name for field in fields}
    return told + [
        Recorded(name, str(value)) for name, value in content.items() if name not in known
    ]


def action_in_words(status: Status) -> str:
    """What became of it, as a participle."""
    return _ACTIONS[status]


def by_whom(elicitation: Elicitation) -> str:
    """Who answered and through what; an API key's name is told, a link has none."""
    actor = elicitation.answered_by
    if actor is None:
        return "by someone"
    channel = _CHANNELS[actor.channel]
    return f"by {one_line(actor.name)} {channel}" if actor.channel in _NAMED else channel


def _in_words(field: Field, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list | tuple):
        return ", ".join(_option(field, str(one)) for one in value) or "None of them"
    return _option(field, str(value))


def _option(field: Field, value: str) -> str:
    title = next((option.title for option in field.options if option.value == value), value)
    return value if title == value else f"{title} ({value})"
