"""A request as plain values, and answers as Chalice takes them.

The raw body is parsed here and not by Chalice, whose parsing depends on the exact spelling of the
content type and answers in a shape of its own (chalice.md 4.4).
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from chalice.app import Response

from chalicelib.api.problems import MalformedBody, UnsupportedMediaType
from chalicelib.domain.errors import InvalidInput, TooLarge

BODY_LIMIT: Final = 256 * 1024
"""Bytes of a request body; API Gateway would let 10 MB through."""

DEEPEST: Final = 40
"""Levels of nesting in a JSON body."""

OURS: Final = {"X-Parley": "1", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""On every answer. `X-Parley` tells a probe that it reached Parley and not something else."""


@dataclass(frozen=True, slots=True)
class Request:
    """What views work on. Header names are lower-case; of repeated query keys the last one
    counts."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    source_ip: str
    request_id: str

    def json_object(self) -> dict[str, Any]:
        """The body as a JSON object. Raises 400, 413, 415 and 422 problems."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind and kind != "application/json" and not kind.endswith("+json"):
            raise UnsupportedMediaType("Send JSON, with Content-Type: application/json.")
        value = parse_json(self._bounded())
        if not isinstance(value, dict):
            raise InvalidInput("The body must be a JSON object.")
        return value

    def optional_json_object(self) -> dict[str, Any]:
        """Like `json_object`, but no body is an empty object."""
        return self.json_object() if self.body.strip() else {}

    def form(self) -> dict[str, list[str]]:
        """The fields of a urlencoded form post. Raises 400, 413 and 415 problems."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise UnsupportedMediaType("Send a form post.")
        try:
            text = self._bounded().decode("ascii")
            return parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=1_000)
        except ValueError as error:
            raise MalformedBody("The form post cannot be read.") from error

    def cookie(self, name: str) -> str | None:
        """The value of a cookie."""
        for part in self.headers.get("cookie", "").split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
        return None

    def _bounded(self) -> bytes:
        if len(self.body) > BODY_LIMIT:
            raise TooLarge(f"The body is over {BODY_LIMIT // 1024} KiB.")
        return self.body


def parse_json(body: bytes) -> Any:
    """JSON with exact numbers; refuses NaN, infinities, duplicate names, halves of characters
    (lone surrogates, which nothing downstream can store or send) and absurd nesting."""
    if not body.strip():
        raise MalformedBody("The body is empty; JSON is expected.")
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_constant=_refuse,
            parse_float=_finite,
            object_pairs_hook=_no_duplicates,
        )
        if b"\\ud" in body.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise MalformedBody("The body is not valid JSON.") from error
    if _is_deeper(value, DEEPEST):
        raise MalformedBody(f"The body is nested deeper than {DEEPEST} levels.")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        _refuse(text[:20])
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name appears twice in one object")
    return made


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [
            child
            for parent in layer
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not layer:
            return False
    return True


def from_event(event: Mapping[str, Any]) -> Request:
    """The request in an API Gateway REST proxy event."""
    context = event.get("requestContext") or {}
    raw = event.get("body") or ""
    encoded = bool(event.get("isBase64Encoded"))
    headers = event.get("multiValueHeaders") or {}
    query = event.get("multiValueQueryStringParameters") or {}
    return Request(
        method=str(event.get("httpMethod") or ""),
        path=str(event.get("path") or ""),
        headers={name.lower(): str(values[-1]) for name, values in headers.items() if values}
        or {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()},
        query={name: str(values[-1]) for name, values in query.items() if values},
        body=base64.b64decode(raw) if encoded else raw.encode("utf-8", "surrogatepass"),
        source_ip=str((context.get("identity") or {}).get("sourceIp") or ""),
        request_id=str(context.get("requestId") or ""),
    )


def json_answer(
    status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer with our headers."""
    return answer(status, json.dumps(body, ensure_ascii=False), "application/json", headers)


def answer(
    status: int,
    body: str,
    content_type: str,
    headers: Mapping[str, str | list[str]] | None = None,
) -> Response:
    """Any text answer with our headers; those given win."""
    own = {"Content-Type": content_type}
    return Response(body=body, status_code=status, headers={**OURS, **own, **(headers or {})})


def no_content() -> Response:
    """204. Chalice would send the text `null` for a body of None."""
    return Response(body="", status_code=204, headers=dict(OURS))
