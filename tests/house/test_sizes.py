"""Modules and functions that fit a screen; ruff holds complexity and line length."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import SHIPPED, modules, name_of, parsed

MODULE_LINES = 300
FUNCTION_LINES = 40
POSITIONAL = 4
NESTING = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)

CODE = modules(*SHIPPED)


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, Function):
            yield node


def own_lines(function: Function) -> int:
    """Lines from `def` to the end, without those of functions defined inside (route tables)."""
    inner = [n for n in ast.walk(function) if isinstance(n, Function) and n is not function]
    inside = {line for n in inner for line in range(_first(n), (n.end_lineno or n.lineno) + 1)}
    return (function.end_lineno or function.lineno) - function.lineno + 1 - len(inside)


def _first(function: Function) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def positional(function: Function, lines: list[str]) -> int:
    """Parameters that may be given by position, without `self` and `cls`; none are counted where
    the code itself says why there are more (`noqa: PLR0917 - reason`)."""
    if re.search(r"# noqa: PLR0917 - \w", lines[function.lineno - 1]):
        return 0
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return len([name for name in names if name not in ("self", "cls")])


def nesting(nodes: list[ast.stmt], depth: int = 0) -> int:
    """How deep blocks stand in blocks; `elif` is no deeper than its `if`."""
    deepest = depth
    for node in nodes:
        if isinstance(node, Function | ast.ClassDef):
            continue
        below = depth + isinstance(node, BLOCKS)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, [])
            is_elif = name == "orelse" and len(inner) == 1 and isinstance(inner[0], ast.If)
            deepest = max(deepest, nesting(inner, depth if is_elif else below))
        for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            deepest = max(deepest, nesting(part.body, below))
    return deepest


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_a_module_fits(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_functions_are_short_shallow_and_called_by_name(path: Path) -> None:
    found, lines = [], path.read_text().splitlines()
    for function in functions(path):
        sizes = own_lines(function), positional(function, lines), nesting(function.body)
        if any(
            size > limit
            for size, limit in zip(sizes, (FUNCTION_LINES, POSITIONAL, NESTING), strict=True)
        ):
            found.append(f"{function.name}: {sizes} (lines, positional parameters, nesting)")
    assert not found


def test_the_ruler_measures() -> None:
    """A check that nothing could fail would be none."""
    source = """
def far(a, b, c, d, e):
    for x in a:
        if x:
            pass
        elif b:
            with c:
                while d:
                    pass
"""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert (own_lines(function), nesting(function.body)) == (8, 4)
    assert positional(function, source.splitlines()) == 5
