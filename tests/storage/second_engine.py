"""A second wire-compatible engine, so that the contracts hold by the API and not by one engine's
habits. Installed on first use into `build/`, ended by SIGTERM."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botocore.exceptions import BotoCoreError

from infra.local.resources import Clients

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "ministack"
REQUIREMENTS = ROOT / "tests" / "engines-requirements.txt"
READY_SECONDS = 30


def install() -> Path:
    """The engine's program; its environment is made on first use and when a pin moves."""
    made_for = HOME / "requirements.txt"
    if not made_for.exists() or made_for.read_text() != REQUIREMENTS.read_text():
        venv.create(HOME, with_pip=True, clear=True)
        pip = f"{HOME}/bin/python -m pip install --quiet --disable-pip-version-check -r"
        subprocess.run([*pip.split(), str(REQUIREMENTS)], check=True)
        made_for.write_text(REQUIREMENTS.read_text())
    return HOME / "bin" / "ministack"


@contextmanager
def running() -> Iterator[Clients]:
    """Clients of a fresh engine on a free port, which ends with the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environ = os.environ | {"GATEWAY_PORT": str(port), "MINISTACK_HOST": "127.0.0.1"}
    quiet = subprocess.DEVNULL
    with subprocess.Popen([install()], env=environ, stdout=quiet, stderr=quiet) as process:
        try:
            clients = Clients(f"http://127.0.0.1:{port}")
            _wait(clients)
            yield clients
        finally:
            process.terminate()


def _wait(clients: Clients) -> None:
    until = time.monotonic() + READY_SECONDS
    while True:
        try:
            clients.dynamodb.list_tables()
        except BotoCoreError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return
