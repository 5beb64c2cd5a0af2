"""A real HTTP server on loopback that answers as a test says and records what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Told:
    """One answer. With `stream` the chunks are sent as they come, then the connection closes."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterable[bytes] | None = None


Script = Callable[[Asked], Told]


def json_told(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Told:
    """A JSON answer."""
    kind = {"Content-Type": "application/json"}
    return Told(status, json.dumps(value).encode(), {**kind, **(headers or {})})


def sse_told(*chunks: bytes) -> Told:
    """An event stream that ends after its chunks."""
    return Told(headers={"Content-Type": "text/event-stream"}, stream=chunks)


@dataclass
class Upstream:
    """A running server: where it is, and what it was asked so far."""

    port: int
    scheme: str = "http"
    asked: list[Asked] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def messages(self, method: str) -> list[Asked]:
        """The POSTed JSON-RPC messages of one method."""
        posts = [asked for asked in self.asked if asked.method == "POST"]
        return [asked for asked in posts if asked.json.get("method") == method]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.asked: list[Asked] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves early is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, body)
        self.server.asked.append(asked)
        self._tell(self.server.script(asked))

    def do_GET(self) -> None:
        self.do_POST()

    def do_HEAD(self) -> None:
        self.do_POST()

    def _tell(self, told: Told) -> None:
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        if told.stream is None:
            self.send_header("Content-Length", str(len(told.body)))
        self.end_headers()
        self.close_connection = True
        for chunk in told.stream if told.stream is not None else [told.body]:
            self.wfile.write(chunk)
            self.wfile.flush()

    def log_message(self, *args: object) -> None:
        """Tests read what was asked, not a log."""


@contextmanager
def serving(script: Script, *, tls: ssl.SSLContext | None = None) -> Iterator[Upstream]:
    """Run `script` as a server on a free loopback port."""
    server = _Server(script)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        scheme = "http" if tls is None else "https"
        yield Upstream(server.server_address[1], scheme, server.asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
