"""Parley's tools on the in-memory backend, called as clients call them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from chalicelib.mcp_server.arguments import argument_problems
from chalicelib.mcp_server.catalog import INSTRUCTIONS, parley_tools
from chalicelib.mcp_server.state_token import SignedSealer
from tests.mcp_server.fake_backend import FakeBackend
from tests.mcp_server.support import EVERYTHING, HOST, KEYS, NOW, Reply, make_server, modern_call

LATER = NOW + timedelta(minutes=30)


class Rig:
    """A session `s_host` of the key `runner`, and one `s_ada` of Ada's."""

    def __init__(self) -> None:
        self.time = NOW
        self.backend = FakeBackend(lambda: self.time)
        numbers = count()
        sealer = SignedSealer(KEYS)
        self.tools = parley_tools(self.backend, sealer, lambda: f"n{next(numbers)}")
        self.server = make_server(*self.tools, instructions=INSTRUCTIONS)
        self.backend.add_session("s_host", HOST)
        self.backend.add_session("s_ada", EVERYTHING)

    def pass_time(self, **duration: float) -> datetime:
        self.time += timedelta(**duration)
        return self.time

    def send(self, tool: str, arguments: Mapping[str, Any], **rest: Any) -> Reply:
        return modern_call(tool, dict(arguments), server=self.server, now=self.time, **rest)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **rest: Any) -> Any:
        """The structured result, after checking that it fits the tool's output schema."""
        result = self.send(tool, arguments or {}, **rest).result
        assert "isError" not in result, result
        schema = next(entry.output_schema for entry in self.tools if entry.name == tool)
        assert schema is not None
        assert argument_problems(schema, result["structuredContent"]) == ()
        return result["structuredContent"]

    def text(self, tool: str, arguments: Mapping[str, Any] | None = None, **rest: Any) -> str:
        text: str = self.send(tool, arguments or {}, **rest).result["content"][0]["text"]
        return text

    def complaint(self, tool: str, arguments: Mapping[str, Any], **rest: Any) -> str:
        """The text of a result with `isError`."""
        result = self.send(tool, arguments, **rest).result
        assert result["isError"] is True
        assert "structuredContent" not in result
        text: str = result["content"][0]["text"]
        return text
