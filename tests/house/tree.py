"""The project's own files, for checks that read them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = ("app.py", "chalicelib", "infra", "examples", "bench")


def modules(*tops: str) -> list[Path]:
    """Every Python file under these files and folders of the project."""
    found: list[Path] = []
    for top in tops:
        path = ROOT / top
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [path for path in found if "node_modules" not in path.parts]


@cache
def parsed(path: Path) -> ast.Module:
    """The file's syntax tree."""
    return ast.parse(path.read_text(), str(path))


def name_of(path: Path) -> str:
    """The file's path in the project."""
    return str(path.relative_to(ROOT))


def section(heading: str) -> str:
    """The README's text under a heading, down to the next one of its level."""
    text = (ROOT / "README.md").read_text()
    start = text.index(f"\n## {heading}\n")
    end = text.find("\n## ", start + 1)
    return text[start : end if end > 0 else len(text)]


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a README heading, the first column without backticks."""
    lines = section(heading).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| ---"))
    rows = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append([cells[0].strip("`"), *cells[1:]])
    return rows
