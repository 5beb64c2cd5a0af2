"""Starts Parley on a free port with an empty data directory, walks the flow, stops it again.

What `make example-url` runs. Options are passed on to `walk.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
START_SECONDS = 60


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        ready, console = Path(folder) / "ready.json", Path(folder) / "console"
        environ = {
            **os.environ,
            "PARLEY_PORT": "0",
            "PARLEY_DATA_DIR": str(Path(folder) / "data"),
            "PARLEY_READY_FILE": str(ready),
        }
        with console.open("wb") as output:
            service = subprocess.Popen(
                [sys.executable, "-m", "infra.local"], env=environ, stdout=output, stderr=output
            )
        try:
            told = wait_for(ready, service)
            if told is None:
                print(console.read_text(errors="replace"), file=sys.stderr)
                return 1
            return walk(told)
        finally:
            service.terminate()
            service.wait()


def wait_for(ready: Path, service: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    """What the service says of itself once it can be called; None when it did not start."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and service.poll() is None:
        if ready.exists():
            told: dict[str, Any] = json.loads(ready.read_text())
            return told
        time.sleep(0.05)
    return None


def walk(told: dict[str, Any]) -> int:
    environ = {**os.environ, "PARLEY_URL": told["base_url"], "PARLEY_API_KEY": told["api_key"]}
    command = [sys.executable, str(HERE / "walk.py"), *sys.argv[1:]]
    return subprocess.run(command, env=environ, check=False).returncode  # noqa: S603 - our own


if __name__ == "__main__":
    sys.exit(main())
