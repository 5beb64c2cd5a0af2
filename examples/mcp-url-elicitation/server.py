"""An MCP server that needs a person's API key and asks for it in their browser, never in the chat.

    python server.py [--port 0] [--legacy]

Standard library only. It speaks MCP 2026-07-28 (`input_required`), or with `--legacy` 2025-11-25
(error -32042), serves the page that it sends people to, and prints one JSON line when it is ready.
It runs on loopback for one person. A server for many must also check that whoever opens the page is
the user who started the call.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"
STATE_LASTS, MAX_BODY = 600, 64 * 1024  # seconds, bytes
NEEDS_URL: Any = {"requiredCapabilities": {"elicitation": {"url": {}}}}

TOOL = {
    "name": "run_revenue_report",
    "description": "Revenue of one month. Needs your Acme Analytics API key, asked for on a page.",
    "inputSchema": {
        "type": "object",
        "properties": {"month": {"type": "string", "description": "such as 2026-08"}},
    },
}
MESSAGE = "Acme Analytics needs your API key before it can run this report."
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Acme Analytics</title>
<main><h1>Acme Analytics</h1>{}</main></html>"""
FORM = """<form method="post"><p><label>API key <input name="api_key" type="password" required
autocomplete="off"></label></p><button>Connect</button></form>"""


class RpcError(Exception):
    """A JSON-RPC error with the HTTP status that goes with it."""

    def __init__(self, code: int, message: str, *, status: int = 400, data: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})


@dataclass
class Connections:
    """Which references were asked for, and which keys people gave for them. In memory only."""

    base_url: str
    signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    keys: dict[str, str | None] = field(default_factory=dict, repr=False)

    def ask(self) -> str:
        """A new reference: unguessable, and nothing in it tells who or what it is for."""
        reference = secrets.token_urlsafe(16)
        self.keys[reference] = None
        return reference

    def url(self, reference: str) -> str:
        return f"{self.base_url}/connect?ref={reference}"

    def submit(self, reference: str, api_key: str) -> bool:
        """Keep the person's key. A reference takes one, once."""
        if self.keys.get(reference, "") is not None or not api_key:
            return False
        self.keys[reference] = api_key
        return True

    def take(self, reference: str) -> str | None:
        """The key that was given, once; until then None."""
        return self.keys.pop(reference) if self.keys.get(reference) else None

    def seal(self, reference: str, arguments: Any) -> str:
        """Request state: the reference, bound to the arguments and to a time, signed."""
        payload = [reference, _digest(arguments), int(time.time()) + STATE_LASTS]
        body = base64.urlsafe_b64encode(json.dumps(payload).encode()).decode()
        return f"{body}.{self._sign(body)}"

    def open(self, state: Any, arguments: Any) -> str:
        """The reference in request state of ours for the same arguments; raises `RpcError`."""
        body, _, signature = str(state).partition(".")
        if hmac.compare_digest(self._sign(body).encode(), signature.encode()):
            reference, digest, expires = json.loads(base64.urlsafe_b64decode(body))
            if digest == _digest(arguments) and time.time() < expires and reference in self.keys:
                return str(reference)
        raise RpcError(
            -32602, "Invalid or expired requestState", data={"reason": "invalid_request_state"}
        )

    def _sign(self, body: str) -> str:
        return hmac.new(self.signing_key, body.encode(), hashlib.sha256).hexdigest()


def _digest(arguments: Any) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


def report(arguments: Any) -> dict[str, Any]:
    """What the tool is for. A real one would call its API with the key here."""
    month = str(arguments.get("month", "2026-08"))
    data = {"month": month, "revenue": 1_204_300, "currency": "EUR"}
    text = f"Revenue in {month}: EUR 1,204,300."
    return {"content": [{"type": "text", "text": text}], "structuredContent": data}


