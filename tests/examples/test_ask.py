"""`examples/ask.py` as a process of its own, against the whole service as another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.house.tree import ROOT
from tests.infra.local.running import Service, service

pytestmark = pytest.mark.engine

PATIENCE = 20.0


@dataclass
class Asking:
    """A running `ask.py`, and the session it asks in."""

    process: subprocess.Popen[str]
    running: Service
    session_id: str

    def request_id(self) -> str:
        """The question that it put, once it is there."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            live = self.running.call("GET", f"/api/v1/sessions/{self.session_id}")[1]["live"]
            if live:
                return str(live[0])
            time.sleep(0.02)
        raise AssertionError(self.process.communicate(timeout=PATIENCE))

    def answer(self, action: str, content: Any = None) -> None:
        """A person answers."""
        path = f"/api/v1/elicitations/{self.request_id()}/respond"
        body = {"action_type": action, "content": content}
        status, told = self.running.call("PATCH", path, body)
        assert status == 200, told

    def result(self) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("ask") / "data") as started:
        yield started


def ask(running: Service, *arguments: str, **environ: str) -> Asking:
    """Start `ask.py` as an agent's tool would be, in a fresh session; `environ` overrides."""
    status, opened = running.call("POST", "/api/v1/sessions", {})
    assert status == 201
    return Asking(start({**opened["env"], **environ}, *arguments), running, opened["id"])


def start(environ: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", str(ROOT / "examples" / "ask.py"), "Which one?", *arguments],
        env={"PATH": os.environ["PATH"], **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_accepted_answer_is_printed_with_its_types(running: Service) -> None:
    properties = {
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "word": {"type": "string"},
    }
    schema = json.dumps({"type": "object", "properties": properties})
    asking = ask(running, "--schema", schema)
    content = {"count": 3, "share": 0.1, "sure": False, "word": "3 ü 🙂"}
    asking.answer("accept", content)
    code, out, _ = asking.result()
    assert (code, json.loads(out)) == (0, {"action": "accept", "content": content})


def test_a_choice_is_one_of_those_offered(running: Service) -> None:
    asking = ask(running, "--choices", "staging,production")
    asking.answer("accept", {"choice": "staging"})
    code, out, _ = asking.result()
    assert (code, json.loads(out)["content"]) == (0, {"choice": "staging"})


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_anything_but_an_accept_is_a_no(running: Service, action: str) -> None:
    asking = ask(running)
    asking.answer(action)
    code, out, _ = asking.result()
    assert (code, json.loads(out)) == (1, {"action": action})


def test_it_stops_waiting_when_its_window_is_over(running: Service) -> None:
    asking = ask(running, "--wait", "1", ELICITATION_TTL_MS="1500")
    code, out, _ = asking.result()
    assert (code, json.loads(out)) == (1, {"action": "expired"})


def test_a_wrong_token_is_told_in_one_sentence(running: Service) -> None:
    wrong = f"{running.ready['base_url']}/api/v1/elicitations/session/WyJ4.c2ln"
    code, out, err = ask(running, ELICITATION_REQUEST_URL=wrong).result()
    assert (code, out) == (2, "")
    assert err.startswith("ask: Parley answered 401: ")
    assert err.count("\n") == 1


def test_a_service_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    nowhere = "http://127.0.0.1:9/api/v1/elicitations"
    process = start({"ELICITATION_REQUEST_URL": nowhere, "ELICITATION_POLL_URL": nowhere})
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("ask: Parley cannot be reached: ")


def test_a_missing_variable_is_named() -> None:
    process = start({})
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "ELICITATION_REQUEST_URL is not set" in err
