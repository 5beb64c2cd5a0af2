"""Drives other people's clients, one process each, call by call."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.mcp_server.conformance.environment import HERE, prepared

MODERN: Final = (
    ("python_sdk.py", "auto"),
    ("python_sdk.py", "2026-07-28"),
    ("typescript_v2.mjs", "auto"),
)
LEGACY: Final = (
    ("python_sdk.py", "legacy"),
    ("typescript_v1.mjs", "legacy"),
    ("typescript_v2.mjs", "legacy"),
)
END_SECONDS: Final = 30

Outcome = dict[str, Any]


def _ignore(_url: str) -> None:
    """Default for `SdkClient.on_page`."""


@dataclass
class SdkClient:
    """A connected client; `on_page` is called, while the client goes on, for each page to open."""

    process: subprocess.Popen[str]
    errors: Path
    version: str
    tools: list[str]
    on_page: Callable[[str], object] = _ignore
    pages: list[str] = field(default_factory=list)

    def call(self, name: str, /, **arguments: Any) -> Outcome:
        """One tool call: `structured`, or a tool's `error`, or the protocol's `code` and `data`."""
        line = json.dumps({"name": name, "arguments": arguments})
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while "outcome" not in (told := _read(self.process, self.errors)):
            self.pages.append(told["page"])
            self.on_page(told["page"])
        outcome: Outcome = told["outcome"]
        return outcome

    def told(self, name: str, /, **arguments: Any) -> Any:
        """The structured result of a call that succeeds."""
        outcome = self.call(name, **arguments)
        assert "structured" in outcome, outcome
        return outcome["structured"]


@contextmanager
def sdk_client(script: str, mode: str, *, url: str, key: str) -> Iterator[SdkClient]:
    """Connect, and hang up at the end of the block."""
    environment = prepared()
    program, path = environment.python, HERE / "clients" / script
    if path.suffix == ".mjs":
        # Node finds packages beside the script, not beside the working directory.
        program, path = environment.node, Path(shutil.copy(path, environment.home))
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "stderr"
        with errors.open("w") as output:
            process = subprocess.Popen(
                [program, path, url, mode],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                env={**os.environ, "MCP_KEY": key},
            )
        try:
            found = _read(process, errors)
            yield SdkClient(process, errors, found["version"], found["tools"])
            _, _ = process.communicate(timeout=END_SECONDS)
            assert process.returncode == 0, errors.read_text()
        finally:
            process.kill()
            process.communicate()


def _read(process: subprocess.Popen[str], errors: Path) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"the client ended:\n{errors.read_text()}"
    told: dict[str, Any] = json.loads(line)
    return told
