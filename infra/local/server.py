"""HTTP/1.1 on a socket: cheroot's threads and keep-alive around a plain request handler.

Below the gateway: it knows nothing of routes, events or Chalice, except how to make one app safe to
call from many threads.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from cheroot import server as cheroot

from infra.local.problems import CannotRun
from infra.local.wire import HttpRequest, HttpResponse, problem

if TYPE_CHECKING:
    from chalice.app import Chalice

log = logging.getLogger("parley.local")

Handler = Callable[[HttpRequest], HttpResponse]

THREADS: Final = 96
"""Each held poll and each open stream takes one."""
BODY_LIMIT: Final = 10_000_000
"""API Gateway's payload limit, in bytes."""
HEADER_LIMIT: Final = 16_384
"""Request line and headers, in bytes; API Gateway takes 10,240 bytes of values."""
IDLE_SECONDS: Final = 60
STOP_SECONDS: Final = 1


class HttpServer:
    """A listening server. The port is open from the start; requests wait until `serve`.

    Raises `CannotRun` when the address cannot be listened on.
    """

    def __init__(self, host: str, port: int) -> None:
        _check_free(host, port)
        self._server = _Server(host, port)
        self._server.prepare()
        self._thread = threading.Thread(target=self._server.serve, name="http", daemon=True)

    @property
    def port(self) -> int:
        """The port, also when any free one was asked for."""
        return int(self._server.bind_addr[1])

    def serve(self, handler: Handler) -> None:
        """Start answering, on threads of its own."""
        self._server.handler = handler
        self._thread.start()

    def stop(self) -> None:
        """Take no more requests and let running ones finish for `STOP_SECONDS`, not longer."""
        stopping = threading.Thread(target=self._server.stop, name="http-stop", daemon=True)
        stopping.start()
        stopping.join(STOP_SECONDS + 1)


def make_thread_safe(app: Chalice) -> None:
    """Give every thread its own `current_request` and `lambda_context`.

    Chalice keeps both on the app, for Lambda runs one request at a time: shared by threads, nearly
    every concurrent request sees another one's data.
    """
    own = threading.local()

    def per_thread(name: str) -> property:
        return property(
            lambda _app: getattr(own, name, None),
            lambda _app, value: setattr(own, name, value),
        )

    kind = type(app)
    names = ("current_request", "lambda_context")
    app.__class__ = type(f"Threaded{kind.__name__}", (kind,), {n: per_thread(n) for n in names})


def _check_free(host: str, port: int) -> None:
    """cheroot's own failure to bind says the reason in prose only, and leaves its socket open."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error})"
        raise CannotRun(
            f"Port {port} of {host} {why}; set PARLEY_PORT to another one (0 = any free one)."
        ) from None


class _HeaderReader(cheroot.HeaderReader):
    """Also keeps the header lines as sent: cheroot's dictionary folds and drops repeated ones."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def __call__(self, rfile: Any, hdict: Any = None) -> Any:
        lines = _Lines(rfile)
        headers = super().__call__(lines, hdict)
        self.pairs = list(lines.pairs())
        return headers


class _Lines:
    """A reader of lines that remembers them."""

    def __init__(self, rfile: Any) -> None:
        self._rfile = rfile
        self._seen: list[str] = []

    def readline(self) -> bytes:
        line: bytes = self._rfile.readline()
        self._seen.append(line.decode("latin-1").rstrip("\r\n"))
        return line

    def pairs(self) -> Iterator[tuple[str, str]]:
        unfolded: list[str] = []
        for line in self._seen:
            if line[:1] in {" ", "\t"} and unfolded:
                unfolded[-1] += " " + line.strip()
            elif line:
                unfolded.append(line)
        for line in unfolded:
            name, _, value = line.partition(":")
            yield name.strip(), value.strip()


class _Request(cheroot.HTTPRequest):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.header_reader = _HeaderReader()

    def simple_response(self, status: Any, msg: str = "") -> None:
        """What cheroot answers itself, to what is not HTTP or too long, in the one envelope."""
        number = int(str(status)[:3])
        code = "too_large" if number in {413, 414} else "bad_request"
        response = problem(number, code, msg or _phrase(number), headers=[("Connection", "close")])
        self.close_connection = True
        head = [f"HTTP/1.1 {number} {_phrase(number)}"]
        head += [f"{name}: {value}" for name, value in response.headers]
        self.conn.wfile.write("\r\n".join([*head, "", ""]).encode() + b"".join(response.body))


class _Connection(cheroot.HTTPConnection):
    RequestHandlerClass = _Request


class _BadBody(Exception):
    """The request's body cannot be taken; carries the answer."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


class _Gateway(cheroot.Gateway):
    """cheroot's way to hand over one parsed request."""

    def respond(self) -> None:
        response = self._answer()
        self.req.status = f"{response.status} {_phrase(response.status)}".encode()
        self.req.outheaders = [(n.encode(), v.encode()) for n, v in response.headers]
        try:
            self.req.ensure_headers_sent()
            for chunk in response.body:
                self.req.write(chunk)
        finally:
            close = getattr(response.body, "close", None)
            if close is not None:
                close()

    def _answer(self) -> HttpResponse:
        req = self.req
        try:
            body = self._read_body()
        except _BadBody as bad:
            req.close_connection = True
            return bad.response
        return req.server.handler(  # type: ignore[no-any-return]
            HttpRequest(
                method=req.method.decode(),
                target=req.uri.decode("latin-1"),
                headers=req.header_reader.pairs,
                body=body,
                source_ip=req.conn.remote_addr or "",
                protocol=req.request_protocol.decode(),
            )
        )

    def _read_body(self) -> bytes:
        """The whole body; more than the limit is not read, nor is a declared length waited for."""
        declared = 0 if self.req.chunked_read else int(self.req.inheaders.get(b"Content-Length", 0))
        if declared > BODY_LIMIT:
            raise _BadBody(_too_large())
        try:
            body: bytes = self.req.rfile.read(BODY_LIMIT + 1)
        except ValueError:
            raise _BadBody(problem(400, "invalid_input", "The body's chunks are broken.")) from None
        if len(body) > BODY_LIMIT:
            raise _BadBody(_too_large())
        if len(body) < declared:
            raise _BadBody(problem(400, "invalid_input", "The body is shorter than declared."))
        return body


class _Server(cheroot.HTTPServer):
    ConnectionClass = _Connection
    keep_alive_conn_limit = 10_000
    max_request_header_size = HEADER_LIMIT
    request_queue_size = 128
    shutdown_timeout = STOP_SECONDS
    timeout = IDLE_SECONDS

    def __init__(self, host: str, port: int) -> None:
        super().__init__((host, port), _Gateway, minthreads=THREADS, server_name="parley")
        self.handler: Handler = lambda _: problem(503, "try_again", "The service is starting.")

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        log.log(level, msg, exc_info=traceback)


def _too_large() -> HttpResponse:
    return problem(413, "too_large", f"A body may have {BODY_LIMIT} bytes at most.")


def _phrase(status: int) -> str:
    with contextlib.suppress(ValueError):
        return HTTPStatus(status).phrase
    return "Unknown"
