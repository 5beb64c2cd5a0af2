"""The MCP SDK's own server with the same tools, measured in a process that has the SDK.

Runs in the conformance environment, apart from Parley. Reads one JSON line (tools, a tool's result,
the requests, how often) and prints the milliseconds that each kind of request took.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from mcp import types  # type: ignore[import-not-found, unused-ignore]
from mcp.server.lowlevel import Server  # type: ignore[import-not-found, unused-ignore]


def make_app(tools: list[dict[str, Any]], result: dict[str, Any]) -> Any:
    """The SDK's ASGI app: stateless, JSON answers, as Parley serves them."""
    listed = [types.Tool(**tool) for tool in tools]

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_context: Any, _params: Any) -> Any:
        return types.CallToolResult(**result)

    server = Server("bench", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    return server.streamable_http_app(json_response=True, stateless_http=True)


async def call(app: Any, headers: dict[str, str], body: bytes) -> None:
    """One request to the app, without a socket."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await asyncio.Event().wait()
        raise RuntimeError("nothing comes after the body")

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if sent[0]["status"] != 200:
        raise RuntimeError(str(sent))


async def main() -> None:
    told = json.loads(sys.stdin.readline())
    app = make_app(told["tools"], told["result"])
    took: dict[str, list[float]] = {}
    async with app.router.lifespan_context(app):
        for _ in range(told["rounds"]):
            for name, request in told["requests"].items():
                body = json.dumps(request["body"]).encode()
                start = time.perf_counter()
                await call(app, request["headers"], body)
                took.setdefault(name, []).append((time.perf_counter() - start) * 1000)
    print(json.dumps(took))


if __name__ == "__main__":
    asyncio.run(main())
