"""Connects with the Python SDK's client and makes the calls that come in, line by line.

Runs in the conformance environment: `python python_sdk.py URL MODE`, with an API key in `MCP_KEY`.
Prints JSON lines: what was found on connecting, every page it was asked to open, every outcome.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2  # type: ignore[import-not-found, unused-ignore]
from mcp import Client, MCPError  # type: ignore[import-not-found, unused-ignore]
from mcp.client.streamable_http import (  # type: ignore[import-not-found, unused-ignore]
    streamable_http_client,
)
from mcp.types import ElicitResult  # type: ignore[import-not-found, unused-ignore]


def say(**told: Any) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


async def open_page(_context: object, params: Any) -> Any:
    say(page=params.url)
    return ElicitResult(action="accept")


async def main(url: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {os.environ['MCP_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(url, http_client=http_client)
        async with Client(transport, mode=mode, elicitation_callback=open_page) as client:
            listed = await client.list_tools()
            say(version=client.protocol_version, tools=[tool.name for tool in listed.tools])
            while line := await asyncio.to_thread(sys.stdin.readline):
                say(outcome=await outcome_of(client, json.loads(line)))


async def outcome_of(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    try:
        result = await client.call_tool(call["name"], call["arguments"])
    except MCPError as error:
        return {"code": error.error.code, "data": error.error.data}
    if result.is_error:
        return {"error": result.content[0].text}
    return {"structured": result.structured_content}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
