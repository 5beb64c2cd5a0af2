"""Poll, create and answer through the whole app, against the bare AWS calls that they need.

In process the app runs as Lambda runs it, `app(event, context)`; over HTTP it runs in a process of
its own behind the local server. Each round measures both sides, one right after the other, on twin
sessions; the medians are compared.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from bench.recorded import Call, recording, renamed, replay
from bench.rows import Row
from bench.stage import CONTENT, Stage, question, stage

ROUNDS: Final = 150
WARM_UP: Final = 20
AT_MOST: Final = 1.5
VERBS: Final = ("create", "poll", "answer")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, however it is sent."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Send = Callable[[Request], Callable[[], None]]
"""Prepares a request, so that only sending it is measured."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A fresh session, and an elicitation that is about to be asked in it."""

    session_id: str
    token: str
    request_id: str

    def names(self, other: Seat) -> dict[str, str]:
        """From this seat's ids to another's."""
        return {self.session_id: other.session_id, self.request_id: other.request_id}


def run() -> list[Row]:
    """Both ways, on one engine."""
    with stage() as on:
        template = record(on)
        rows = measure("in process", on, template, partial(_in_process, on))
        with http_server() as port:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            rows += measure("over HTTP", on, template, partial(_over_http, connection))
            connection.close()
    return rows


def record(on: Stage) -> tuple[Seat, dict[str, list[Call]]]:
    """The calls of one create, poll and answer, and the seat they were made for."""
    seat = new_seat(on)
    requests = _requests(seat, on, partial(_in_process, on))
    for send in _requests(new_seat(on), on, partial(_in_process, on)).values():
        send()  # what is read once and remembered (keys) is no part of the floor
    calls: dict[str, list[Call]] = {}
    for verb, send in requests.items():
        with recording(on.services.dynamodb, on.services.messenger.client) as made:
            send()
        calls[verb] = list(made)
    return seat, calls


def measure(
    how: str, on: Stage, template: tuple[Seat, dict[str, list[Call]]], send: Send
) -> list[Row]:
    """One row a verb: the app's median over the bare calls' median."""
    original, calls = template
    clients = _bare_clients(on)
    ours: dict[str, list[float]] = {verb: [] for verb in VERBS}
    bare: dict[str, list[float]] = {verb: [] for verb in VERBS}
    for _ in range(WARM_UP + ROUNDS):
        requests = _requests(new_seat(on), on, send)
        names = original.names(new_seat(on))
        for verb in VERBS:
            ours[verb].append(timed(requests[verb]))
            bare[verb].append(_timed_replay(renamed(calls[verb], names), clients))
    return [
        Row(
            what=f"{verb} {how} ({_told(calls[verb])})",
            value=statistics.median(ours[verb][WARM_UP:]),
            floor=statistics.median(bare[verb][WARM_UP:]),
            at_most=AT_MOST if how == "in process" else None,
        )
        for verb in VERBS
    ]


def new_seat(on: Stage) -> Seat:
    """A fresh session with its token, and an unused request id."""
    opened = on.invoke(on.event("POST", "/api/v1/sessions", {"title": "bench"}), status=201)
    session = json.loads(opened["body"])
    token = session["env"]["ELICITATION_REQUEST_URL"].rpartition("/")[2]
    return Seat(session["id"], token, str(uuid.uuid4()))


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of a call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


@contextlib.contextmanager
def http_server() -> Iterator[int]:
    """The app behind the local server in a process of its own; gives the port."""
    command = [sys.executable, "-m", "bench.http_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.communicate()


def _requests(seat: Seat, on: Stage, send: Send) -> dict[str, Callable[[], None]]:
    _, body = question(seat.session_id)
    body["_meta"]["com.pulsemcp/request-id"] = seat.request_id
    base = f"/api/v1/elicitations/session/{seat.token}"
    answer = {"action_type": "accept", "content": CONTENT}
    path = f"/api/v1/elicitations/{seat.request_id}/respond"
    return {
        "create": send(Request("POST", base, body)),
        "poll": send(Request("GET", f"{base}/{seat.request_id}")),
        "answer": send(Request("PATCH", path, answer, {"X-API-Key": on.key})),
    }


def _in_process(on: Stage, request: Request) -> Callable[[], None]:
    event = on.event(request.method, request.path, request.body, headers=request.headers)
    status = 201 if request.method == "POST" else 200

    def send() -> None:
        on.invoke(event, status=status)

    return send


def _over_http(connection: http.client.HTTPConnection, request: Request) -> Callable[[], None]:
    data = None if request.body is None else json.dumps(request.body)
    headers = {"Content-Type": "application/json", **request.headers}

    def send() -> None:
        connection.request(request.method, request.path, data, headers)
        answer = connection.getresponse()
        told = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{answer.status}: {told!r}")

    return send


def _bare_clients(on: Stage) -> dict[str, Any]:
    """Clients of their own, made exactly as the service makes its clients."""
    bare = type(on.services)(on.environ)
    return {"dynamodb": bare.dynamodb, "sqs": bare.messenger.client}


def _timed_replay(calls: Sequence[Call], clients: Mapping[str, Any]) -> float:
    return timed(lambda: replay(calls, clients))


def _told(calls: Sequence[Call]) -> str:
    return ", ".join(operation for _, operation, _ in calls)
