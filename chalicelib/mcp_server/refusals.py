"""Why a message is refused at the protocol's level, with the JSON-RPC code and the HTTP status.

A tool's own trouble (a bad argument value, a question already answered) is not here: that is a
result with `isError`, which a model can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any


class Code(IntEnum):
    """JSON-RPC's codes and MCP's (2026-07-28, "Error codes"; -32042 is 2025-11-25's)."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    HEADER_MISMATCH = -32020
    MISSING_CAPABILITY = -32021
    UNSUPPORTED_VERSION = -32022
    URL_ELICITATION_REQUIRED = -32042


class Refusal(Exception):
    """Ends the handling of a message; the handler turns it into the answer."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        status: int = 400,
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data
        self.headers = headers or {}


class InvalidParams(Refusal):
    """The params cannot be read as what the method needs."""

    def __init__(self, message: str, *, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(Code.INVALID_PARAMS, message, data=data)


class MissingCapability(Refusal):
    """The call needs a capability that the client did not declare, such as `elicitation.url`.

    HTTP 400 with the capability named as an object (2026-07-28, "Capabilities").
    """

    def __init__(self, capability: str) -> None:
        required: dict[str, Any] = {}
        for part in reversed(capability.split(".")):
            required = {part: required}
        message = f"The client does not declare the capability {capability}."
        super().__init__(Code.MISSING_CAPABILITY, message, data={"requiredCapabilities": required})
        self.capability = capability


def invalid_state() -> InvalidParams:
    """One text for every cause, so that a forger learns nothing."""
    return InvalidParams(
        "Invalid or expired requestState: call the tool again without it.",
        data={"reason": "invalid_request_state"},
    )
