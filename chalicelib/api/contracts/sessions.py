"""Bodies of the session routes."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from chalicelib.domain.session import HostStatus
from chalicelib.usecases.sessions import Opening, Patch

TITLE_LIMIT = 200
BAG_LIMIT = 16_384
"""Bytes of `hints` and of `metadata`, as JSON."""

_Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
_Title = Annotated[str, Field(max_length=TITLE_LIMIT)]
_Server = Annotated[str, Field(min_length=1, max_length=100)]
_Servers = Annotated[list[_Server], Field(max_length=100)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)

    @field_validator("hints", "metadata", check_fields=False)
    @classmethod
    def _bounded(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None and len(json.dumps(value)) > BAG_LIMIT:
            message = f"must be at most {BAG_LIMIT} bytes as JSON"
            raise ValueError(message)
        return value


class Open(_Body):
    """Open a session; with `id` the call can be repeated."""

    id: _Id | None = None
    title: _Title | None = None
    agent_id: Annotated[str, Field(max_length=200)] | None = None
    hints: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    mcp_servers: _Servers | None = None

    def opening(self) -> Opening:
        """As the use case takes it; None counts as absent everywhere."""
        return Opening(
            id=self.id,
            title=self.title,
            agent_id=self.agent_id,
            hints=self.hints or {},
            metadata=self.metadata or {},
            mcp_servers=tuple(self.mcp_servers or ()),
        )


class Change(_Body):
    """Change a session; absent and null leave a field alone."""

    status: HostStatus | None = None
    title: _Title | None = None
    hints: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    mcp_servers: _Servers | None = None

    def patch(self) -> Patch:
        """As the use case takes it."""
        return Patch(
            status=self.status,
            title=self.title,
            hints=self.hints,
            metadata=self.metadata,
            mcp_servers=None if self.mcp_servers is None else tuple(self.mcp_servers),
        )
