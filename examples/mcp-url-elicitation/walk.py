"""Walks the whole flow of a URL elicitation against a Parley deployment, and says what it sees.

    PARLEY_URL=http://localhost:8000 PARLEY_API_KEY=... python walk.py [--legacy] [--decline]

Standard library only. It starts the MCP server beside it (`server.py`) unless `--server` names one
that the deployment reaches, registers it, opens a session that can pause, follows the stream, posts
a message, gives the key on the server's page as the person would, posts the consent, and exits 0
only when the result of the repeated call has arrived in the stream.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME, TOOL = "acme_analytics", "run_revenue_report"
CALL = {"server": NAME, "tool": TOOL, "arguments": {"month": "2026-08"}}
PATIENCE = 60  # seconds without the event that is waited for


class Failed(Exception):
    """The flow did not go as it should."""


@dataclass(frozen=True)
class Parley:
    """The API of a deployment."""

    base_url: str
    api_key: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request; raises `Failed` for an answer that is not 2xx."""
        try:
            with self.open(method, path, body, {}) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise Failed(f"{method} {path}: HTTP {error.code} {text}") from error

    def open(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        """The open answer of one request."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"X-API-Key": self.api_key, "Content-Type": "application/json", **headers}
        request = urllib.request.Request(
            f"{self.base_url}{path}", data=data, headers=sent, method=method
        )
        return urllib.request.urlopen(request, timeout=PATIENCE)

    def follow(self, session_id: str, found: queue.Queue[dict[str, Any]]) -> None:
        """Put every event of the session into the queue, over as many connections as it takes."""
        last = "event_000000000000"
        while True:
            for event in self.connection(session_id, last):
                last = event["id"]
                found.put(event)
            time.sleep(0.1)

    def connection(self, session_id: str, last: str) -> Iterator[dict[str, Any]]:
        """The events after one, until this connection ends, well or not."""
        path = f"/api/v1/sessions/{session_id}/sse"
        with (
            contextlib.suppress(OSError),
            self.open("GET", path, None, {"Last-Event-ID": last}) as stream,
        ):
            yield from read_events(stream)


def read_events(stream: Any) -> Iterator[dict[str, Any]]:
    """Events that stand in the journal: those with an id and data."""
    fields: dict[str, str] = {}
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        name, _, value = line.partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        if not line:
            if fields.keys() >= {"id", "data"}:
                yield json.loads(fields["data"])
            fields = {}


@dataclass(frozen=True)
class Walk:
    """One session and the events that come from it."""

    parley: Parley
    session_id: str
    found: queue.Queue[dict[str, Any]]

    def wait_for(self, type_: str, **wanted: Any) -> dict[str, Any]:
        """The data of the next event of a type with these members."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                event = self.found.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                raise Failed(f"no {type_} arrived in {PATIENCE} s") from None
            data: dict[str, Any] = event["data"]
            say(f"  {event['sequence']:>3}  {event['type']}")
            if event["type"] == type_ and wanted.items() <= data.items():
                return data

    def post(self, path: str, body: Any) -> Any:
        """A request to the session."""
        return self.parley.call("POST", f"/api/v1/sessions/{self.session_id}/{path}", body)


def walk(parley: Parley, server_url: str, *, action: str) -> None:
    """The flow. Raises `Failed` where it does not go as the documentation says."""
    server = {"name": NAME, "url": server_url}
    parley.call("POST", "/api/v1/mcp-servers", server)
    hints = {"url_elicitation": True}
    opened = parley.call("POST", "/api/v1/sessions", {"agent_id": "walk", "hints": hints})
    walker = Walk(parley, opened["id"], queue.Queue())
    follow = threading.Thread(
        target=parley.follow, args=(walker.session_id, walker.found), daemon=True
    )
    follow.start()
    say(f"session {walker.session_id}")
    content = [{"type": "text", "text": "What was our revenue in August?"}]
    walker.post("messages", {"message": {"role": "user", "content": content}, "calls": [CALL]})

    asked = walker.wait_for("tool.call_requested")["tool_calls"][0]
    arguments = asked["arguments"]
    say(f"{arguments['server']} asks you to open a page at {arguments['url_host']}:")
    say(f"  {arguments['url']}")
    if action == "accept":
        give_key(arguments["url"])
        say("the key was given on that page")
    decision = {"tool_call_id": asked["id"], "action": action}
    told = walker.post("mcp-elicitation-consent", decision)
    say(f"consent: {told}")
    if action == "accept":
        result = walker.wait_for("tool.completed", tool_name=arguments["retry_tool"], success=True)
        say(f"result: {result['result'][0]['text']}")
        if "Revenue in 2026-08" not in result["result"][0]["text"]:
            raise Failed("the repeated call did not bring the report")
    walker.wait_for("turn.completed")
    walker.wait_for("session.idled")


def give_key(url: str) -> None:
    """What the person does in their browser: open the page, type the key, send the form."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as page:
        page.read()
    form = urllib.parse.urlencode({"api_key": "acme-key-for-the-example"}).encode()
    with urllib.request.urlopen(url, data=form, timeout=PATIENCE) as answer:
        answer.read()


@contextlib.contextmanager
def example_server(*options: str) -> Iterator[str]:
    """The MCP server beside this script, on a free port; yields its URL."""
    command = [sys.executable, str(Path(__file__).with_name("server.py")), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            ready = process.stdout.readline() if process.stdout else ""
            yield json.loads(ready)["url"]
        finally:
            process.terminate()


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--url", default=os.environ.get("PARLEY_URL", "http://localhost:8000"))
    parser.add_argument("--server", help="an MCP server that runs already, reached from Parley")
    parser.add_argument("--legacy", action="store_true", help="the server speaks MCP 2025-11-25")
    parser.add_argument("--decline", action="store_true", help="say no instead")
    args = parser.parse_args()
    parley = Parley(args.url.rstrip("/"), os.environ.get("PARLEY_API_KEY", ""))
    options = ["--legacy"] if args.legacy else []
    started = contextlib.nullcontext(args.server) if args.server else example_server(*options)
    try:
        with started as server_url:
            walk(parley, server_url, action="decline" if args.decline else "accept")
    except (Failed, OSError) as error:
        print(f"walk: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
