"""Checks of the roles: exact resources and actions; a wildcard needs a reason that stands here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

Statement = Mapping[str, Any]

WILDCARDS: Final[Mapping[str, str]] = {
    "LambdaWritesLogs": (
        "Log streams are named by Lambda, one for each execution environment; the log group is "
        "narrowed to this function's name, of which only the random end is open, since the role "
        "cannot name the function that names the role."
    ),
}
"""Why a statement (by its Sid) has `*` in a resource."""


def as_list(value: Any) -> list[Any]:
    """IAM takes one or a list of most things."""
    return value if isinstance(value, list) else [value]


def load(folder: Path) -> dict[str, list[Statement]]:
    """Function to statements, for every policy file."""
    return {
        path.stem: json.loads(path.read_text())["Statement"]
        for path in sorted(folder.glob("*.json"))
    }


def unconditional(statement: Statement) -> Statement:
    """The statement itself, where one stands under a condition of the template."""
    if "Fn::If" in statement:
        _, wanted, _ = statement["Fn::If"]
        return dict(wanted)
    return statement


def problems(policies: Mapping[str, list[Statement]]) -> list[str]:
    """All findings over all functions."""
    found = []
    for function, conditional in policies.items():
        statements = [unconditional(statement) for statement in conditional]
        reports = [*_names(statements), *(p for s in statements for p in _statement(s))]
        found += [f"{function}: {report}" for report in reports]
    return found


def _names(statements: list[Statement]) -> Iterator[str]:
    names = [statement.get("Sid", "") for statement in statements]
    for name in {*names}:
        if not name or names.count(name) > 1:
            yield f"{name!r} is no name for a statement, or that of two"


def _statement(statement: Statement) -> Iterator[str]:
    name = statement["Sid"]
    for action in as_list(statement["Action"]):
        if "*" in action:
            yield f"{name} allows {action}"
    for resource in as_list(statement["Resource"]):
        if "*" in json.dumps(resource) and name not in WILDCARDS:
            yield f"{name} covers {resource} without a written reason"
    if statement["Effect"] != "Allow" or {"NotAction", "NotResource"} & statement.keys():
        yield f"{name} is not a plain list of what is allowed"
