"""The embedded engine: one `roto-server` child on loopback, its data folder and its lock.

Knows nothing of what lives in the engine (`resources.py`). The folder belongs to one runner at a
time: two engines on the same files would not see each other's writes.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infra.local.problems import CannotRun

BINARY: Final = "roto-server"
HOST: Final = "127.0.0.1"
READY_SECONDS: Final = 15.0
STALE_SECONDS: Final = 5.0
STOP_SECONDS: Final = 1.0
"""The engine's own shutdown waits for held long polls; acknowledged writes survive a kill."""

_SIGKILL_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG, linux/prctl.h


class Engine:
    """A running engine. `url` is its endpoint for every AWS client; `pid` is the child's."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
        self._process = process
        self.url = url
        self.log = log

    @property
    def pid(self) -> int:
        """The process id of the child."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Ask it to end, then end it. Returns when the child is gone; safe to call twice."""
        if not self.alive:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    """Hold the data folder for this process; made if absent, readable by its owner only.

    Raises `CannotRun` when another runner holds it. However the process ends, the lock ends too.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = (data_dir / "lock").open("w")
    except OSError as error:
        raise CannotRun(f"The data folder {data_dir} cannot be used: {error.strerror}.") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotRun(
                f"The data folder {data_dir} is in use by another runner; "
                "stop that one or set PARLEY_DATA_DIR."
            ) from None
        yield


@contextlib.contextmanager
def running(data_dir: Path) -> Iterator[Engine]:
    """Run an engine on the folder's files, ready to be called; it is stopped on the way out.

    The caller holds the folder (`locked`). An engine left behind by a killed runner is ended first.
    Raises `CannotRun` when the binary is missing or does not come up.
    """
    data_dir = data_dir.resolve()
    pid_file = data_dir / "engine.pid"
    _end_stale(data_dir, pid_file)
    engine = _start(data_dir)
    try:
        pid_file.write_text(str(engine.pid))
        _wait_until_ready(engine)
        yield engine
    finally:
        engine.stop()
        pid_file.unlink(missing_ok=True)


def _start(data_dir: Path) -> Engine:
    binary = _find_binary()
    port = _free_port()
    files = data_dir / "engine"
    files.mkdir(mode=0o700, exist_ok=True)
    log = data_dir / "engine.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [binary, "--host", HOST, "--port", str(port), "--data-dir", str(files)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={"PATH": os.defpath, "NO_COLOR": "1"},
            start_new_session=True,  # Ctrl-C is for the runner, which stops the engine last
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    return Engine(process, f"http://{HOST}:{port}", log)


def _find_binary() -> str:
    found = shutil.which(BINARY, path=sysconfig.get_path("scripts")) or shutil.which(BINARY)
    if found is None:
        raise CannotRun(f"The embedded engine ({BINARY}) is not installed; start with `make run`.")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_SIGKILL_WITH_PARENT, signal.SIGKILL)


def _wait_until_ready(engine: Engine) -> None:
    deadline = time.monotonic() + READY_SECONDS
    port = int(engine.url.rpartition(":")[2])
    while engine.alive and time.monotonic() < deadline:
        try:
            socket.create_connection((HOST, port), 1.0).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise CannotRun(f"The embedded engine did not start; {engine.log} says why.")


def _end_stale(data_dir: Path, pid_file: Path) -> None:
    """End the engine that a killed runner left on these files, where the kernel did not do it."""
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        return
    deadline = time.monotonic() + STALE_SECONDS
    while not _has_ended(pid) and time.monotonic() < deadline:
        shown = _command_line(pid)
        if shown and not (BINARY in shown and str(data_dir / "engine") in shown):
            return  # process ids are reused: this one is somebody else's
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _has_ended(pid: int) -> bool:
    """Whether the process is gone, its file locks with it; an unreaped one counts as gone."""
    try:
        if sys.platform == "linux":
            return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] in {"Z", "X"}
        os.kill(pid, 0)
    except OSError:
        return True
    return False


def _command_line(pid: int) -> str:
    """What the process was started as; empty while it is ending."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            return ""
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
