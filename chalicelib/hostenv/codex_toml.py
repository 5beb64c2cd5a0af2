"""Codex's `config.toml`: the five keys into each stdio server's `env`, every other byte kept.

Codex gives a server nothing but a few basics and what its entry's own `env` and `env_vars` name, so
this is the only way in; a name written here leaves `env_vars`, which forwards the host's value.
Comments, order and layout are kept by tomlkit; the result is read back and compared before use.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import MutableMapping
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, InlineTable, Item, Table, Whitespace

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.check import env_of
from chalicelib.hostenv.variables import Edit, Place, Values

SERVERS: Final = "mcp_servers"
_LONE_LF: Final = re.compile(r"(?<!\r)\n")
_UNSAFE: Final = (
    "is laid out in a way that cannot be edited without touching more than the five keys"
)


def edit(text: str, values: Values) -> Edit:
    """The text with `values` in every stdio server. Raises `InvalidInput` on what is not TOML, or
    is written in a way that cannot be edited without touching more."""
    before = _parsed(text)
    wanted, places, notes = _planned(before, values)
    if wanted == before:
        return Edit(text, places, notes)
    document = tomlkit.parse(text)
    if tomlkit.dumps(document) != text:
        raise InvalidInput(_UNSAFE)
    newline = "\r\n" if "\r\n" in text else "\n"
    try:
        for place in places:
            _edit_server(document[SERVERS][place.name], values, newline)
        after = _with_line_ends_of(text, tomlkit.dumps(document))
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise InvalidInput(_UNSAFE) from error
    if _parsed(after) != wanted:
        raise InvalidInput(_UNSAFE)
    return Edit(after, places, notes)


def _planned(
    before: dict[str, Any], values: Values
) -> tuple[dict[str, Any], tuple[Place, ...], tuple[str, ...]]:
    """What the file must say afterwards, decided on plain values."""
    wanted = copy.deepcopy(before)
    servers = wanted.get(SERVERS)
    if servers is None:
        return wanted, (), (f"has no {SERVERS}",)
    if not isinstance(servers, dict):
        raise InvalidInput(f"{SERVERS} is not a table")
    places: list[Place] = []
    notes: list[str] = []
    for name, entry in servers.items():
        if not _is_stdio(entry):
            continue
        env = entry.get("env", {})
        if not isinstance(env, dict):
            notes.append(f"server {name}: env is not a table; left alone")
            continue
        places.append(Place(name, env_of(env)))
        entry["env"] = {**env, **values}
        forwarded = entry.get("env_vars")
        if isinstance(forwarded, list):
            kept = [item for item in forwarded if not _is_one_of(item, values)]
            entry["env_vars"] = kept
            if not kept and forwarded:
                del entry["env_vars"]
    return wanted, tuple(places), tuple(notes)


def _is_stdio(entry: object) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and bool(command.strip())


def _is_one_of(item: object, values: Values) -> bool:
    return isinstance(item, str) and item in values


def _edit_server(server: MutableMapping[str, Any], values: Values, newline: str) -> None:
    if "env" in server:
        _fill(server["env"], values, newline)
    else:
        env = tomlkit.inline_table()
        env.update(values)
        _add(server, "env", env, newline)
    forwarded = server.get("env_vars")
    if isinstance(forwarded, Array):
        _forward_less(server, forwarded, values)


def _fill(env: MutableMapping[str, Any], values: Values, newline: str) -> None:
    for name, value in values.items():
        if name not in env:
            _add(env, name, tomlkit.string(value), newline)
        elif env[name] != value:
            env[name] = value


def _forward_less(server: MutableMapping[str, Any], names: Array, values: Values) -> None:
    forwarded = [name for name in names if _is_one_of(name, values)]
    for name in forwarded:
        names.remove(name)
    if forwarded and not names:
        del server["env_vars"]


def _add(table: MutableMapping[str, Any], key: str, item: Item, newline: str) -> None:
    """Add a key after the last plain one: before sub-tables, and before the blank lines and
    comments that lead over to the next section."""
    if isinstance(table, InlineTable):
        _add_inline(table, key, item)
        return
    item.trivia.trail = newline
    last = _last_plain_key(table) if isinstance(table, Table) else None
    if last is None or not isinstance(table, Table):
        table[key] = item
        return
    previous = table.value.item(last)
    if isinstance(previous, Item) and not previous.trivia.trail.endswith("\n"):
        previous.trivia.trail += newline
    table.value._insert_after(last, key, item)  # tomlkit has no public way to say where


def _add_inline(table: InlineTable, key: str, item: Item) -> None:
    """Add a key at the end, in front of the blank that stands before the closing brace."""
    body = table.value.body
    blank = ""
    if body and isinstance(body[-1][1], Whitespace):
        blank = body.pop()[1].as_string()
    elif body:
        last = body[-1][1]
        blank, last.trivia.trail = last.trivia.trail, ""
    table.append(key, item)
    item.trivia.trail = blank


def _last_plain_key(table: Table) -> str | None:
    """The last key before the first sub-table, if there is one."""
    last = None
    for key, item in table.value.body:
        is_section = isinstance(item, AoT) or (
            isinstance(item, Table) and not (key is not None and key.is_dotted())
        )
        if is_section:
            break
        if key is not None:
            last = key.key
    return last


def _with_line_ends_of(text: str, after: str) -> str:
    """tomlkit ends some lines of its own with LF, whatever the file does."""
    if "\n" in text.replace("\r\n", ""):
        return after
    return _LONE_LF.sub("\r\n", after) if "\r\n" in text else after


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"is not TOML: {error}") from error
