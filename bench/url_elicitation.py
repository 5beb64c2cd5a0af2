"""URL elicitation: from consent to the result, what a turn asks of AWS, how fast the stream reads.

The floor of the latency is the bare call of the same upstream tool with the same client; that of
the stream are the bare queries of its pages.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.recorded import recording
from bench.rows import Row, percentiles
from bench.stage import Stage, stage
from bench.stored import RETENTION, write

ROUNDS: Final = 40
EVENTS: Final = 2_000
PAGE: Final = 100
EXAMPLE: Final = Path(__file__).parents[1] / "examples" / "mcp-url-elicitation" / "server.py"
CALL: Final = {"server": "acme", "tool": "run_revenue_report", "arguments": {"month": "2026-08"}}
TURN_AT_MOST: Final = 30
"""Requests to the table of one turn with one card, from message to idle."""


def run() -> list[Row]:
    """All of it on one engine, with the example's server as upstream."""
    with stage() as on, _upstream() as url:
        host = Host(on)
        host.invoke("POST", "/api/v1/mcp-servers", {"name": "acme", "url": url}, status=201)
        host.consented()  # the era is found, connections are made
        took = [host.consented() for _ in range(ROUNDS)]
        floor = [host.bare() for _ in range(ROUNDS)]
        bare = sorted(floor)[len(floor) // 2]
        rows = percentiles("consent to result", took)
        rows[0] = Row(what=rows[0].what, value=rows[0].value, floor=bare)
        return [*rows, *_costs(host), *_stream(host)]


@dataclass(frozen=True)
class Host:
    """A host of sessions, with the worker at hand instead of behind a queue."""

    on: Stage

    def invoke(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        """The answer of one request, JSON or not."""
        result = self.on.invoke(self.on.event(method, path, body), status=status)
        is_json = result["headers"]["Content-Type"].startswith("application/json")
        return json.loads(result["body"]) if is_json else result["body"]

    def paused(self) -> tuple[str, str, dict[str, Any]]:
        """Session, turn and card of a turn that waits."""
        hints = {"url_elicitation": True}
        opened = self.invoke("POST", "/api/v1/sessions", {"hints": hints}, status=201)
        session = str(opened["id"])
        message = {"role": "user", "content": [{"type": "text", "text": "Report?"}]}
        body = {"message": message, "calls": [CALL]}
        path = f"/api/v1/sessions/{session}"
        turn = str(self.invoke("POST", f"{path}/messages", body, status=201)["turn_id"])
        self.work(session, turn)
        told = self.invoke("GET", f"{path}/events")["events"]
        asked = next(event for event in told if event["type"] == "tool.call_requested")
        return session, turn, asked["data"]["tool_calls"][0]

    def decide(self, session: str, turn: str, card: dict[str, Any]) -> None:
        """Accept, and let the worker go on."""
        body = {"tool_call_id": card["id"], "action": "accept"}
        self.invoke("POST", f"/api/v1/sessions/{session}/mcp-elicitation-consent", body)
        self.work(session, turn)

    def work(self, session: str, turn: str) -> None:
        """One message of the queue."""
        from chalicelib.jobs.turns import run_turns

        body = json.dumps({"session_id": session, "turn_id": turn})
        event = {"Records": [{"messageId": "m", "body": body}]}
        if run_turns(event, self.on.services)["batchItemFailures"]:
            raise RuntimeError("the worker failed")

    def consented(self) -> float:
        """Milliseconds from posting the consent until the result is in the journal."""
        session, turn, card = self.paused()
        _give_key(card["arguments"]["url"])
        start = time.perf_counter()
        self.decide(session, turn, card)
        took = (time.perf_counter() - start) * 1000
        self.check_idle(session)
        return took

    def check_idle(self, session: str) -> None:
        """The turn must have ended: a pause would look fast."""
        if self.invoke("GET", f"/api/v1/sessions/{session}")["status"] != "idle":
            raise RuntimeError("the turn did not end")

    def bare(self) -> float:
        """Milliseconds of the one call that has to be made: the consented one."""
        from chalicelib.domain.upstream import Accepted, Answered, Asks

        relay = self.on.services.relay
        record = relay.registry.get("acme")
        connection = relay.connect(record, known=record.known, declares_url=True)
        asked = connection.call(CALL["tool"], CALL["arguments"], None)
        if not isinstance(asked, Asks):
            raise TypeError(asked)
        _give_key(asked.wanted[0].url)
        accepted = Accepted((asked.wanted[0].key,), asked.state)
        start = time.perf_counter()
        outcome = connection.call(CALL["tool"], CALL["arguments"], accepted)
        took = (time.perf_counter() - start) * 1000
        if not isinstance(outcome, Answered):
            raise TypeError(outcome)
        return took


def _costs(host: Host) -> list[Row]:
    """Requests of one whole turn, from message to idle with one card between."""
    services = host.on.services
    clients = (services.dynamodb, services.messenger.client, services.cipher.client)
    with recording(*clients) as calls:
        session, turn, card = host.paused()
        _give_key(card["arguments"]["url"])
        host.decide(session, turn, card)
    host.check_idle(session)
    seen = Counter((service, operation) for service, operation, _ in calls)
    of_table = sum(count for (service, _), count in seen.items() if service == "dynamodb")
    rows = [Row(what="table requests a turn", value=of_table, unit="", at_most=TURN_AT_MOST)]
    named = sorted(seen.items(), key=lambda item: -item[1])
    return rows + [Row(what=f"  {op}", value=count, unit="") for (_, op), count in named]


def _stream(host: Host) -> list[Row]:
    """A long journal read from its start over finite answers, and by bare queries."""
    session = host.on.open_session()
    _fill(host.on, session)
    start = time.perf_counter()
    told, last = 0, 0
    while told < EVENTS:
        path = f"/api/v1/sessions/{session}/sse?wait=0&after_sequence={last}"
        text = host.invoke("GET", path)
        told += text.count("\nid: event_")
        last = told
    streamed = time.perf_counter() - start
    start = time.perf_counter()
    for after in range(0, EVENTS, PAGE):
        host.on.services.store.events(session, after=after, limit=PAGE)
    queried = time.perf_counter() - start
    rate = Row(what="events read over SSE", value=EVENTS / streamed, unit="a second")
    per_event = 1000 / EVENTS
    return [
        rate,
        Row(what="an event over SSE", value=streamed * per_event, floor=queried * per_event),
    ]


def _fill(on: Stage, session: str) -> None:
    """A journal of `EVENTS` events, written past the service."""
    from dataclasses import replace

    from chalicelib.domain.events import Event
    from chalicelib.storage.codec import event_to_item, session_to_item

    now = on.services.clock()
    data = {"tool_call": {"id": "call_1", "name": "mcp_acme__report", "arguments": {"n": "x" * 80}}}
    event = Event(type="tool.started", at=now, data=data, context={"turn_id": "turn_1"})
    found = on.services.store.session(session)
    rows = [
        event_to_item(session, version, event, attempt="bulk", retention=RETENTION)
        for version in range(2, EVENTS + 1)
    ]
    longer = replace(found, version=EVENTS)
    write(on, [*rows, session_to_item(longer, attempt="bulk", retention=RETENTION)])


def _give_key(url: str) -> None:
    """What the person does on the server's page."""
    form = urllib.parse.urlencode({"api_key": "bench"}).encode()
    with urllib.request.urlopen(url, data=form, timeout=10) as answer:
        answer.read()


@contextlib.contextmanager
def _upstream() -> Iterator[str]:
    """The example's MCP server; yields its URL."""
    command = [sys.executable, str(EXAMPLE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            ready = process.stdout.readline() if process.stdout else ""
            yield json.loads(ready)["url"]
        finally:
            process.terminate()
