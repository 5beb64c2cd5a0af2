"""What JSON text can say but we cannot store or send on; looked for before anything else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema.values import MAX_INTEGER_BITS, is_encodable
from chalicelib.domain.text import one_line

MAX_DEPTH: Final = 16
"""A flat form needs five levels; the rest is room for annotations nobody reads."""

_PATH_LIMIT: Final = 300


def child(path: str, name: str) -> str:
    """The path of a member: `a.b`, with hidden characters of a stranger's name made visible."""
    return one_line(f"{path}.{name}", _PATH_LIMIT)


def unstorable(path: str, root: object) -> Iterator[FieldProblem]:
    """A problem for each non-finite number, lone surrogate, non-JSON value, or too deep a level."""
    stack: list[tuple[str, object, int]] = [(path, root, 0)]
    while stack:
        where, value, depth = stack.pop()
        if depth > MAX_DEPTH:
            yield FieldProblem(where, f"Is nested more than {MAX_DEPTH} levels deep.")
        elif isinstance(value, dict):
            yield from _bad_keys(where, value)
            stack += [(child(where, str(key)), one, depth + 1) for key, one in value.items()]
        elif isinstance(value, list):
            stack += [(f"{where}[{index}]", one, depth + 1) for index, one in enumerate(value)]
        else:
            yield from _bad_scalar(where, value)


def _bad_keys(where: str, value: dict[object, object]) -> Iterator[FieldProblem]:
    for key in value:
        if not isinstance(key, str) or not is_encodable(key):
            yield FieldProblem(where, "Has a key that is not Unicode text.")


def _bad_scalar(where: str, value: object) -> Iterator[FieldProblem]:
    if isinstance(value, str):
        if not is_encodable(value):
            yield FieldProblem(where, "Holds half of a character (a lone surrogate).")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield FieldProblem(where, "Must be a finite number.")
    elif isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            yield FieldProblem(where, "Has too many digits.")
    elif value is not None:
        yield FieldProblem(where, "Is not a JSON value.")
