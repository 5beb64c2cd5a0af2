"""Parley as an MCP server against the MCP SDK's own server: the same tools, requests and machine.

Both run in process, without a socket: Parley as Lambda runs it, `app(event, context)`, the SDK as
an ASGI app in a process of its own. The SDK's tool returns a ready result, so the row that stores
an answer on the engine shows what storing costs on top; the one before it stores nothing either.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from bench.round_trip import timed
from bench.rows import Row
from bench.stage import Stage, question, stage

if TYPE_CHECKING:
    from chalicelib.domain.elicitation import Elicitation
    from chalicelib.mcp_server.backend import Backend

ROUNDS: Final = 300
WARM_UP: Final = 30
AT_MOST: Final = 1.0
VERSION: Final = "2026-07-28"
LIST: Final = "tools/list"
ANSWER: Final = "respond_to_elicitation"
SDK_MINUTES: Final = 2


def run() -> list[Row]:
    """Medians, and how many such requests a second."""
    with stage(PARLEY_ASKER_MAY_ANSWER="true") as on:
        listing = _message(LIST, {})
        plain, stored = _answers_in_memory(on), _answers_on_the_engine(on)
        ours = {
            f"{LIST}, whole app": _times(lambda: _in_process(on, listing)),
            f"{ANSWER}, protocol alone": _times(lambda: plain),
            f"{ANSWER}, whole app, stored": _times(stored),
        }
        theirs = _sdk_times(on)
    floors = dict(zip(ours, (theirs[LIST], theirs[ANSWER], theirs[ANSWER]), strict=True))
    rows = [_median(what, ours[what], floors[what]) for what in ours]
    return rows + [_rate(what, ours[what], floors[what]) for what in ours]


def _times(prepare: Callable[[], Callable[[], object]]) -> list[float]:
    """Milliseconds of each call, preparation not counted."""
    return [timed(prepare()) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]


def _median(what: str, ours: list[float], floor: list[float]) -> Row:
    target = None if what.endswith("stored") else AT_MOST
    value, least = statistics.median(ours), statistics.median(floor)
    return Row(what=f"{what}, p50", value=value, floor=least, at_most=target)


def _rate(what: str, ours: list[float], floor: list[float]) -> Row:
    ours_rate, floor_rate = (1000 / statistics.fmean(times) for times in (ours, floor))
    return Row(what=f"{what}, one by one", value=ours_rate, floor=floor_rate, unit="/s")


def _message(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """What a client of 2026-07-28 sends: headers and body."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Host": "127.0.0.1:80",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta, **params}}
    return {"headers": headers, "body": body}


def _answer_message(request_id: str) -> dict[str, Any]:
    content = {"environment": "staging", "confirm": True}
    arguments = {"request_id": request_id, "action": "accept", "content": content}
    return _message("tools/call", {"name": ANSWER, "arguments": arguments})


def _in_process(on: Stage, message: Mapping[str, Any]) -> Callable[[], object]:
    event = _event(on, message)
    return lambda: _checked(on.invoke(event)["body"])


def _checked(body: str) -> None:
    if '"isError":true' in body:
        raise RuntimeError(body)


def _answers_on_the_engine(on: Stage) -> Callable[[], Callable[[], object]]:
    def prepare() -> Callable[[], object]:
        request_id, body = question(on.open_session())
        on.invoke(on.event("POST", "/api/v1/elicitations", body), status=201)
        return _in_process(on, _answer_message(request_id))

    return prepare


class _Answered:
    """A backend that knows one question and takes every answer to it."""

    def __init__(self, elicitation: Elicitation) -> None:
        self._elicitation = elicitation

    def respond(self, *, content: Mapping[str, Any] | None, **_rest: Any) -> Elicitation:
        return replace(self._elicitation, content=content)


def _answers_in_memory(on: Stage) -> Callable[[], object]:
    from chalicelib.domain.principal import Principal, Scope
    from chalicelib.mcp_server.catalog import parley_tools
    from chalicelib.mcp_server.handler import handle

    backend = cast("Backend", _Answered(_elicitation(on)))
    mcp = on.services.mcp
    server = replace(mcp, tools=parley_tools(backend, mcp.sealer, on.services.new_id))
    principal = Principal("bench", frozenset(Scope), "bench")
    message = _answer_message("e")
    body, now = json.dumps(message["body"]).encode(), on.services.clock()
    return lambda: _checked(
        handle("POST", message["headers"], body, principal=principal, server=server, now=now).body
    )


def _elicitation(on: Stage) -> Elicitation:
    from chalicelib.domain.elicitation import Elicitation, Status

    now = on.services.clock()
    request_id, body = question("session")
    return Elicitation(
        key=request_id,
        session_id="session",
        request_id=request_id,
        message=body["message"],
        schema=body["requestedSchema"],
        created_at=now,
        expires_at=now + timedelta(hours=1),
        status=Status.ACCEPT,
        answered_at=now,
    )


def _sdk_times(on: Stage) -> dict[str, list[float]]:
    """The same two requests, answered by the SDK with the same bytes."""
    from tests.mcp_server.conformance.environment import prepared

    requests = {LIST: _message(LIST, {}), ANSWER: _answer_message("e")}
    listed = json.loads(on.invoke(_event(on, requests[LIST]))["body"])["result"]["tools"]
    request_id, body = question(on.open_session())
    on.invoke(on.event("POST", "/api/v1/elicitations", body), status=201)
    answered = on.invoke(_event(on, _answer_message(request_id)))["body"]
    result = {
        name: value
        for name, value in json.loads(answered)["result"].items()
        if name in ("content", "structuredContent")
    }
    told = {"tools": listed, "result": result, "requests": requests, "rounds": WARM_UP + ROUNDS}
    program = Path(__file__).with_name("sdk_mcp_server.py")
    done = subprocess.run(
        [prepared().python, "-P", program],  # -P: this module would stand before the SDK's `mcp`
        input=json.dumps(told) + "\n",
        capture_output=True,
        text=True,
        timeout=SDK_MINUTES * 60,
        check=True,
    )
    times: dict[str, list[float]] = json.loads(done.stdout)
    return {name: values[WARM_UP:] for name, values in times.items()}


def _event(on: Stage, message: Mapping[str, Any]) -> dict[str, Any]:
    headers = {**message["headers"], "Authorization": f"Bearer {on.key}"}
    return on.event("POST", "/mcp", message["body"], headers=headers)
