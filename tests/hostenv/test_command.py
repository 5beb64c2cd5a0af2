"""The command line against real files and a real loopback service."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from chalicelib.hostenv.__main__ import main
from chalicelib.hostenv.dotenv import BEGIN
from tests.hostenv.examples import CONFIG_TOML, MCP_JSON, URL, VALUES

KEY = "key-s3cret"
TOKEN = URL.rpartition("/")[2]


class Service(ThreadingHTTPServer):
    """Answers what it is told to, and notes who asked."""

    answers: dict[str, tuple[int, Any]]
    asked: list[tuple[str, str | None]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["X-API-Key"]))
        status, body = self.server.answers.get(self.path, (404, {}))
        self.send_response(status)
        self.send_header("X-Parley", "1")
        if status == 302:
            self.send_header("Location", body)
        self.end_headers()
        self.wfile.write(body.encode() if isinstance(body, str) else json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def service() -> Iterator[Service]:
    server = Service(("127.0.0.1", 0), Handler)
    server.asked = []
    server.answers = {
        "/api/v1/sessions/sess-1/env": (200, {"env": {**VALUES, "ELICITATION_ENABLED": "true"}}),
        "/api/v1/sessions/sess-1/system-prompt": (200, {"text": "## From the service"}),
    }
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def env_file(tmp_path: Path) -> str:
    path = tmp_path / "session.env"
    path.write_text("".join(f"{name}={value}\n" for name, value in VALUES.items()))
    return str(path)


@pytest.fixture
def targets(tmp_path: Path) -> dict[str, Path]:
    texts = {"--mcp-json": MCP_JSON, "--codex-toml": CONFIG_TOML, "--dotenv": "OTHER=1\n"}
    paths = {flag: tmp_path / f"target{flag}" for flag in texts}
    for flag, path in paths.items():
        path.write_text(texts[flag])
    return paths


def flags(targets: dict[str, Path]) -> list[str]:
    return [part for flag, path in targets.items() for part in (flag, str(path))]


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def run(*argv: str, **environ: str) -> int:
    return main(argv, environ)


def test_show_asks_the_service_with_the_key_and_masks_the_token(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", "--base-url", service.url, "--session", "sess-1", PARLEY_API_KEY=KEY) == 0
    out = capsys.readouterr().out
    assert service.asked == [("/api/v1/sessions/sess-1/env", KEY)]
    masked = URL.replace(TOKEN, "[token]")
    assert out.splitlines() == [f"{n}={masked if v == URL else v}" for n, v in VALUES.items()]


def test_reveal_prints_the_token(env_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "--env-file", env_file, "--reveal") == 0
    assert TOKEN in capsys.readouterr().out


def test_inject_writes_every_file_once_and_never_enables(
    service: Service, targets: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["inject", "--base-url", service.url, "--session", "sess-1", *flags(targets)]
    assert run(*argv, PARLEY_API_KEY=KEY) == 0
    first = {flag: path.read_text() for flag, path in targets.items()}
    assert all(text.count(TOKEN) >= 2 for text in first.values())
    assert not any("ELICITATION_ENABLED" in text for text in first.values())
    assert capsys.readouterr().out.count(": written") == 3
    assert run(*argv, PARLEY_API_KEY=KEY) == 0
    assert {flag: path.read_text() for flag, path in targets.items()} == first
    captured = capsys.readouterr()
    assert captured.out.count(": up to date") == 3
    assert TOKEN not in captured.out + captured.err


def test_a_value_in_the_sessions_env_file_wins_everywhere(
    env_file: str, targets: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = "https://elsewhere.example/api/v1/elicitations"
    targets["--dotenv"].write_text(f'ELICITATION_REQUEST_URL="{other}"\n')
    argv = ["inject", "--env-file", env_file, *flags(targets), "--cli-env", "--reveal"]
    assert run(*argv) == 0
    captured = capsys.readouterr()
    server = json.loads(targets["--mcp-json"].read_text())["mcpServers"]["bare"]["env"]
    assert (server["ELICITATION_REQUEST_URL"], server["ELICITATION_POLL_URL"]) == (other, URL)
    assert other in targets["--codex-toml"].read_text()
    block = targets["--dotenv"].read_text().partition(BEGIN)[2]
    assert "ELICITATION_REQUEST_URL" not in block
    assert "ELICITATION_POLL_URL" in block
    assert f"export ELICITATION_REQUEST_URL={other}" in captured.out.splitlines()
    assert "points to elsewhere.example, this instance is parley.example" in captured.err


def test_cli_env_without_reveal_sets_nothing(
    env_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("inject", "--env-file", env_file, "--cli-env") == 0
    captured = capsys.readouterr()
    assert TOKEN not in captured.out + captured.err
    assert all(line.startswith("# export ELICITATION_") for line in captured.out.splitlines())
    assert "--reveal" in captured.err


def test_cli_env_is_safe_to_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile.env"
    hostile = {**VALUES, "ELICITATION_SESSION_ID": "$(touch pwned); 'x' `y`"}
    path.write_text("".join(f"{name}={value}\n" for name, value in hostile.items()))
    assert run("inject", "--env-file", str(path), "--cli-env", "--reveal") == 0
    script = capsys.readouterr().out + 'printf %s "$ELICITATION_SESSION_ID"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=tmp_path, check=True)
    assert done.stdout.decode() == hostile["ELICITATION_SESSION_ID"]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("flag", ["--mcp-json", "--codex-toml", "--dotenv"])
def test_one_bad_file_leaves_all_untouched(
    env_file: str, targets: dict[str, Path], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    targets[flag].write_bytes(b"\xff{[")
    before = {path: path.read_bytes() for path in targets.values()}
    assert run("inject", "--env-file", env_file, *flags(targets)) == 2
    assert {path: path.read_bytes() for path in targets.values()} == before
    assert str(targets[flag]) in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--mcp-json", "--codex-toml"])
def test_a_broken_file_is_named_with_what_is_wrong(
    env_file: str, targets: dict[str, Path], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    targets[flag].write_text('{"a": [')
    assert run("inject", "--env-file", env_file, *flags(targets)) == 2
    assert f"{targets[flag]} is not " in capsys.readouterr().err


def test_check_writes_nothing_and_reports_changes_and_problems(
    env_file: str, targets: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in targets.values()}
    argv = ["inject", "--env-file", env_file, *flags(targets)]
    assert run(*argv, "--check") == 1
    assert {path: path.read_bytes() for path in targets.values()} == before
    out = capsys.readouterr().out
    assert out.count(": would change") == 3
    assert "onepassword: ELICITATION_REQUEST_URL points to zimmer" in out
    assert "onepassword: ELICITATION_REQUEST_URL without ELICITATION_POLL_URL" in out
    assert "onepassword: ELICITATION_TTL_MS is unset" in out
    assert run(*argv) == 0
    assert run(*argv, "--check") == 0


def test_check_reports_what_the_env_file_itself_lacks(
    tmp_path: Path, targets: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "partial.env"
    path.write_text(f"ELICITATION_REQUEST_URL={URL}\n")
    argv = ["inject", "--env-file", str(path), "--dotenv", str(targets["--dotenv"])]
    assert run(*argv, "--check") == 1
    assert "without ELICITATION_POLL_URL" in capsys.readouterr().out
    assert run(*argv) == 2
    assert "ELICITATION_POLL_URL, ELICITATION_PREFER" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["show"], "missing: --base-url, --session, PARLEY_API_KEY"),
        (["show", "--env-file", "/nowhere/x"], "does not exist"),
        (["show", "--env-file", "x", "--session", "s"], "exclude each other"),
        (["inject", "--env-file", "x"], "at least one of"),
        (["inject", "--env-file", "x", "--mcp-json", "a", "--codex-toml", "a"], "named twice"),
        (["show", "--base-url", "ftp://x", "--session", "s", "--api-key", "k"], "not an http"),
        (["probe"], "names no URL"),
    ],
)
def test_a_command_that_cannot_be_run_says_why(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*argv) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, {}), "does not accept the API key"),
        ((404, {}), "knows no session sess-1"),
        ((500, {}), "answered 500"),
        ((302, "http://127.0.0.1:9/steal"), "answered 302"),
        ((200, "<html>"), "did not answer with JSON"),
        ((200, []), "JSON object"),
        ((200, {"env": None}), "session's variables"),
        ((200, {"env": {"ELICITATION_REQUEST_URL": "x"}}), "ELICITATION_POLL_URL"),
        ((200, {"env": {**VALUES, "ELICITATION_SESSION_ID": "a\nB=c"}}), "not one line"),
        ((200, {"env": {**VALUES, "ELICITATION_TTL_MS": 5}}), "not one line"),
    ],
)
def test_what_the_service_refuses_or_garbles_is_said_without_the_key(
    service: Service, answer: tuple[int, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers["/api/v1/sessions/sess-1/env"] = answer
    assert run("show", "--base-url", service.url, "--session", "sess-1", "--api-key", KEY) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert KEY not in captured.err


def test_prompt_prints_the_services_block(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("prompt", "--base-url", service.url, "--session", "sess-1", "--api-key", KEY) == 0
    assert capsys.readouterr().out == "## From the service\n"


def test_prompt_prints_nothing_for_a_session_that_needs_none(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers["/api/v1/sessions/sess-1/system-prompt"] = (200, {"text": None})
    assert run("prompt", "--base-url", service.url, "--session", "sess-1", "--api-key", KEY) == 0
    assert capsys.readouterr().out == ""


def test_prompt_says_broken_when_the_service_cannot_be_reached_from_this_host(
    capsys: pytest.CaptureFixture[str],
) -> None:
    base = f"http://127.0.0.1:{closed_port()}"
    assert run("prompt", "--base-url", base, "--session", "sess-1", "--api-key", KEY) == 0
    out = capsys.readouterr().out
    assert "broken right now" in out
    assert "the connection was refused" in out
    assert base in out


def test_prompt_offline_judges_by_a_probe_of_the_sessions_own_address(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.env"
    path.write_text(f"ELICITATION_POLL_URL={service.url}/api/v1/elicitations/session/{TOKEN}\n")
    assert run("prompt", "--env-file", str(path)) == 0
    assert "is the gate's answer" in capsys.readouterr().out
    assert service.asked[0][0].endswith(f"/session/{TOKEN}/parley-reachability-probe")


def test_probe_exits_0_when_reached_and_1_when_not(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("probe", "--base-url", service.url) == 0
    assert capsys.readouterr().out.startswith("ok: HTTP 404 from http://127.0.0.1")
    assert run("probe", "--base-url", f"http://127.0.0.1:{closed_port()}", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["reachable"], told["degraded"], told["kind"]) == (False, False, "refused")


def test_probe_inside_an_agent_uses_the_variables_it_was_given(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {
        "ELICITATION_REQUEST_URL": f"{service.url}/api/v1/elicitations/session/{TOKEN}",
        "ELICITATION_POLL_URL": f"http://127.0.0.1:{closed_port()}/session/{TOKEN}/",
    }
    assert run("probe", **given) == 1
    out = capsys.readouterr().out
    assert out.startswith("refused: ")
    assert TOKEN not in out


def test_a_server_started_from_the_injected_file_receives_the_five_values(
    env_file: str, tmp_path: Path
) -> None:
    script = "import json, os; print(json.dumps(dict(os.environ)))"
    config = tmp_path / ".mcp.json"
    entry = {"command": sys.executable, "args": ["-c", script], "env": {"MINE": "1"}}
    config.write_text(json.dumps({"mcpServers": {"stub": entry}}, indent=2))
    assert run("inject", "--env-file", env_file, "--mcp-json", str(config)) == 0
    stub = json.loads(config.read_text())["mcpServers"]["stub"]
    done = subprocess.run(
        [stub["command"], *stub["args"]], env=stub["env"], capture_output=True, check=True
    )
    received = json.loads(done.stdout)
    assert {name: received.get(name) for name in VALUES} == VALUES
    assert received["MINE"] == "1"


def test_the_module_runs_as_a_command(env_file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chalicelib.hostenv", "show", "--env-file", env_file],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert b"ELICITATION_SESSION_ID=sess-1" in done.stdout
