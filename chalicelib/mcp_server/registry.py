"""What a tool is to the protocol layer. Knows nothing of Parley's own tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.domain.principal import Principal, Scope
from chalicelib.mcp_server.capabilities import Capabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call, arguments already checked against the tool's schema.

    `request_state` and `input_responses` are as the client sent them on a retry, untrusted.
    """

    tool: str
    arguments: Mapping[str, Any]
    principal: Principal
    capabilities: Capabilities
    now: datetime
    request_state: str | None = None
    input_responses: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A finished call: `text` for the model, `structured` for programs, the same facts in both.

    `content` replaces the one text block where a tool needs other blocks.
    """

    text: str = ""
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    content: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequired:
    """The call goes on after the client answered `input_requests` (or, without any, just retried).

    `elicitation_ids` names the URL entries for clients of 2025-11-25, where each has an id.
    """

    input_requests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    request_state: str | None = None
    elicitation_ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.input_requests and self.request_state is None:
            raise ValueError("input_required needs a question or a state")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Hints that clients use to decide what to ask their user about (MCP, "Tool annotations")."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool

    def to_wire(self) -> dict[str, bool]:
        """The hints under their names on the wire."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as listed and called. A principal with any of `scopes` sees it; others do not."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    call: Callable[[ToolCall], ToolResult | InputRequired]
    scopes: frozenset[Scope]
    title: str | None = None
    output_schema: Mapping[str, Any] | None = None
    annotations: Annotations | None = None

    def is_open_to(self, principal: Principal) -> bool:
        """Whether the principal may know of the tool and call it."""
        return any(principal.may(scope) for scope in self.scopes)

    def to_wire(self) -> dict[str, Any]:
        """The entry of `tools/list`."""
        optional: dict[str, Any] = {
            "title": self.title,
            "outputSchema": self.output_schema,
            "annotations": self.annotations.to_wire() if self.annotations else None,
        }
        present = {name: value for name, value in optional.items() if value is not None}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            **present,
        }
