"""`inject` and `inject --check`: the values into every file that was named, or none of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TextIO, TypeVar

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv import check, codex_toml, dotenv, files, mcp_json
from chalicelib.hostenv.files import Source
from chalicelib.hostenv.variables import Edit, Values, effective, shown

T = TypeVar("T")

WOULD_CHANGE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Where the values go. `dotenv` is read first: what the operator set there wins everywhere."""

    mcp_json: Sequence[Path] = ()
    codex_toml: Sequence[Path] = ()
    dotenv: Path | None = None
    cli_env: bool = False

    def paths(self) -> list[Path]:
        """Every file named. Raises `InvalidInput` when there is no target, or one file is named
        twice."""
        paths = [*self.mcp_json, *self.codex_toml, *([self.dotenv] if self.dotenv else [])]
        if not paths and not self.cli_env:
            raise InvalidInput("name at least one of --mcp-json, --codex-toml, --dotenv, --cli-env")
        if len({path.resolve() for path in paths}) < len(paths):
            raise InvalidInput("the same file is named twice")
        return paths


@dataclass(frozen=True, slots=True)
class Plan:
    """What an injection comes to, before anything is written."""

    values: Values
    edits: Sequence[tuple[Source, Edit]]
    findings: Sequence[str]
    """What is wrong in the files now."""
    remaining: Sequence[str]
    """What stays wrong afterwards, because the session's `.env` says so."""

    @property
    def changes(self) -> list[tuple[Source, str]]:
        """The files whose text changes."""
        return [(source, edit.text) for source, edit in self.edits if edit.text != source.text]


def plan(targets: Targets, ours: Values) -> Plan:
    """Read every file and decide. Raises a `ParleyError` naming the file at fault."""
    sources = {path: files.read(path) for path in targets.paths()}
    edits: list[tuple[Source, Edit]] = []
    values = dict(ours)
    remaining: list[str] = []
    if targets.dotenv is not None:
        source = sources[targets.dotenv]
        edited = _named(source, lambda text: dotenv.edit(text, ours))
        values = effective(ours, _named(source, dotenv.overrides))
        remaining = check.findings(edited.places, ours)
        edits.append((source, edited))
    for edit, paths in ((mcp_json.edit, targets.mcp_json), (codex_toml.edit, targets.codex_toml)):
        into = partial(edit, values=values)
        edits += [(sources[path], _named(sources[path], into)) for path in paths]
    found = [
        f"{source.path}: {line}"
        for source, edited in edits
        if source.path != targets.dotenv
        for line in check.findings(edited.places, ours)
    ]
    return Plan(values, edits, found, [f"{targets.dotenv}: {line}" for line in remaining])


def inject(planned: Plan, out: TextIO) -> None:
    """Write what changes, all or nothing, and say what was done."""
    files.write_all(planned.changes)
    for source, edit in planned.edits:
        state = "written" if edit.text != source.text else "up to date"
        print(f"{source.path}: {state}{_servers(edit)}", file=out)


def report(planned: Plan, out: TextIO) -> int:
    """Say what would change and what is wrong; `WOULD_CHANGE` when there is anything to say."""
    changing = {source.path for source, _ in planned.changes}
    for source, edit in planned.edits:
        state = "would change" if source.path in changing else "up to date"
        print(f"{source.path}: {state}{_servers(edit)}", file=out)
    for line in [*planned.findings, *planned.remaining]:
        print(f"problem: {line}", file=out)
    return WOULD_CHANGE if changing or planned.findings or planned.remaining else 0


def print_cli_env(values: Values, out: TextIO, *, reveal: bool) -> None:
    """Shell lines for the agent's own process. Without `reveal` they are comments, so that running
    them sets nothing rather than a masked URL."""
    mark = "" if reveal else "# "
    for name, value in values.items():
        print(f"{mark}export {name}={shlex.quote(shown(value, reveal=reveal))}", file=out)


def _servers(edit: Edit) -> str:
    names = [place.name for place in edit.places]
    return f" ({', '.join(names)})" if names else ""


def _named(source: Source, read: Callable[[str], T]) -> T:
    """What `read` makes of the file; its refusals are given the file's name."""
    try:
        return read(source.text)
    except InvalidInput as error:
        raise InvalidInput(f"{source.path} {error.message}") from error
