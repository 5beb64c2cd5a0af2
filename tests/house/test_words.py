"""One word for each thing, nothing left undone, and no trace of the machine it was written on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import ROOT, modules, name_of, parsed

ELSEWHERE = {
    "approval": (),  # answer; approving is the agent's host's affair
    "approve": (),
    "alert": (),  # notice (to people), page (to operators)
    "orphan": (),  # lost
    "sweep": (),  # cleanup
    "notification": ("chalicelib/mcp_server/",),  # JSON-RPC's word
    "prompt": ("chalicelib/hostenv/", "chalicelib/api/gate.py", "chalicelib/domain/gate_prompt.py"),
    "response": ("chalicelib/api/", "chalicelib/outbound/", "chalicelib/mcp_server/"),
    "ttl": ("chalicelib/storage/", "chalicelib/hostenv/"),  # deadline
}
"""Words that are not ours in names, and where they are somebody else's: a protocol's, AWS's, a
model's (`system_prompt`)."""

UNDONE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|tmp/parley)/")
TEXT = {".py", ".md", ".toml", ".yaml", ".json", ".html", ".css", ".js", ""}
FOLDERS = {".chalice", ".ci", "bench", "chalicelib", "examples", "infra", "tests"}
MADE = {"node_modules", "__pycache__", "deployments", "deployed"}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def project_texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project, without what tools install or make."""
    for top in sorted(ROOT.iterdir()):
        inside = top.rglob("*") if top.name in FOLDERS else [top]
        for path in inside:
            if path.is_file() and path.suffix in TEXT and not MADE & set(path.parts):
                yield name_of(path), path.read_text(errors="replace")


def names_in(path: Path) -> Iterator[str]:
    """Every name that the module gives to something."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def words(name: str) -> set[str]:
    """`OpenAlerts` and `open_alerts` to `open` and `alert`."""
    return {word.lower().removesuffix("s") for word in WORD.findall(name)}


def test_names_use_the_words_of_the_house() -> None:
    found = [
        f"{name_of(path)}: {name}"
        for path in modules("app.py", "chalicelib")
        for name in names_in(path)
        for word in words(name) & ELSEWHERE.keys()
        if not name_of(path).startswith(tuple(ELSEWHERE[word]))
    ]
    assert not found


def test_nothing_is_left_undone() -> None:
    assert not [name for name, text in project_texts() if UNDONE.search(text)]


def test_no_machines_path_is_in_the_project() -> None:
    assert not [name for name, text in project_texts() if MACHINE.search(text)]


def test_the_rulers_measure() -> None:
    assert words("OpenAlerts") == words("open_alert") == {"open", "alert"}
    assert UNDONE.search("TO" + "DO: later")
    assert MACHINE.search("see /ro" + "ot/x")
    assert not MACHINE.search("https://example.com/work/1")
