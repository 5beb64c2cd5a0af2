"""Query parameters of lists. Every list is bounded."""

from __future__ import annotations

import re
from typing import Final

from chalicelib.api.http import Request
from chalicelib.domain.errors import FieldProblem, InvalidInput

DEFAULT_LIMIT = 50
MAX_LIMIT = 100

_CURSOR: Final = re.compile(r"[0-9]{15}\.[A-Za-z0-9_-]{1,128}", re.ASCII)


def limit_of(request: Request) -> int:
    """`limit`, 1..100, 50 by default."""
    limit = number_of(request, "limit", default=DEFAULT_LIMIT)
    if not 1 <= limit <= MAX_LIMIT:
        message = f"must be from 1 to {MAX_LIMIT}"
        raise InvalidInput(f"limit: {message}", fields=[FieldProblem("limit", message)])
    return limit


def cursor_of(request: Request) -> str | None:
    """`after`: the `next` of the page before. Raises `InvalidInput` for what is no cursor of
    ours."""
    raw = request.query.get("after")
    if raw is not None and not _CURSOR.fullmatch(raw):
        message = "must be the `next` of the page before"
        raise InvalidInput(f"after: {message}", fields=[FieldProblem("after", message)])
    return raw


def number_of(request: Request, *names: str, default: int = 0) -> int:
    """The first of the named query parameters that is given, a whole number of at least 0."""
    for name in names:
        raw = request.query.get(name)
        if raw is None:
            continue
        if raw.isascii() and raw.isdigit() and len(raw) <= 12:
            return int(raw)
        message = "must be a whole number of at least 0"
        raise InvalidInput(f"{name}: {message}", fields=[FieldProblem(name, message)])
    return default
