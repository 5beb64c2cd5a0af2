"""From a person's answer to the asker that has it: held polls (`?wait=20`) against plain ones.

Plain polls come every five seconds, as clients of the protocol send them by default.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from bench.round_trip import Seat, http_server, new_seat
from bench.rows import Row, percentiles
from bench.stage import CONTENT, Stage, question, stage

HELD: Final = 60
PLAIN: Final = 40
AT_ONCE: Final = 4
POLL_EVERY: Final = 5.0
P50_AT_MOST: Final = 300


def run() -> list[Row]:
    """Milliseconds from sending the answer until the asker's poll has returned it."""
    with stage() as on, http_server() as port:
        held = _measure(on, port, count=HELD, at_once=AT_ONCE, wait=20)
        plain = _measure(on, port, count=PLAIN, at_once=PLAIN, wait=0)
    rows = percentiles("answer to asker, ?wait=20", held, p50_at_most=P50_AT_MOST)
    return rows + percentiles("answer to asker, a poll every 5 s", plain)


def _measure(on: Stage, port: int, *, count: int, at_once: int, wait: int) -> list[float]:
    seats = [new_seat(on) for _ in range(count)]
    for seat in seats:
        _, body = question(seat.session_id)
        body["_meta"]["com.pulsemcp/request-id"] = seat.request_id
        path = f"/api/v1/elicitations/session/{seat.token}"
        on.invoke(on.event("POST", path, body, headers={}), status=201)
    one = partial(_one, on, port, wait)
    with ThreadPoolExecutor(at_once) as pool:
        return [*pool.map(one, seats)]


def _one(on: Stage, port: int, wait: int, seat: Seat) -> float:
    """The asker polls on a thread; the answer comes at a random moment of its rhythm."""
    got: list[float] = []
    path = f"/api/v1/elicitations/session/{seat.token}/{seat.request_id}?wait={wait}"
    asker = threading.Thread(target=_poll_until_answered, args=(port, path, got.append))
    asker.start()
    time.sleep(random.uniform(0.2, 0.2 + (1.0 if wait else POLL_EVERY)))
    answer = {"action_type": "accept", "content": CONTENT}
    sent = time.perf_counter()
    _call(port, "PATCH", f"/api/v1/elicitations/{seat.request_id}/respond", answer, key=on.key)
    asker.join()
    return (got[0] - sent) * 1000


def _poll_until_answered(port: int, path: str, tell: Callable[[float], object]) -> None:
    while _call(port, "GET", path)["action"] == "pending":
        if path.endswith("=0"):
            time.sleep(POLL_EVERY)
    tell(time.perf_counter())


def _call(port: int, method: str, path: str, body: Any = None, *, key: str = "") -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Content-Type": "application/json"} | ({"X-API-Key": key} if key else {})
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    told: dict[str, Any] = json.loads(answer.read())
    connection.close()
    if answer.status != 200:
        raise RuntimeError(told)
    return told
