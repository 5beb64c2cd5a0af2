"""`withdraw_elicitation`: take a question back."""

from __future__ import annotations

from functools import partial

from chalicelib.domain.principal import Scope
from chalicelib.mcp_server.backend import Elicitations
from chalicelib.mcp_server.registry import Annotations, Tool, ToolCall, ToolResult
from chalicelib.mcp_server.schemas import ELICITATION, REQUEST_ID, arguments, one
from chalicelib.mcp_server.tools.told import told_elicitation


def withdraw_elicitation(backend: Elicitations) -> Tool:
    """For hosts; nobody can answer afterwards, which is what `destructive` warns of."""
    return Tool(
        name="withdraw_elicitation",
        title="Take a question back",
        description=(
            "Takes back a live elicitation of your own session, when its answer is of no use any "
            "more. It ends as cancel; people see that it was withdrawn and can no longer answer."
        ),
        input_schema=arguments({"request_id": REQUEST_ID}, required=("request_id",)),
        output_schema=one("elicitation", ELICITATION),
        annotations=Annotations(
            read_only=False, destructive=True, idempotent=True, open_world=False
        ),
        scopes=frozenset({Scope.HOST}),
        call=partial(_call, backend),
    )


def _call(backend: Elicitations, call: ToolCall) -> ToolResult:
    withdrawn = backend.withdraw(principal=call.principal, request_id=call.arguments["request_id"])
    return told_elicitation("Withdrawn.", withdrawn, call.now)
