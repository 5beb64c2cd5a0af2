"""Reads a request body as JSON, strictly and within bounds.

Stricter than `json.loads`: UTF-8 only, no NaN or infinity, no lone surrogates, and no name twice in
one object (two readers could take two different values from it).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from chalicelib.mcp_server.refusals import Code, Refusal

MAX_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 64


class _RepeatedName(Exception):
    """An object has the same name twice."""


def read_json(body: bytes) -> Any:
    """The value in `body`.

    Raises `Refusal`: 413 over `MAX_BYTES`, -32700 for what is not JSON, -32600 for JSON that nests
    deeper than `MAX_DEPTH`, repeats a name, or holds a number or a text that cannot be kept.
    """
    if len(body) > MAX_BYTES:
        message = f"The body is larger than {MAX_BYTES} bytes."
        raise Refusal(Code.INVALID_REQUEST, message, status=413)
    try:
        value = json.loads(
            body.decode(), object_pairs_hook=_unrepeated, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise _too_deep() from None
    except _RepeatedName:
        raise Refusal(Code.INVALID_REQUEST, "The body has a name twice in one object.") from None
    except ValueError:
        raise Refusal(Code.PARSE, "The body is not JSON in UTF-8.") from None
    _check_values(value)
    return value


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RepeatedName
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_values(value: Any) -> None:
    """Breadth first, so that no input can exhaust the stack."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        if not level:
            return
        for item in level:
            _check_leaf(item)
        level = [child for item in level for child in _children(item)]
    if level:
        raise _too_deep()


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _check_leaf(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise Refusal(Code.INVALID_REQUEST, "The body has a number that is out of range.")
    if isinstance(value, str) and not value.isascii() and not _is_unicode(value):
        raise Refusal(Code.INVALID_REQUEST, "The body has text that is not Unicode.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_deep() -> Refusal:
    return Refusal(Code.INVALID_REQUEST, f"The body nests deeper than {MAX_DEPTH} levels.")
