"""What goes back over HTTP: a status, headers and a JSON-RPC body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.mcp_server.refusals import Refusal

RequestId = str | int

_JSON: Final = {"Content-Type": "application/json", "Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """One HTTP answer; `body` is JSON text, or empty with 202."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


def accepted() -> McpAnswer:
    """For a notification: taken, nothing to say."""
    return McpAnswer(202, {"Cache-Control": "no-store"})


def result_answer(
    request_id: RequestId, result: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> McpAnswer:
    """A JSON-RPC result."""
    body = {"jsonrpc": "2.0", "id": request_id, "result": result}
    return McpAnswer(200, {**_JSON, **(headers or {})}, _dump(body))


def refusal_answer(
    request_id: RequestId | None, refusal: Refusal, *, status: int | None = None
) -> McpAnswer:
    """A JSON-RPC error; the id is null when the request's own could not be read.

    `status` overrides the refusal's own HTTP status.
    """
    error: dict[str, Any] = {"code": int(refusal.code), "message": refusal.message}
    if refusal.data is not None:
        error["data"] = refusal.data
    body = {"jsonrpc": "2.0", "id": request_id, "error": error}
    return McpAnswer(status or refusal.status, {**_JSON, **refusal.headers}, _dump(body))


def _dump(body: Mapping[str, Any]) -> str:
    return json.dumps(body, separators=(",", ":"), allow_nan=False)
