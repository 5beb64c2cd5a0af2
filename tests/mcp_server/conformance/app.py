"""The protocol layer behind a plain HTTP server on loopback, for suites and clients of others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chalicelib.domain.principal import Principal
from chalicelib.mcp_server.handler import handle
from chalicelib.mcp_server.server import McpServer


class McpHttpServer(ThreadingHTTPServer):
    """One path, no authentication: everybody is `principal`."""

    daemon_threads = True

    def __init__(self, mcp_server: McpServer, principal: Principal) -> None:
        super().__init__(("localhost", 0), _Handler)
        origin = f"http://localhost:{self.server_port}"
        self.mcp_server = replace(mcp_server, allowed_origins=frozenset({origin}))
        self.principal = principal

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"http://localhost:{self.server_port}/mcp"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: McpHttpServer

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = handle(
            self.command,
            dict(self.headers.items()),
            body,
            principal=self.server.principal,
            server=self.server.mcp_server,
            now=datetime.now(UTC),
        )
        raw = answer.body.encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_DELETE = do_PUT = _serve  # noqa: N815 - names that http.server looks up

    def handle(self) -> None:
        """A client may hang up on an idle connection whenever it likes."""
        with suppress(ConnectionResetError):
            super().handle()

    def log_message(self, *_args: object) -> None:
        """Tests print nothing."""


@contextmanager
def serving(mcp_server: McpServer, principal: Principal) -> Iterator[McpHttpServer]:
    """A running server; stopped on the way out."""
    with McpHttpServer(mcp_server, principal) as http_server:
        thread = threading.Thread(target=http_server.serve_forever, daemon=True)
        thread.start()
        try:
            yield http_server
        finally:
            http_server.shutdown()
            thread.join()
