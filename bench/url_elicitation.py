"""A relayed tool call that needs a page elsewhere: consent to result, the stream, the table.

The upstream is the example server, as a process of its own; the floor of a result's latency is the
bare call to it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.recorded import recording
from bench.rows import Row
from bench.stage import Stage, stage
from chalicelib.jobs.turns import run_turns

SERVER: Final = Path(__file__).parents[1] / "examples" / "mcp-url-elicitation" / "server.py"
TOOL: Final = "run_revenue_report"
TURNS: Final = 15
READS: Final = 20
REVISION: Final = "2026-07-28"


def run() -> list[Row]:
    """Milliseconds, events a second, and requests to the table."""
    with stage() as on, _upstream() as url:
        _register(on, url)
        with recording(on.services.dynamodb) as paused:
            session, card = _paused(on)
        with recording(on.services.dynamodb) as resumed:
            _consent_to_result(on, session, card)
        took = [_consent_to_result(on, *_paused(on)) for _ in range(TURNS)]
        bare = [_bare_call(url) for _ in range(TURNS)]
        rate = _events_a_second(on, session)
    return [
        Row(what="consent to result", value=statistics.median(took), floor=statistics.median(bare)),
        Row(what="table requests until the card", value=len(paused), unit="requests"),
        Row(what="table requests, consent to the turn's end", value=len(resumed), unit="requests"),
        Row(what="events read over SSE in a second", value=rate, unit="events"),
    ]


@contextmanager
def _upstream() -> Iterator[str]:
    command = [sys.executable, str(SERVER), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()


def _register(on: Stage, url: str) -> None:
    body = {"name": "acme", "url": url}
    on.invoke(on.event("POST", "/api/v1/mcp-servers", body), status=201)


def _paused(on: Stage) -> tuple[str, dict[str, Any]]:
    """A session that waits, and its card."""
    opened = on.event("POST", "/api/v1/sessions", {"hints": {"url_elicitation": True}})
    session = str(json.loads(on.invoke(opened, status=201)["body"])["id"])
    message = {"role": "user", "content": [{"type": "text", "text": "Run the report"}]}
    body = {"message": message, "calls": [{"server": "acme", "tool": TOOL, "arguments": {}}]}
    posted = on.event("POST", f"/api/v1/sessions/{session}/messages", body)
    on.invoke(posted, status=201)
    _work(on, session)
    [asked] = [e for e in _events(on, session) if e["type"] == "tool.call_requested"]
    return session, asked["data"]["tool_calls"][0]


def _consent_to_result(on: Stage, session: str, card: dict[str, Any]) -> float:
    """The person gives the key on the upstream's page; then the clock runs."""
    form = urllib.parse.urlencode({"api_key": "bench"}).encode()
    urllib.request.urlopen(card["arguments"]["url"], data=form, timeout=10).close()
    body = {"tool_call_id": card["id"], "action": "accept"}
    path = f"/api/v1/sessions/{session}/mcp-elicitation-consent"
    start = time.perf_counter()
    on.invoke(on.event("POST", path, body))
    _work(on, session)
    took = (time.perf_counter() - start) * 1_000
    results = [e for e in _events(on, session) if e["type"] == "tool.completed"]
    assert "Revenue" in json.dumps(results[-1]), "the retried call brought the report"
    return took


def _work(on: Stage, session: str) -> None:
    """Hand the session's turn to the worker, as its queue would."""
    found = on.services.store.session(session)
    body = json.dumps({"session_id": session, "turn_id": found.turn_id})
    failed = run_turns({"Records": [{"messageId": "1", "body": body}]}, on.services)
    assert not failed["batchItemFailures"]


def _events(on: Stage, session: str) -> list[dict[str, Any]]:
    event = on.event("GET", f"/api/v1/sessions/{session}/events?limit=100")
    listed: list[dict[str, Any]] = json.loads(on.invoke(event)["body"])["events"]
    return listed


def _bare_call(url: str) -> float:
    """The same call, without anything around it; it asks for the page, as the first one does."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}},
    }
    params = {"name": TOOL, "arguments": {}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": TOOL,
    }
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
    start = time.perf_counter()
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()
    return (time.perf_counter() - start) * 1_000


def _events_a_second(on: Stage, session: str) -> float:
    """A whole journal replayed, without waiting for news."""
    path = f"/api/v1/sessions/{session}/sse?after_sequence=0&wait=0"
    event = on.event("GET", path)
    start = time.perf_counter()
    frames = sum(str(on.invoke(event)["body"]).count("\nid: ") for _ in range(READS))
    return frames / (time.perf_counter() - start)
