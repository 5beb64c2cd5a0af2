"""The server on a real socket: keep-alive, threads that do not cross, limits, an end."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from infra.local.gateway import Gateway
from infra.local.problems import CannotRun
from infra.local.server import BODY_LIMIT, HttpServer, make_thread_safe
from infra.local.wire import HttpRequest, HttpResponse
from tests.infra.local.standin import echo_app

HOST = "127.0.0.1"


@contextmanager
def serving(handler: Callable[[HttpRequest], HttpResponse]) -> Iterator[int]:
    server = HttpServer(HOST, 0)
    server.serve(handler)
    try:
        yield server.port
    finally:
        server.stop()


@pytest.fixture(scope="module", name="port")
def shared_port() -> Iterator[int]:
    app = echo_app()
    make_thread_safe(app)
    with serving(Gateway(app)) as port:
        yield port


def send(port: int, raw: bytes) -> http.client.HTTPResponse:
    """Send bytes as they are, and read one answer."""
    with socket.create_connection((HOST, port), 10) as connection:
        connection.sendall(raw)
        response = http.client.HTTPResponse(connection)
        response.begin()
        response.read_body = response.read()  # type: ignore[attr-defined]
        return response


def code_of(response: http.client.HTTPResponse) -> str:
    code: str = json.loads(response.read_body)["error"]["code"]  # type: ignore[attr-defined]
    return code


def test_one_connection_carries_many_requests(port: int) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    connection.connect()
    sock = connection.sock
    for number in range(5):
        connection.request("POST", f"/echo/{number}", body=b"x" * number)
        answer = json.loads(connection.getresponse().read())
        assert (answer["name"], answer["body"]) == (str(number), "x" * number)
        assert connection.sock is sock
    connection.close()


def test_a_chunked_body_arrives_whole(port: int) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    connection.request("POST", "/echo/a", body=iter([b"one", b"two"]), encode_chunked=True)
    assert json.loads(connection.getresponse().read())["body"] == "onetwo"
    connection.close()


def test_concurrent_requests_see_their_own_data() -> None:
    together = 24
    app = echo_app(threading.Barrier(together))
    make_thread_safe(app)

    def ask(number: int) -> dict[str, Any]:
        connection = http.client.HTTPConnection(HOST, port, timeout=20)
        connection.request(
            "POST", f"/echo/n{number}?q={number}", f"b{number}", {"X-Probe": f"h{number}"}
        )
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    with serving(Gateway(app)) as port, ThreadPoolExecutor(together) as pool:
        for _ in range(4):
            answers = list(pool.map(ask, range(together)))
            for number, seen in enumerate(answers):
                assert (seen["name"], seen["header"], seen["body"], seen["query"]) == (
                    f"n{number}",
                    f"h{number}",
                    f"b{number}",
                    {"q": str(number)},
                )
            assert len({seen["invocation"] for seen in answers}) == together


def test_repeated_and_folded_headers_are_kept_as_sent() -> None:
    seen: list[HttpRequest] = []

    def handler(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse(200, [("Content-Length", "0")])

    with serving(handler) as port:
        send(port, b"GET /a%2Fb?c=%20 HTTP/1.1\r\nHost: h\r\nx-a: 1\r\nX-A: 2,\r\n 3\r\n\r\n")
    assert seen[0].target == "/a%2Fb?c=%20"
    assert seen[0].headers == [("Host", "h"), ("x-a", "1"), ("X-A", "2, 3")]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (f"Content-Length: {BODY_LIMIT + 1}", b""),
        ("Transfer-Encoding: chunked", b"989681\r\n" + b"x" * (BODY_LIMIT + 1) + b"\r\n0\r\n\r\n"),
    ],
)
def test_a_body_over_the_limit_is_refused(port: int, head: str, body: bytes) -> None:
    response = send(port, f"POST /echo/a HTTP/1.1\r\nHost: h\r\n{head}\r\n\r\n".encode() + body)
    assert (response.status, code_of(response)) == (413, "too_large")
    assert response.headers["X-Parley"] == "1"
    assert response.headers["Connection"] == "close"


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, "bad_request"),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", 414, "too_large"),
        (b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 20_000 + b"\r\n\r\n", 413, "too_large"),
    ],
)
def test_what_is_not_http_is_answered_in_the_one_envelope(
    port: int, raw: bytes, status: int, code: str
) -> None:
    response = send(port, raw)
    assert (response.status, code_of(response)) == (status, code)
    assert (response.headers["X-Parley"], response.headers["Connection"]) == ("1", "close")


def test_broken_chunks_are_a_400(port: int) -> None:
    head = b"POST /echo/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    response = send(port, head + b"zz\r\n")
    assert (response.status, code_of(response)) == (400, "invalid_input")


def test_a_stream_arrives_piece_by_piece_and_is_closed_with_its_reader() -> None:
    go_on, closed = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        try:
            yield b"first"
            while True:
                go_on.wait(10)
                yield b"x" * 65536
        finally:
            closed.set()

    with (
        serving(lambda _: HttpResponse(200, [("Content-Type", "text/plain")], chunks())) as port,
        socket.create_connection((HOST, port), 10) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.read(5) == b"first"
        response.close()
        connection.close()
        go_on.set()
        assert closed.wait(10)


def test_a_busy_port_is_one_sentence(port: int) -> None:
    with pytest.raises(CannotRun, match=rf"Port {port} of {HOST} is in use; set PARLEY_PORT"):
        HttpServer(HOST, port)


def test_a_held_request_does_not_hold_the_stop() -> None:
    entered, release = threading.Event(), threading.Event()

    def handler(_: HttpRequest) -> HttpResponse:
        entered.set()
        release.wait(30)
        return HttpResponse(200, [("Content-Length", "0")])

    server = HttpServer(HOST, 0)
    server.serve(handler)
    with socket.create_connection((HOST, server.port), 10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        assert entered.wait(10)
        server.stop()
        assert not release.is_set()
        release.set()
