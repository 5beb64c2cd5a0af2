"""The engine's life: one runner a folder, nothing left running, nothing acknowledged lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local import engine
from infra.local.problems import CannotRun
from infra.local.resources import Clients, ensure_table

pytestmark = pytest.mark.engine

HOLDER = """
import sys, time
from pathlib import Path
from infra.local import engine
folder = Path(sys.argv[1])
with engine.locked(folder), engine.running(folder) as running:
    print(running.pid, flush=True)
    time.sleep(60)
"""


POLLER = """
import sys
from infra.local.resources import Clients
sqs = Clients(sys.argv[1]).sqs
print("polling", flush=True)
try:
    sqs.receive_message(QueueUrl=sys.argv[2], WaitTimeSeconds=20)
except Exception:
    print("cut off")
"""


def hold(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Another process that runs an engine on `folder`, and that engine's pid."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    return holder, int(holder.stdout.readline())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_folder_in_use_is_refused_with_one_sentence(tmp_path: Path) -> None:
    holder, _ = hold(tmp_path)
    try:
        with pytest.raises(CannotRun, match="in use by another runner"), engine.locked(tmp_path):
            pass
    finally:
        kill(holder)


def test_the_next_runner_starts_after_a_killed_one(tmp_path: Path) -> None:
    holder, left_behind = hold(tmp_path)
    kill(holder)
    with engine.locked(tmp_path), engine.running(tmp_path) as running:
        assert running.alive
        assert running.pid != left_behind


def test_an_engine_left_behind_is_ended_before_the_next_starts(tmp_path: Path) -> None:
    files = tmp_path / "engine"
    binary = Path(sys.executable).with_name("roto-server")
    left_behind = subprocess.Popen(
        [binary, "--port", str(free_port()), "--data-dir", files], stdout=subprocess.DEVNULL
    )
    (tmp_path / "engine.pid").write_text(str(left_behind.pid))
    try:
        with engine.running(tmp_path) as running:
            assert running.alive
            assert left_behind.wait(timeout=5) == -signal.SIGKILL
    finally:
        left_behind.kill()
        left_behind.wait()


def test_a_reused_process_id_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "engine.pid").write_text(str(os.getpid()))
    with engine.locked(tmp_path), engine.running(tmp_path) as running:
        assert running.alive


def test_what_was_acknowledged_survives_killing_the_engine(tmp_path: Path) -> None:
    row = {"pk": {"S": "S#1"}, "sk": {"S": "META"}}
    with engine.locked(tmp_path):
        with engine.running(tmp_path) as first:
            dynamodb = Clients(first.url).dynamodb
            ensure_table(dynamodb, "parley")
            dynamodb.put_item(TableName="parley", Item=row)
            os.kill(first.pid, signal.SIGKILL)
        with engine.running(tmp_path) as second:
            kept = Clients(second.url).dynamodb.get_item(TableName="parley", Key=row)
    assert kept["Item"] == row


def test_a_held_long_poll_does_not_hold_the_stop(tmp_path: Path) -> None:
    with engine.locked(tmp_path), engine.running(tmp_path) as running:
        url = Clients(running.url).sqs.create_queue(QueueName="held")["QueueUrl"]
        poller = subprocess.Popen(
            [sys.executable, "-c", POLLER, running.url, url],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"AWS_MAX_ATTEMPTS": "1"},
        )
        assert poller.stdout is not None
        assert poller.stdout.readline() == "polling\n"
        running.stop()
        assert not running.alive
        assert poller.communicate()[0] == "cut off\n"


def test_a_missing_binary_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BINARY", "no-such-engine")
    with pytest.raises(CannotRun, match="is not installed"), engine.running(tmp_path):
        pass


def test_an_engine_that_cannot_start_names_its_log(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "dynamodb.db").mkdir()
    with pytest.raises(CannotRun, match=r"engine\.log says why"), engine.running(tmp_path):
        pass
