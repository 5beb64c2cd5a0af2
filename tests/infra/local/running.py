"""Starts the whole local service as a process of its own, as `make run` does."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Service:
    """A started service: its process, where its console goes, what its ready file said."""

    process: subprocess.Popen[bytes]
    console: Path
    ready: Mapping[str, Any]

    def call(
        self, method: str, url: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """One request to a path, or to a whole URL of this service."""
        parts = urlsplit(url)
        sent = {"Content-Type": "application/json", "X-API-Key": self.ready["api_key"], **headers}
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        data = json.dumps(body) if body is not None else None
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request(method, target, data, sent)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"{}")

    @property
    def port(self) -> int:
        """The port of its HTTP server."""
        return int(urlsplit(self.ready["base_url"]).port or 0)


def start(
    data_dir: Path, environ: Mapping[str, str], *, console: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start it without waiting; its console is the file `<data_dir>.console`, or another."""
    inherited = {n: v for n, v in os.environ.items() if not n.startswith("AWS_")}
    with (console or data_dir.with_suffix(".console")).open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "infra.local"],
            cwd=ROOT,
            env={**inherited, "PARLEY_PORT": "0", "PARLEY_DATA_DIR": str(data_dir), **environ},
            stdout=output,
            stderr=subprocess.STDOUT,
        )


@contextmanager
def service(data_dir: Path, **environ: str) -> Iterator[Service]:
    """Run it until the end of the block, unless the block ended it; SIGTERM must end it well."""
    ready, console = data_dir.with_suffix(".ready"), data_dir.with_suffix(".console")
    ready.unlink(missing_ok=True)
    process = start(data_dir, {"PARLEY_READY_FILE": str(ready), **environ})
    try:
        yield Service(process, console, _wait_for(ready, process, console))
        if process.poll() is None:
            process.terminate()
            assert process.wait(30) == 0, console.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _wait_for(ready: Path, process: subprocess.Popen[bytes], console: Path) -> Mapping[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if ready.exists():
            told: Mapping[str, Any] = json.loads(ready.read_text())
            return told
        time.sleep(0.02)
    raise AssertionError(f"it did not become ready:\n{console.read_text()}")
