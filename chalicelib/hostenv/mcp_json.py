"""`.mcp.json`: the five keys into each stdio server's `env`, every other byte left as it is.

The text is edited by position, not written anew: what is not one of the five keeps its spelling,
order, indentation and line ends. Where a key stands twice the last one counts, as for JSON readers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.check import env_of
from chalicelib.hostenv.variables import Edit, Place, Values

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_LINE_LEAD: Final = re.compile(r"\r?\n[ \t]*\Z")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """One `"key": value` of an object, with where each part starts and ends in the text."""

    key: str
    key_start: int
    key_end: int
    value: Any
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object in the text, from its opening to its closing brace."""

    text: str
    start: int
    end: int
    members: tuple[_Member, ...]

    def last(self, key: str) -> _Member | None:
        """The member that counts for a key."""
        return next((member for member in reversed(self.members) if member.key == key), None)

    @property
    def lead(self) -> str:
        """What stands before each member: a line break with its indentation, or blanks."""
        first = self.members[0].key_start if self.members else self.end
        return _line_lead(self.text[self.start + 1 : first])

    @property
    def colon(self) -> str:
        """What stands between the last key and its value."""
        last = self.members[-1]
        return self.text[last.key_end : last.value_start]

    @property
    def comma(self) -> str:
        """What stands between two members."""
        if len(self.members) > 1:
            return "," + _line_lead(
                self.text[self.members[-2].value_end : self.members[-1].key_start].partition(",")[2]
            )
        if "\n" in self.lead:
            return "," + self.lead
        return ", " if self.colon.endswith(" ") else ","


@dataclass(frozen=True, slots=True)
class _Splice:
    """Replace text[start:end]."""

    start: int
    end: int
    text: str


def edit(text: str, values: Values) -> Edit:
    """The text with `values` in every stdio server. Raises `InvalidInput` on what is not JSON."""
    root = _parsed(text)
    found = root.last("mcpServers")
    if found is None:
        return Edit(text, notes=("has no mcpServers",))
    if not isinstance(found.value, dict):
        raise InvalidInput("mcpServers is not an object")
    servers = _object(text, found.value_start)
    splices: list[_Splice] = []
    places: list[Place] = []
    notes: list[str] = []
    for name in dict.fromkeys(member.key for member in servers.members):
        member = servers.last(name)
        if member is None or not _is_stdio(member.value):
            continue
        env = member.value.get("env", {})
        if not isinstance(env, dict):
            notes.append(f"server {name}: env is not an object; left alone")
            continue
        places.append(Place(name, env_of(env)))
        splices += _server(_object(text, member.value_start), servers, values)
    return Edit(_spliced(text, splices), tuple(places), tuple(notes))


def _is_stdio(entry: object) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and bool(command.strip())


def _server(server: _Object, parent: _Object, values: Values) -> list[_Splice]:
    member = server.last("env")
    if member is None:
        at = server.members[-1].value_end
        key = f'{server.comma}"env"{server.colon}'
        return [_Splice(at, at, key + _new_object(server, parent, values))]
    env = _object(server.text, member.value_start)
    if not env.members:
        new = _new_object(server, parent, values)
        return [_Splice(member.value_start, member.value_end, new)] if values else []
    return _env(env, values)


def _env(env: _Object, values: Values) -> list[_Splice]:
    splices = [
        _Splice(member.value_start, member.value_end, _quoted(values[member.key]))
        for member in env.members
        if member.key in values and member.value != values[member.key]
    ]
    present = {member.key for member in env.members}
    added = {name: value for name, value in values.items() if name not in present}
    at = env.members[-1].value_end
    text = "".join(env.comma + pair for pair in _pairs(added, env.colon))
    return [*splices, _Splice(at, at, text)] if added else splices


def _new_object(server: _Object, parent: _Object, values: Values) -> str:
    """An `env` in the style of the server that it belongs to."""
    pairs = _pairs(values, server.colon)
    if "\n" not in server.lead:
        blank = " " if server.colon.endswith(" ") else ""
        return "{" + server.lead + f",{blank}".join(pairs) + server.lead + "}"
    inner = server.lead + _indent_step(server.lead, parent.lead)
    return "{" + inner + f",{inner}".join(pairs) + server.lead + "}"


def _indent_step(inner: str, outer: str) -> str:
    if "\n" in outer and inner.startswith(outer) and inner != outer:
        return inner[len(outer) :]
    return "  "


def _pairs(values: Values, colon: str) -> list[str]:
    return [f"{_quoted(name)}{colon}{_quoted(value)}" for name, value in values.items()]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _line_lead(blank: str) -> str:
    """The last line break with what follows; blanks without a line break as they are."""
    match = _LINE_LEAD.search(blank)
    return match[0] if match else blank


def _spliced(text: str, splices: list[_Splice]) -> str:
    for splice in sorted(splices, key=lambda splice: splice.start, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def _parsed(text: str) -> _Object:
    """The whole text as one object. The strict parse comes first, so that scanning cannot fail."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise InvalidInput(f"is not JSON: {error}") from error
    except RecursionError as error:
        raise InvalidInput("is nested too deeply") from error
    if not isinstance(value, Mapping):
        raise InvalidInput("is not a JSON object")
    return _object(text, _skip(text, 0))


def _no_constant(name: str) -> NoReturn:
    raise InvalidInput(f"is not JSON: {name} is no JSON number")


def _object(text: str, start: int) -> _Object:
    """The object whose opening brace stands at `start` of a text known to be JSON."""
    members: list[_Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, key_end = _DECODER.raw_decode(text, at)
        value_start = _skip(text, _skip(text, key_end) + 1)
        value, value_end = _DECODER.raw_decode(text, value_start)
        members.append(_Member(key, at, key_end, value, value_start, value_end))
        at = _skip(text, value_end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Object(text, start, at, tuple(members))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
