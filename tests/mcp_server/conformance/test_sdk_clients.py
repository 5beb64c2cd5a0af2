"""Other people's clients complete every tool over HTTP, in both eras."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.domain.principal import Principal
from chalicelib.domain.secret import SecretState
from chalicelib.mcp_server.backend import SecretPage
from chalicelib.mcp_server.catalog import INSTRUCTIONS, parley_tools
from chalicelib.mcp_server.state_token import SignedSealer
from tests.mcp_server.conformance.app import serving
from tests.mcp_server.conformance.environment import HERE, prepared
from tests.mcp_server.fake_backend import FakeBackend
from tests.mcp_server.support import EVERYTHING, HOST, KEYS, make_server

pytestmark = pytest.mark.slow

SECRET: Final = {
    "name": "session_set_secret",
    "arguments": {"session_id": "s_ada", "name": "STRIPE_API_KEY"},
}
CALLS: Final[list[dict[str, Any]]] = [
    {"name": "list_elicitations", "arguments": {}},
    {"name": "get_elicitation", "arguments": {"request_id": "e_1"}},
    {
        "name": "respond_to_elicitation",
        "arguments": {"request_id": "e_1", "action": "accept", "content": {"env": "dev"}},
    },
    {
        "name": "create_elicitation",
        "arguments": {"session_id": "s_ada", "message": "Go on?", "request_id": "e_2"},
    },
    {"name": "withdraw_elicitation", "arguments": {"request_id": "e_2"}},
    {"name": "list_sessions", "arguments": {"limit": 1}},
    {"name": "get_session", "arguments": {"session_id": "s_ada"}},
    {"name": "get_session", "arguments": {"session_id": "s_nowhere"}},
    SECRET,
    SECRET,
]
STORED: Final = {"name": "STRIPE_API_KEY", "stored": True}
PAGE: Final = "https://parley.example/secrets/h0"


class SlowPerson(FakeBackend):
    """Somebody who needs several rounds to type a value, or a second call where there are none."""

    def wait_secret(self, *, principal: Principal, handle: str, wait_seconds: int) -> SecretState:
        time.sleep(0.1)
        if len(self.waits) == 3:
            self.set_secret_state(handle, SecretState.STORED)
        return super().wait_secret(principal=principal, handle=handle, wait_seconds=wait_seconds)

    def start_secret(self, *, principal: Principal, session_id: str, name: str) -> SecretPage:
        if self.secrets and not self.waits:
            self.set_secret_state("h0", SecretState.STORED)
        return super().start_secret(principal=principal, session_id=session_id, name=name)


def run_client(client: str, mode: str) -> dict[str, Any]:
    environment = prepared()
    backend = SlowPerson(lambda: datetime.now(UTC))
    backend.add_session("s_host", HOST, title="Nightly release")
    backend.add_session("s_ada", EVERYTHING)
    schema = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    backend.add("e_1", "s_host", schema=schema)
    numbers = count()
    tools = parley_tools(backend, SignedSealer(KEYS), lambda: f"n{next(numbers)}")
    script = HERE / "clients" / client
    program = environment.python if script.suffix == ".py" else environment.node
    if script.suffix == ".mjs":
        # Node finds packages beside the script, not beside the working directory.
        script = Path(shutil.copy(script, environment.home))
    with serving(make_server(*tools, instructions=INSTRUCTIONS), EVERYTHING) as http_server:
        done = subprocess.run(
            [program, script, http_server.url, mode],
            input=json.dumps(CALLS),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def assert_plain_tools_work(report: dict[str, Any]) -> None:
    assert len(report["tools"]) == 8
    outcomes = report["outcomes"]
    shown = [outcome.get("structured", {}) for outcome in outcomes]
    assert shown[0]["elicitations"][0]["request_id"] == "e_1"
    assert [entry["elicitation"]["status"] for entry in shown[1:5]] == [
        "pending",
        "accept",
        "pending",
        "cancel",
    ]
    assert shown[5]["sessions"][0]["untrusted"]["title"] == "Nightly release"
    assert shown[6]["session"]["session_id"] == "s_ada"
    assert outcomes[7]["error"].startswith("not_found: ")


@pytest.mark.parametrize(
    ("client", "mode"),
    [
        ("python_sdk.py", "auto"),
        ("python_sdk.py", "2026-07-28"),
        ("typescript_v2.mjs", "auto"),
    ],
)
def test_modern_clients_wait_for_the_person_and_ask_once_a_call(client: str, mode: str) -> None:
    report = run_client(client, mode)
    assert report["version"] == "2026-07-28"
    assert_plain_tools_work(report)
    assert report["outcomes"][8] == {"structured": STORED}
    # A secret that is stored already is replaced through a page of its own.
    assert report["pages"] == [PAGE, PAGE.replace("h0", "h1")]


@pytest.mark.parametrize(
    ("client", "mode"),
    [
        ("python_sdk.py", "legacy"),
        ("typescript_v1.mjs", "legacy"),
        ("typescript_v2.mjs", "legacy"),
    ],
)
def test_legacy_clients_are_sent_to_the_page_and_call_again(client: str, mode: str) -> None:
    report = run_client(client, mode)
    assert report["version"] == "2025-11-25"
    assert_plain_tools_work(report)
    sent_away, again = report["outcomes"][8:]
    assert sent_away["code"] == -32042
    assert [entry["url"] for entry in sent_away["data"]["elicitations"]] == [PAGE]
    assert again == {"structured": STORED}