class ModernTools:
    """2026-07-28: the question is part of the result, the state travels with the caller."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def handle(self, message: Any, headers: Any) -> tuple[dict[str, Any], dict[str, str]]:
        method, params = message["method"], message.get("params") or {}
        meta = params.get("_meta") or {}
        version = meta.get(META + "protocolVersion")
        if version is None:
            raise RpcError(-32600, "This server speaks MCP 2026-07-28 only.")
        said = (headers.get("MCP-Protocol-Version"), headers.get("Mcp-Method"))
        if said != (version, method):
            raise RpcError(-32020, "The headers differ from the body.")
        if version != MODERN:
            data = {"supported": [MODERN], "requested": version}
            raise RpcError(-32022, "Unsupported protocol version", data=data)
        return {"resultType": "complete", **self._result(method, params, meta)}, {}

    def _result(self, method: str, params: Any, meta: Any) -> dict[str, Any]:
        cache = {"ttlMs": 60_000, "cacheScope": "public"}
        match method:
            case "server/discover":
                return {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, **cache}
            case "tools/list":
                return {"tools": [TOOL], **cache}
            case "tools/call":
                return self._call(params, meta.get(META + "clientCapabilities") or {})
        raise RpcError(-32601, "Method not found", status=404)

    def _call(self, params: Any, capabilities: Any) -> dict[str, Any]:
        if params.get("name") != TOOL["name"]:
            raise RpcError(-32602, "Unknown tool")
        arguments = params.get("arguments") or {}
        if params.get("requestState") is None:
            if "url" not in (capabilities.get("elicitation") or {}):
                raise RpcError(-32021, "This tool sends the user to a page", data=NEEDS_URL)
            return self._ask(self._connections.ask(), arguments)
        reference = self._connections.open(params["requestState"], arguments)
        answer = (params.get("inputResponses") or {}).get("api_key") or {}
        if answer.get("action") in {"decline", "cancel"}:
            text = "The user did not connect Acme Analytics."
            return {"content": [{"type": "text", "text": text}], "isError": True}
        if self._connections.take(reference) is None:
            return self._ask(reference, arguments)
        return report(arguments)

    def _ask(self, reference: str, arguments: Any) -> dict[str, Any]:
        asked = {"mode": "url", "message": MESSAGE, "url": self._connections.url(reference)}
        return {
            "resultType": "input_required",
            "inputRequests": {"api_key": {"method": "elicitation/create", "params": asked}},
            "requestState": self._connections.seal(reference, arguments),
        }


class LegacyTools:
    """2025-11-25: a session, and error -32042 until the person is done."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._references: dict[str, str | None] = {}

    def handle(self, message: Any, headers: Any) -> tuple[dict[str, Any], dict[str, str]]:
        method = message["method"]
        if method == "initialize":
            session = secrets.token_urlsafe(16)
            self._references[session] = None
            info = {"name": "acme-analytics", "version": "1"}
            result = {"protocolVersion": LEGACY, "capabilities": {"tools": {}}, "serverInfo": info}
            return result, {"Mcp-Session-Id": session}
        session = headers.get("Mcp-Session-Id")
        if session is None:
            raise RpcError(-32600, "No session")
        if session not in self._references:
            raise RpcError(-32600, "Unknown session", status=404)
        return self._result(method, message.get("params") or {}, session), {}

    def _result(self, method: str, params: Any, session: str) -> dict[str, Any]:
        match method:
            case "tools/list":
                return {"tools": [TOOL]}
            case "tools/call" if params.get("name") == TOOL["name"]:
                return self._call(params.get("arguments") or {}, session)
            case "tools/call":
                raise RpcError(-32602, "Unknown tool", status=200)
        raise RpcError(-32601, "Method not found", status=200)

    def _call(self, arguments: Any, session: str) -> dict[str, Any]:
        reference = self._references[session] or self._connections.ask()
        if self._connections.take(reference) is not None:
            self._references[session] = None
            return report(arguments)
        self._references[session] = reference
        url = self._connections.url(reference)
        asked = {"mode": "url", "elicitationId": reference, "message": MESSAGE, "url": url}
        raise RpcError(-32042, MESSAGE, status=200, data={"elicitations": [asked]})


class Server(ThreadingHTTPServer):
    """The MCP endpoint `/mcp` and the page `/connect`, in one process."""

    daemon_threads = True

    def __init__(self, port: int, *, legacy: bool) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.base_url = f"http://127.0.0.1:{self.server_address[1]}"
        self.connections = Connections(self.base_url)
        self.tools = (LegacyTools if legacy else ModernTools)(self.connections)


class Handler(BaseHTTPRequestHandler):
    """HTTP around the tools and the page."""

    server: Server

    def do_GET(self) -> None:
        if urlsplit(self.path).path != "/connect":
            return self._send(405, b"", {"Allow": "POST"})
        known = self._reference() in self.server.connections.keys
        return self._page(200, FORM) if known else self._page(404, "<p>This link is not valid.</p>")

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length", "0")), MAX_BODY))
        if urlsplit(self.path).path == "/mcp":
            return self._mcp(body)
        given = parse_qs(body.decode("utf-8", "replace")).get("api_key", [""])[0]
        if self.server.connections.submit(self._reference(), given):
            return self._page(200, "<p>Connected. You can go back to your chat.</p>")
        return self._page(409, "<p>This link was used already, or is not valid.</p>")

    def _reference(self) -> str:
        return parse_qs(urlsplit(self.path).query).get("ref", [""])[0]

    def _mcp(self, body: bytes) -> None:
        message: Any = None
        try:
            message = json.loads(body)
            if "id" not in message:
                return self._send(202, b"", {})
            result, headers = self.server.tools.handle(message, self.headers)
            return self._reply(200, message["id"], {"result": result}, headers)
        except RpcError as error:
            return self._reply(error.status, message["id"], {"error": error.error}, {})
        except (ValueError, KeyError, TypeError, AttributeError):
            invalid = {"code": -32600, "message": "Invalid request"}
            return self._reply(400, None, {"error": invalid}, {})

    def _reply(self, status: int, request_id: Any, said: Any, headers: dict[str, str]) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": request_id, **said}).encode()
        self._send(status, body, {"Content-Type": "application/json", **headers})

    def _page(self, status: int, inner: str) -> None:
        policy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'"
        headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
        kind = {"Content-Type": "text/html; charset=utf-8"}
        self._send(status, PAGE.format(inner).encode(), {**headers, **kind})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        length = {"Content-Length": str(len(body)), "Cache-Control": "no-store"}
        for name, value in {**headers, **length}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Paths carry references, so nothing is logged."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--legacy", action="store_true", help="speak MCP 2025-11-25 instead")
    args = parser.parse_args()
    with Server(args.port, legacy=args.legacy) as server, contextlib.suppress(KeyboardInterrupt):
        revision = LEGACY if args.legacy else MODERN
        ready = {"ready": True, "url": f"{server.base_url}/mcp", "revision": revision}
        print(json.dumps(ready), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
