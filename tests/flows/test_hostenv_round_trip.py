"""A stdio MCP server, started from a file that `hostenv inject` wrote, asks a person and is told.

The server below is started as an agent runtime starts one: the command, arguments and `env` of its
entry in `.mcp.json`, and nothing else. It speaks enough MCP for one tool that needs a yes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.hostenv.variables import NAMES
from tests.house.tree import ROOT
from tests.infra.local.running import Service, service

pytestmark = pytest.mark.engine

SERVER = """
import json, os, sys, time, urllib.request, uuid

FIVE = [name for name in os.environ if name.startswith("ELICITATION_")]

def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)

def ask(message):
    request_id = str(uuid.uuid4())
    meta = {"com.pulsemcp/request-id": request_id,
            "com.pulsemcp/session-id": os.environ["ELICITATION_SESSION_ID"],
            "com.pulsemcp/tool-name": "delete_item"}
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    call(os.environ["ELICITATION_REQUEST_URL"],
         {"mode": "form", "message": message, "requestedSchema": schema, "_meta": meta})
    while True:
        polled = call(os.environ["ELICITATION_POLL_URL"] + "/" + request_id + "?wait=20")
        if polled["action"] != "pending":
            return polled

for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "stub", "version": "1"}}
    else:
        polled = ask("Really delete " + asked["params"]["arguments"]["item"] + "?")
        found = {"polled": polled, "variables": {name: os.environ[name] for name in FIVE}}
        result = {"content": [{"type": "text", "text": json.dumps(found)}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

CATALOG = {
    "mcpServers": {
        "vault": {
            "command": sys.executable,
            "args": ["-S", "server.py"],
            "env": {"VAULT_NAME": "ours", "ELICITATION_REQUEST_URL": "http://of-the-catalog"},
        },
        "remote": {"type": "http", "url": "https://mcp.example/mcp"},
    }
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("hostenv") / "data") as started:
        yield started


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An agent's folder: a server, and the catalog's entry for it."""
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / ".mcp.json").write_text(json.dumps(CATALOG, indent=2))
    return tmp_path


def inject(running: Service, session_id: str, mcp_json: Path, *more: str) -> None:
    command = [sys.executable, "-m", "chalicelib.hostenv", "inject", "--session", session_id]
    environ = {
        "PARLEY_BASE_URL": str(running.ready["base_url"]),
        "PARLEY_API_KEY": str(running.ready["api_key"]),
    }
    done = subprocess.run(
        [*command, "--mcp-json", str(mcp_json), *more],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def rpc(process: subprocess.Popen[str], number: int, method: str, params: Any) -> Any:
    """One request over stdio and its result."""
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["result"]


def answer_when_asked(running: Service, session_id: str) -> None:
    """A person sees the one question of the session and says yes."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        live = running.call("GET", f"/api/v1/sessions/{session_id}")[1]["live"]
        if live:
            body = {"action_type": "accept", "content": {"sure": True}}
            running.call("PATCH", f"/api/v1/elicitations/{live[0]}/respond", body)
            return
        time.sleep(0.02)


def test_an_injected_server_asks_a_person_and_gets_the_answer(
    running: Service, workspace: Path
) -> None:
    opened = running.call("POST", "/api/v1/sessions", {"mcp_servers": ["vault"]})[1]
    inject(running, opened["id"], workspace / ".mcp.json")
    inject(running, opened["id"], workspace / ".mcp.json", "--check")
    entry = json.loads((workspace / ".mcp.json").read_text())["mcpServers"]["vault"]
    with subprocess.Popen(
        [entry["command"], *entry["args"]],
        cwd=workspace,
        env={"PATH": os.environ["PATH"], **entry["env"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        rpc(process, 1, "initialize", {})
        person = threading.Thread(target=answer_when_asked, args=(running, opened["id"]))
        person.start()
        called = rpc(process, 2, "tools/call", {"name": "delete", "arguments": {"item": "key-1"}})
        person.join()
    found = json.loads(called["content"][0]["text"])
    assert found["variables"] == opened["env"]
    assert list(opened["env"]) == list(NAMES)
    assert (found["polled"]["action"], found["polled"]["content"]) == ("accept", {"sure": True})
    assert entry["env"]["VAULT_NAME"] == "ours"
    session = running.call("GET", f"/api/v1/sessions/{opened['id']}")[1]
    assert session["needs_input"] is False
