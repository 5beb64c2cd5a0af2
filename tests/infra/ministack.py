"""A local engine with CloudFormation, API Gateway and Lambda: own environment, own process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path

from infra.local.resources import CREDENTIALS

HERE = Path(__file__).parent
HOME = HERE.parents[1] / "build" / "ministack"
REQUIREMENTS = HERE / "stack-requirements.txt"
ACCOUNT = "123456789012"
READY_SECONDS = 30.0


def installed() -> Path:
    """Its executable; the environment is made on first use and when a pin moves."""
    made_for = HOME / "requirements.txt"
    if not made_for.exists() or made_for.read_text() != REQUIREMENTS.read_text():
        venv.create(HOME, with_pip=True, clear=True)
        install = [str(HOME / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        install += ["--disable-pip-version-check", "-r", str(REQUIREMENTS)]
        subprocess.run(install, check=True)
        made_for.write_text(REQUIREMENTS.read_text())
    return HOME / "bin" / "ministack"


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """An engine on a free loopback port; yields its endpoint URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {
        "PATH": os.environ["PATH"],
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "S3_DATA_DIR": str(folder / "s3"),
        "TMPDIR": str(folder),
        **CREDENTIALS,
        "IOT_MTLS_ENABLED": "0",
    }
    url = f"http://127.0.0.1:{port}"
    with (
        (folder / "ministack.log").open("wb") as log,
        subprocess.Popen([installed()], env=environ, stdout=log, stderr=log) as process,
    ):
        try:
            _wait_until_ready(url, process)
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/_ministack/health"):
            return
        time.sleep(0.1)
    raise RuntimeError("ministack did not start")
