"""The MCP request headers, and their agreement with the body (2026-07-28, "Transports").

Names are case-insensitive, values are not; blanks around a value do not count.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

from chalicelib.mcp_server.envelope import Request
from chalicelib.mcp_server.refusals import Code, Refusal
from chalicelib.mcp_server.revisions import (
    META_VERSION,
    METHOD_HEADER,
    NAME_HEADER,
    VERSION_HEADER,
)

_BASE64_FORM: Final = re.compile(r"=\?base64\?(.*)\?=")


class Headers:
    """Request headers by name in any case. A header sent twice reads as HTTP joins it: `a, b`."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._values: dict[str, str] = {}
        for name, value in headers.items():
            key, text = name.lower(), value.strip(" \t")
            self._values[key] = f"{self._values[key]}, {text}" if key in self._values else text

    def get(self, name: str) -> str | None:
        """The value, or None when the header is absent."""
        return self._values.get(name.lower())


def check_agreement(request: Request, headers: Headers) -> None:
    """Version, method and, for a tool call, the tool's name stand in headers as in the body.

    Raises `Refusal` -32020, also for a header that is missing. A name that is no string in the body
    is left to the checks of the params.
    """
    _check(headers, VERSION_HEADER, (request.meta or {}).get(META_VERSION))
    _check(headers, METHOD_HEADER, request.method)
    if request.method == "tools/call":
        name = request.params.get("name")
        if isinstance(name, str):
            _check_name(headers, name)


def _check(headers: Headers, header: str, expected: object) -> None:
    if headers.get(header) != expected:
        raise _mismatch(header)


def _check_name(headers: Headers, name: str) -> None:
    sent = headers.get(NAME_HEADER)
    encoded = _BASE64_FORM.fullmatch(sent) if sent is not None else None
    if (_decode(encoded[1]) if encoded else sent) != name:
        raise _mismatch(NAME_HEADER)


def _decode(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _mismatch(header: str) -> Refusal:
    return Refusal(
        Code.HEADER_MISMATCH, f"The header {header} is missing or differs from the body."
    )
