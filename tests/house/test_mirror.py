"""Tests stand where their subject stands: who knows the module knows its tests, and back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.tree import ROOT, modules, name_of, parsed

BY_STORY = {"browser", "flows", "house", "slow"}
"""Folders whose tests tell a story or check the house, and mirror nothing."""

TESTS = [
    path
    for path in modules("tests")
    if path.name.startswith("test_") and path.relative_to(ROOT / "tests").parts[0] not in BY_STORY
]


def subject(path: Path) -> str:
    """The package or file that a test's place names: `tests/web/test_x.py` to `chalicelib.web`."""
    place = path.relative_to(ROOT / "tests").parent.parts
    if not place:
        return "app" if path.name == "test_app.py" else f"chalicelib.{path.stem[5:]}"
    return ".".join(place if place[0] in {"infra", "examples"} else ("chalicelib", *place))


def imported(path: Path) -> set[str]:
    """Modules that a test names in imports, at its top or inside."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def exists(dotted: str) -> bool:
    """Whether this is a package or module of the project."""
    path = ROOT.joinpath(*dotted.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_a_tests_place_names_something_of_the_project(path: Path) -> None:
    assert exists(subject(path)) or path.parent.name == "conformance"


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_a_test_is_about_what_stands_at_its_place(path: Path) -> None:
    """It imports from there, or a helper beside it does; what is seen from outside, through the
    service or the process that carries it."""
    where = subject(path)
    ways = [where, ".".join(path.relative_to(ROOT).parent.parts)]
    if where.startswith(("chalicelib.api", "app")):
        ways.append("tests.parley")
    if where == "examples":
        ways.append("tests.infra.local.running")
    seen = imported(path)
    assert any(module == way or module.startswith(f"{way}.") for way in ways for module in seen)
