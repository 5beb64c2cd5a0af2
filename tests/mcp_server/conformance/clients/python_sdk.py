"""Connects with the Python SDK's client and calls what standard input lists.

Runs in the conformance environment: `python python_sdk.py URL MODE`. Prints one JSON report.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import Client, MCPError  # type: ignore[import-not-found, unused-ignore]
from mcp.types import ElicitResult  # type: ignore[import-not-found, unused-ignore]


async def main(url: str, mode: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    pages: list[str] = []

    async def open_page(_context: object, params: Any) -> Any:
        pages.append(params.url)
        return ElicitResult(action="accept")

    async with Client(url, mode=mode, elicitation_callback=open_page) as client:
        listed = await client.list_tools()
        outcomes = [await outcome_of(client, call) for call in calls]
        return {
            "version": client.protocol_version,
            "tools": [tool.name for tool in listed.tools],
            "outcomes": outcomes,
            "pages": pages,
        }


async def outcome_of(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    try:
        result = await client.call_tool(call["name"], call["arguments"])
    except MCPError as error:
        return {"code": error.error.code, "data": error.error.data}
    if result.is_error:
        return {"error": result.content[0].text}
    return {"structured": result.structured_content}


if __name__ == "__main__":
    report = asyncio.run(main(sys.argv[1], sys.argv[2], json.load(sys.stdin)))
    sys.stdout.write(json.dumps(report))
