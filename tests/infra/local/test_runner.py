"""The whole local service as a process: what it says, what it keeps, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.local.engine import Engine
from tests.infra.local.running import Service, service, start

pytestmark = pytest.mark.engine

HELD = 20


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("runner") / "data", PARLEY_TICK_SECONDS="1") as started:
        yield started


def printed_question(running: Service) -> tuple[str, dict[str, Any]]:
    """The URL and the body of the curl line on the console."""
    lines = running.console.read_text().splitlines()
    words = shlex.split(next(line for line in lines if line.strip().startswith("curl ")))
    return next(w for w in words if w.startswith("http")), json.loads(words[words.index("-d") + 1])


def ask(running: Service) -> tuple[str, str]:
    """Ask the printed question anew; its request id and the URL to poll."""
    url, question = printed_question(running)
    question["_meta"]["com.pulsemcp/request-id"] = os.urandom(16).hex()
    status, answer = running.call("POST", url, question)
    assert status == 201
    return answer["requestId"], f"{url}/{answer['requestId']}"


def wait_for_notice(running: Service, request_id: str) -> dict[str, Any]:
    folder = Path(running.ready["data_dir"]) / "notices"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for file in folder.glob("[0-9]*.json"):
            notice: dict[str, Any] = json.loads(file.read_text())
            if notice["request_id"] == request_id:
                return notice
        time.sleep(0.05)
    raise AssertionError("no notice came")


def test_the_ready_file_says_how_to_call_it(running: Service) -> None:
    ready = running.ready
    assert ready.keys() == {"base_url", "api_key", "session_id", "env", "data_dir", "pid"}
    assert ready["pid"] == running.process.pid
    assert list(ready["env"]) == [
        "ELICITATION_REQUEST_URL",
        "ELICITATION_POLL_URL",
        "ELICITATION_PREFER_HTTP_FALLBACK",
        "ELICITATION_TTL_MS",
        "ELICITATION_SESSION_ID",
    ]
    status, session = running.call("GET", f"/api/v1/sessions/{ready['session_id']}")
    assert (status, session["status"]) in {(200, "running"), (200, "needs_input")}


def test_the_console_shows_what_the_ready_file_says(running: Service) -> None:
    shown = running.console.read_text()
    assert running.ready["base_url"] in shown
    assert running.ready["api_key"] in shown
    for name, value in running.ready["env"].items():
        assert f"export {name}={value}" in shown


def test_the_printed_line_asks_a_question_and_people_are_told(running: Service) -> None:
    request_id, poll_url = ask(running)
    notice = wait_for_notice(running, request_id)
    assert notice["link"].startswith(f"{running.ready['base_url']}/a/")
    assert notice["session_id"] == running.ready["session_id"]
    assert running.call("GET", poll_url)[1]["action"] == "pending"
    answered = {"action_type": "accept", "content": {"environment": "staging"}}
    assert running.call("PATCH", f"/api/v1/elicitations/{request_id}/respond", answered)[0] == 200
    assert running.call("GET", poll_url)[1]["content"] == {"environment": "staging"}


def test_schedules_tick(running: Service) -> None:
    deadline = time.monotonic() + 20
    while running.console.read_text().count('"message":"cleanup"') < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_path_that_is_not_there_is_answered_in_json(running: Service) -> None:
    status, answer = running.call("GET", "/nowhere")
    assert (status, answer["error"]["code"]) == (404, "not_found")


def test_a_second_runner_on_the_same_folder_is_told_in_one_sentence(running: Service) -> None:
    folder = Path(running.ready["data_dir"])
    second = folder.with_suffix(".console-2")
    assert_refused(folder, {}, "is in use by another runner", console=second)


def test_a_busy_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        refusal = f"Port {port} of 127.0.0.1 is in use"
        assert_refused(tmp_path / "data", {"PARLEY_PORT": port}, refusal)


def assert_refused(
    data_dir: Path, environ: Mapping[str, str], sentence: str, *, console: Path | None = None
) -> None:
    """It ends at once, with this and nothing else on its console."""
    process = start(data_dir, environ, console=console)
    assert process.wait(60) == 1
    shown = (console or data_dir.with_suffix(".console")).read_text()
    assert sentence in shown
    assert shown.startswith("parley: ")
    assert shown.count("\n") == 1


def test_a_restart_keeps_key_session_and_questions_even_after_kill_9(tmp_path: Path) -> None:
    with service(tmp_path / "data") as first:
        request_id, _ = ask(first)
        engine_pid = int((tmp_path / "data" / "engine.pid").read_text())
        first.process.kill()
        first.process.wait()
        with contextlib.suppress(ProcessLookupError):  # it ends with its runner where it can
            os.kill(engine_pid, signal.SIGKILL)
    with service(tmp_path / "data") as second:
        assert second.ready["api_key"] == first.ready["api_key"]
        assert second.ready["session_id"] == first.ready["session_id"]
        poll_url = f"{second.ready['env']['ELICITATION_POLL_URL']}/{request_id}"
        assert second.call("GET", poll_url)[1]["action"] == "pending"
        memory = tmp_path / "data" / "ready.json"
        assert stat.S_IMODE(memory.stat().st_mode) == 0o600


def test_ctrl_c_ends_it_cleanly_while_a_poll_is_held(tmp_path: Path) -> None:
    with service(tmp_path / "data") as running:
        _, poll_url = ask(running)
        target = poll_url.removeprefix(running.ready["base_url"])
        with socket.create_connection(("127.0.0.1", running.port)) as held:
            held.sendall(f"GET {target}?wait={HELD} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
            running.process.send_signal(signal.SIGINT)
            assert running.process.wait(HELD - 5) == 0
    assert "Traceback" not in running.console.read_text()
    assert not (tmp_path / "data.ready").exists()
    assert not (tmp_path / "data" / "engine.pid").exists()


def test_another_engine_on_this_machine_is_used_as_it_is(engine: Engine, tmp_path: Path) -> None:
    with service(tmp_path / "data", PARLEY_ENGINE_URL=engine.url) as running:
        assert running.ready["env"]["ELICITATION_SESSION_ID"] == running.ready["session_id"]
        assert not (tmp_path / "data" / "engine").exists()
    assert engine.alive


def test_an_engine_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    elsewhere = {"PARLEY_ENGINE_URL": url}
    assert_refused(tmp_path / "data", elsewhere, f"No engine answers at {url}.")


def test_an_account_without_names_is_one_sentence(tmp_path: Path) -> None:
    account = {"PARLEY_ENGINE_URL": "aws", "AWS_DEFAULT_REGION": "eu-west-1"}
    assert_refused(tmp_path / "data", account, "PARLEY_TABLE is not set.")
