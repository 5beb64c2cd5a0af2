"""`python -m chalicelib.hostenv`: show, inject, prompt, probe. Parses, dispatches, sets exit codes.

0 done; 1 `inject --check` has something to say, or `probe` reached nothing; 2 refused.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from chalicelib.domain.errors import ParleyError, TryAgain
from chalicelib.domain.gate import GateState, Health, worst
from chalicelib.domain.gate_prompt import system_prompt_block
from chalicelib.hostenv.inject import Targets, inject, plan, print_cli_env, report
from chalicelib.hostenv.sources import API_KEY, BASE_URL, SessionSource
from chalicelib.hostenv.variables import shown
from chalicelib.outbound.prober import probe, probe_url

UNREACHABLE: Final = 1
REFUSED: Final = 2


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command; the exit code. Refusals go to stderr, nothing half-done is left behind."""
    environ = os.environ if environ is None else environ
    args = _parser().parse_args(argv)
    source = SessionSource(
        base_url=args.base_url or environ.get(BASE_URL),
        session_id=args.session,
        env_file=args.env_file,
        api_key=args.api_key or environ.get(API_KEY),
    )
    try:
        return _run(args, source, environ)
    except ParleyError as error:
        print(f"hostenv: {error.message}", file=sys.stderr)
        return REFUSED


def _run(args: argparse.Namespace, source: SessionSource, environ: Mapping[str, str]) -> int:
    match args.command:
        case "show":
            return _show(source, reveal=args.reveal)
        case "inject":
            return _inject(args, source)
        case "prompt":
            return _prompt(source)
        case _:
            return _probe(source.probe_urls(environ), as_json=args.json)


def _show(source: SessionSource, *, reveal: bool) -> int:
    for name, value in source.values().items():
        print(f"{name}={shown(value, reveal=reveal)}")
    return 0


def _inject(args: argparse.Namespace, source: SessionSource) -> int:
    targets = Targets(
        mcp_json=args.mcp_json,
        codex_toml=args.codex_toml,
        dotenv=args.dotenv,
        cli_env=args.cli_env,
    )
    targets.paths()
    planned = plan(targets, source.values(allow_incomplete=args.check))
    for file, edit in planned.edits:
        for note in edit.notes:
            print(f"hostenv: {file.path}: {note}", file=sys.stderr)
    if args.check:
        return report(planned, sys.stdout)
    for line in planned.remaining:
        print(f"hostenv: {line}", file=sys.stderr)
    inject(planned, sys.stderr if args.cli_env else sys.stdout)
    if args.cli_env:
        print_cli_env(planned.values, sys.stdout, reveal=args.reveal)
        if not args.reveal:
            print("hostenv: add --reveal for lines that can be run", file=sys.stderr)
    return 0


def _prompt(source: SessionSource) -> int:
    """The session's block. When the service itself cannot be reached from here, neither can the
    session's tools reach it: that is the broken gate, whatever the service believes of itself."""
    service = source.service()
    if service is None:
        block = _local_prompt(source.probe_urls({}))
    else:
        try:
            block = service.system_prompt()
        except TryAgain:
            block = _local_prompt([probe_url(service.base_url)])
    if block is not None:
        print(block)
    return 0


def _local_prompt(urls: Sequence[str]) -> str | None:
    result = worst([probe(url) for url in urls])
    now = datetime.now(UTC)
    gate = GateState(
        health=Health.OK if result.reachable else Health.DOWN,
        checked_at=now,
        url=result.url,
        detail=result.detail,
        since=None if result.reachable else now,
    )
    return system_prompt_block(has_mcp_servers=True, gate=gate)


def _probe(urls: Sequence[str], *, as_json: bool) -> int:
    result = worst([probe(url) for url in urls])
    if as_json:
        fields = ("reachable", "degraded", "kind", "detail", "url", "status", "elapsed_ms")
        print(json.dumps({name: getattr(result, name) for name in fields}))
    else:
        print(f"{result.kind}: {result.detail} ({result.elapsed_ms} ms)")
    return 0 if result.reachable else UNREACHABLE


def _parser() -> argparse.ArgumentParser:
    source = argparse.ArgumentParser(add_help=False)
    group = source.add_argument_group("session")
    group.add_argument("--base-url", metavar="URL", help=f"the instance (or {BASE_URL})")
    group.add_argument("--api-key", metavar="KEY", help=f"better kept in {API_KEY}")
    group.add_argument("--session", metavar="ID", help="the session's id")
    group.add_argument("--env-file", metavar="FILE", type=Path, help="offline: a file of the five")
    parser = argparse.ArgumentParser(prog="python -m chalicelib.hostenv", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_commands(commands, source)
    return parser


def _add_commands(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], source: argparse.ArgumentParser
) -> None:
    show = commands.add_parser("show", parents=[source], help="print the five variables")
    into = commands.add_parser("inject", parents=[source], help="write them where agents read")
    for command in (show, into):
        command.add_argument("--reveal", action="store_true", help="print the session's token")
    for name in ("--mcp-json", "--codex-toml"):
        into.add_argument(name, metavar="FILE", type=Path, action="append", default=[])
    into.add_argument("--dotenv", metavar="FILE", type=Path, help="the session's .env: it wins")
    into.add_argument("--cli-env", action="store_true", help="print lines for the agent's process")
    into.add_argument("--check", action="store_true", help="write nothing; report what is wrong")
    commands.add_parser("prompt", parents=[source], help="print the system-prompt block")
    reach = commands.add_parser("probe", parents=[source], help="can the gate be reached from here")
    reach.add_argument("--json", action="store_true", help="print one JSON object")


if __name__ == "__main__":
    sys.exit(main())
