"""The example of URL elicitation, as processes of their own, and clients that follow a stream."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import ROOT
from tests.infra.local.running import Service, service

pytestmark = pytest.mark.engine

EXAMPLE = ROOT / "examples" / "mcp-url-elicitation"
KEY = "acme-key-for-the-example"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("walk") / "data") as started:
        yield started


def walk(running: Service, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `walk.py` to its end."""
    environ = {
        **os.environ,
        "PARLEY_URL": str(running.ready["base_url"]),
        "PARLEY_API_KEY": str(running.ready["api_key"]),
    }
    command = [sys.executable, str(EXAMPLE / "walk.py"), *options]
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.parametrize("options", [(), ("--legacy",), ("--decline",)])
def test_the_example_walks_the_whole_flow(running: Service, options: tuple[str, ...]) -> None:
    """54: and the key that the person typed on the server's page is nowhere in the journal."""
    done = walk(running, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    session = done.stdout.partition("session ")[2].split()[0]
    _, journal = running.call("GET", f"/api/v1/sessions/{session}/events?limit=100")
    text = json.dumps(journal)
    assert KEY not in text
    assert ("EUR 1,204,300" in text) is ("--decline" not in options)
    assert KEY not in running.console.read_text()


def test_the_example_fails_where_nothing_answers() -> None:
    environ = {**os.environ, "PARLEY_URL": "http://127.0.0.1:9", "PARLEY_API_KEY": "x"}
    command = [sys.executable, str(EXAMPLE / "walk.py")]
    done = subprocess.run(command, env=environ, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1


class Follower:
    """A client that drops its connection after every few events and comes back."""

    def __init__(self, running: Service, session: str, *, drop_after: int) -> None:
        self._running = running
        self._path = f"/api/v1/sessions/{session}/sse"
        self._drop_after = drop_after
        self.events: list[dict[str, Any]] = []
        self.connections = 0

    def run(self) -> None:
        """Follow until the session is idle."""
        last = "event_000000000000"
        while not self.events or self.events[-1]["type"] != "session.idled":
            self.connections += 1
            for event in self._some(last):
                self.events.append(event)
                last = event["id"]

    def _some(self, last: str) -> Iterator[dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self._running.port, timeout=30)
        headers = {"X-API-Key": str(self._running.ready["api_key"]), "Last-Event-ID": last}
        connection.request("GET", self._path, headers=headers)
        response = connection.getresponse()
        assert response.getheader("Content-Type", "").startswith("text/event-stream")
        count, has_id = 0, False
        while count < self._drop_after:
            line = response.readline().decode()
            has_id = line.startswith("id: ") or (has_id and line != "\n")
            if line.startswith("data: ") and has_id:
                count += 1
                yield json.loads(line[6:])
                if self.events[-1]["type"] == "session.idled":
                    break
        connection.close()


def test_clients_that_come_and_go_miss_nothing_and_see_nothing_twice(
    running: Service, tmp_path: Path
) -> None:
    """118, 123, 125: over an open stream; one that stays and one that drops it all the time."""
    with subprocess.Popen(
        [sys.executable, str(EXAMPLE / "server.py")], stdout=subprocess.PIPE, text=True
    ) as upstream:
        try:
            assert upstream.stdout is not None
            server = {
                "name": "acme_analytics",
                "url": json.loads(upstream.stdout.readline())["url"],
            }
            running.call("POST", "/api/v1/mcp-servers", server)
            hints = {"url_elicitation": True}
            _, session = running.call("POST", "/api/v1/sessions", {"hints": hints})
            steady = Follower(running, session["id"], drop_after=1000)
            restless = Follower(running, session["id"], drop_after=3)
            threads = [threading.Thread(target=one.run) for one in (steady, restless)]
            for thread in threads:
                thread.start()
            message = {"role": "user", "content": [{"type": "text", "text": "Report?"}]}
            calls = [{"server": "acme_analytics", "tool": "run_revenue_report"}]
            path = f"/api/v1/sessions/{session['id']}"
            running.call("POST", f"{path}/messages", {"message": message, "calls": calls})
            card = card_in(steady)
            body = {"tool_call_id": card, "action": "decline"}
            assert running.call("POST", f"{path}/mcp-elicitation-consent", body)[0] == 200
            for thread in threads:
                thread.join(30)
                assert not thread.is_alive()
        finally:
            upstream.terminate()
    _, journal = running.call("GET", f"{path}/events?limit=100")
    expected = journal["events"][: len(steady.events)]
    assert steady.connections == 1
    assert restless.connections > 3
    assert steady.events == restless.events == expected


def card_in(follower: Follower) -> str:
    """The id of the card that the follower has seen, once it has."""
    pause = threading.Event()
    for _ in range(600):
        for event in list(follower.events):
            if event["type"] == "tool.call_requested":
                return str(event["data"]["tool_calls"][0]["id"])
        pause.wait(0.05)
    raise AssertionError("no card came")
