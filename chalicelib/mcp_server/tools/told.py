"""The result of a tool that shows one elicitation."""

from __future__ import annotations

from datetime import datetime

from chalicelib.domain.elicitation import Elicitation
from chalicelib.mcp_server.registry import ToolResult
from chalicelib.mcp_server.untrusted import NOTE
from chalicelib.mcp_server.views import elicitation_fields, elicitation_lines


def told_elicitation(heading: str, elicitation: Elicitation, now: datetime) -> ToolResult:
    """`heading` is Parley's own word on what just happened."""
    fields = elicitation_fields(elicitation, now)
    text = f"{heading} {elicitation_lines(fields)}\n\n{NOTE}"
    return ToolResult(text=text, structured={"elicitation": fields})
