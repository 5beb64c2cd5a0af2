"""What a tool call came to, as the journal, the conversation and the final word tell it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.domain.cards import informational
from chalicelib.domain.turn import AskedUrl, Told, ToolCall

RESULT_LIMIT: Final = 64 * 1024
"""Characters of a result as JSON in the journal (a row holds 400 KB)."""

EXCERPT_LIMIT: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A finished call. `content` are MCP content parts; `error` says in words what went wrong."""

    is_ok: bool
    content: tuple[Mapping[str, Any], ...] = ()
    structured: Any = None
    error: str | None = None
    status: str = ""

    def as_data(self) -> dict[str, Any]:
        """The members of `tool.completed` that the result decides."""
        told: dict[str, Any] = {
            "success": self.is_ok,
            "status": self.status or ("success" if self.is_ok else "error"),
        }
        if self.content:
            told["result"] = [dict(part) for part in self.content]
        if self.structured is not None:
            told["structured_content"] = self.structured
        if self.error is not None:
            told["error"] = self.error
        return told

    def told(self, tool: str) -> Told:
        """For the turn's final word."""
        text = self.error if self.error is not None else text_of(self.content)
        return Told(tool, self.is_ok, _cut(text, EXCERPT_LIMIT))


def from_upstream(result: Mapping[str, Any]) -> ToolResult:
    """An MCP `tools/call` result, bounded; what is too long is cut and says so."""
    parts = result.get("content")
    listed = parts if isinstance(parts, list) else []
    content = tuple(part for part in listed if isinstance(part, dict))
    structured = result.get("structuredContent")
    if len(json.dumps([content, structured])) > RESULT_LIMIT:
        text = _cut(text_of(content) or json.dumps(structured), RESULT_LIMIT // 2)
        content, structured = (text_part(text),), None
    failed = result.get("isError") is True
    error = _cut(text_of(content), EXCERPT_LIMIT) or "the tool failed" if failed else None
    return ToolResult(is_ok=not failed, content=content, structured=structured, error=error)


def failed(message: str) -> ToolResult:
    """A call without a result."""
    return ToolResult(is_ok=False, error=_cut(message, EXCERPT_LIMIT))


def elicited(wish: ToolCall, asked: Sequence[AskedUrl], *, declined: bool = False) -> ToolResult:
    """The result of a call whose server wants a person: one payload for each URL (seed, "Clients
    that cannot pause"). It is a success: nothing went wrong."""
    payloads = [
        informational(
            server=wish.server,
            tool=wish.tool,
            message=one.message,
            link=one.link,
            declined=declined,
        )
        for one in asked
    ]
    return ToolResult(is_ok=True, content=tuple(text_part(json.dumps(one)) for one in payloads))


def text_part(text: str) -> dict[str, Any]:
    """A text as a content part."""
    return {"type": "text", "text": text}


def text_of(content: Sequence[Mapping[str, Any]]) -> str:
    """The texts among content parts, one after the other."""
    return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 20]} [... cut short]"
