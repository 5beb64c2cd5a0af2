"""HTTP as plain values, between the socket (`server.py`) and the gateway (`gateway.py`)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request as it came over the wire; `target` is the undecoded request target."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes = b""
    source_ip: str = "127.0.0.1"
    protocol: str = "HTTP/1.1"


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One answer; a streamed body has no `Content-Length` header."""

    status: int
    headers: list[tuple[str, str]]
    body: Iterable[bytes] = ()


def problem(
    status: int, code: str, message: str, *, headers: Sequence[tuple[str, str]] = ()
) -> HttpResponse:
    """An error in the service's envelope, for what never reaches the app."""
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    own = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Parley", "1"),
    ]
    return HttpResponse(status, [*own, *headers], [body])


def to_http(result: Mapping[str, Any]) -> HttpResponse:
    """The HTTP answer of a proxy result; raises `KeyError` or `ValueError` for a malformed one."""
    body = result.get("body") or ""
    raw = base64.b64decode(body) if result.get("isBase64Encoded") else body.encode()
    multi: Mapping[str, list[str]] = result.get("multiValueHeaders") or {}
    single: Mapping[str, str] = result.get("headers") or {}
    listed = {name.lower() for name in multi}
    headers = [(name, value) for name, value in single.items() if name.lower() not in listed]
    headers += [(name, value) for name, values in multi.items() for value in values]
    status = int(result["statusCode"])
    if status not in {204, 304}:
        headers = [pair for pair in headers if pair[0].lower() != "content-length"]
        headers.append(("Content-Length", str(len(raw))))
    return HttpResponse(status, headers, [raw])
