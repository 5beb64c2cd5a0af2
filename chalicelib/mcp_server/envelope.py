"""Tells requests, notifications and responses apart, and checks the JSON-RPC envelope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.mcp_server.answers import RequestId
from chalicelib.mcp_server.refusals import Code, InvalidParams, Refusal
from chalicelib.mcp_server.revisions import META_VERSION

MAX_ID_CHARACTERS: Final = 256
MAX_ID_NUMBER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants an answer. `params` is as sent, not yet known to be an object."""

    id: RequestId
    method: str
    raw_params: Any

    @property
    def params(self) -> Mapping[str, Any]:
        """The params, {} when absent; raises `InvalidParams` when they are not an object."""
        if self.raw_params is None:
            return {}
        if not isinstance(self.raw_params, dict):
            raise InvalidParams("params must be an object.")
        return self.raw_params

    @property
    def meta(self) -> Mapping[str, Any] | None:
        """`params._meta` when it is an object."""
        meta = self.raw_params.get("_meta") if isinstance(self.raw_params, dict) else None
        return meta if isinstance(meta, dict) else None

    @property
    def names_version(self) -> bool:
        """Whether the request carries a protocol version: the mark of the modern revisions."""
        return self.meta is not None and META_VERSION in self.meta


@dataclass(frozen=True, slots=True)
class Notification:
    """A message without an id: it gets no answer."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to something that was never asked here: this server sends no requests."""


def read_message(value: Any) -> Request | Notification | Response:
    """Raises `Refusal` -32600 for a batch, a wrong `jsonrpc`, no method, or an unusable id."""
    if not isinstance(value, dict):
        raise _invalid("The body must be one JSON-RPC message.")
    if value.get("jsonrpc") != "2.0":
        raise _invalid('jsonrpc must be "2.0".')
    if "method" not in value and ("result" in value or "error" in value):
        return Response()
    method = value.get("method")
    if not isinstance(method, str):
        raise _invalid("method must be a string.")
    if "id" not in value:
        return Notification()
    return Request(_read_id(value["id"]), method, value.get("params"))


def _read_id(value: Any) -> RequestId:
    if isinstance(value, str) and len(value) <= MAX_ID_CHARACTERS:
        return value
    if type(value) is int and abs(value) <= MAX_ID_NUMBER:
        return value
    raise _invalid(
        f"id must be a string of at most {MAX_ID_CHARACTERS} characters or a 64-bit integer."
    )


def _invalid(message: str) -> Refusal:
    return Refusal(Code.INVALID_REQUEST, message)
