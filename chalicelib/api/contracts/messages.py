"""Bodies of messages, consents and upstream servers."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chalicelib.domain.turn import MAX_CALLS, ToolCall
from chalicelib.domain.upstream import DEFAULT_HEADER
from chalicelib.usecases.post_message import Posted

TEXT_LIMIT = 32_000
ARGUMENTS_LIMIT = 16_384
CONTROLS_LIMIT = 16_384
"""Bytes as JSON; a turn's row holds the arguments of all its calls."""

_Name = Annotated[str, Field(min_length=1, max_length=200)]


def _bounded(value: Any, limit: int) -> Any:
    if len(json.dumps(value)) > limit:
        message = f"must be at most {limit} bytes as JSON"
        raise ValueError(message)
    return value


class _TextPart(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]
    text: Annotated[str, Field(min_length=1, max_length=TEXT_LIMIT)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: Literal["user"]
    content: Annotated[list[_TextPart], Field(min_length=1, max_length=20)]


class _Call(BaseModel):
    model_config = ConfigDict(extra="forbid")

    server: _Name
    tool: _Name
    arguments: dict[str, Any] = {}

    @field_validator("arguments")
    @classmethod
    def _small(cls, value: dict[str, Any]) -> dict[str, Any]:
        return dict(_bounded(value, ARGUMENTS_LIMIT))


class PostMessage(BaseModel):
    """A user's message; `calls` are for the driver `direct`."""

    model_config = ConfigDict(extra="forbid")

    message: _Message
    calls: Annotated[list[_Call], Field(max_length=MAX_CALLS)] = []
    controls: dict[str, Any] = {}

    @field_validator("controls")
    @classmethod
    def _small(cls, value: dict[str, Any]) -> dict[str, Any]:
        return dict(_bounded(value, CONTROLS_LIMIT))

    def posted(self) -> Posted:
        """As the use case takes it."""
        return Posted(
            text="\n".join(part.text for part in self.message.content),
            calls=tuple(ToolCall(c.server, c.tool, c.arguments) for c in self.calls),
            controls=self.controls,
        )


class Consent(BaseModel):
    """The decision alone. What it applies to is read from the card, so other members are passed
    over (seed)."""

    model_config = ConfigDict(extra="ignore")

    tool_call_id: Annotated[str, Field(min_length=1, max_length=100)]
    action: Literal["accept", "decline"]


class Server(BaseModel):
    """An upstream server. `credential` names a stored secret of the operator's."""

    model_config = ConfigDict(extra="forbid")

    name: _Name
    url: Annotated[str, Field(min_length=1, max_length=2048)]
    protocol_mode: Literal["auto", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] = "auto"
    credential: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")] = DEFAULT_HEADER
