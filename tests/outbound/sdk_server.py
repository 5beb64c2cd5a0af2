"""An upstream server made with the official MCP SDK; runs in the SDK's own virtual environment.

    python sdk_server.py [--json]

Its tools want `url` opened first, each in a way that the SDK offers. A reference counts as finished
once it was named in a call of `finish`. Prints one JSON line when it is ready.
"""

from __future__ import annotations

import itertools
import json
import socket
import sys
from typing import Any

import uvicorn  # type: ignore[import-not-found]
from mcp.server.mcpserver import Context, MCPServer  # type: ignore[import-not-found]
from mcp.server.request_state import RequestStateSecurity  # type: ignore[import-not-found]
from mcp.shared.exceptions import UrlElicitationRequiredError  # type: ignore[import-not-found]
from mcp_types import (  # type: ignore[import-not-found]
    ElicitRequest,
    ElicitRequestURLParams,
    InputRequiredResult,
)

MESSAGE = "Please finish this first."
finished: set[str] = set()
rounds = itertools.count(1)


def finish(reference: str) -> str:
    """What the person's browser would do."""
    finished.add(reference)
    return "noted"


def _question(url: str, reference: str) -> Any:
    return ElicitRequestURLParams(message=MESSAGE, url=url, elicitation_id=reference)


def modern(url: str, reference: str, ctx: Context) -> str | InputRequiredResult:
    """2026-07-28: `input_required`, with state that the SDK seals."""
    answer = (ctx.input_responses or {}).get("page")
    if answer is not None and answer.action != "accept":
        return f"the person said {answer.action}"
    if answer is not None and reference in finished:
        return f"report {reference}; state {ctx.request_state}"
    request = ElicitRequest(params=_question(url, reference))
    return InputRequiredResult(
        input_requests={"page": request}, request_state=f"round {next(rounds)}"
    )


def required(url: str, reference: str) -> str:
    """2025-11-25: error -32042."""
    if reference not in finished:
        raise UrlElicitationRequiredError([_question(url, reference)])
    return f"report {reference}"


async def inside(url: str, reference: str, ctx: Context) -> str:
    """2025-11-25: a request on the call's own stream."""
    answer = await ctx.elicit_url(MESSAGE, url, reference)
    return f"the person said {answer.action}"


def main() -> None:
    server = MCPServer("sdk", request_state_security=RequestStateSecurity.ephemeral(audience="sdk"))
    for tool in (finish, modern, required, inside):
        server.add_tool(tool)
    app = server.streamable_http_app(json_response="--json" in sys.argv)
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(json.dumps({"port": listener.getsockname()[1]}) + "\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])


if __name__ == "__main__":
    main()
