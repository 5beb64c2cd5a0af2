"""Query parameters of lists. Every list is bounded."""

from __future__ import annotations

from chalicelib.api.http import Request
from chalicelib.domain.errors import FieldProblem, InvalidInput

DEFAULT_LIMIT = 50
MAX_LIMIT = 100


def limit_of(request: Request) -> int:
    """`limit`, 1..100, 50 by default."""
    limit = number_of(request, "limit", default=DEFAULT_LIMIT)
    if not 1 <= limit <= MAX_LIMIT:
        message = f"must be from 1 to {MAX_LIMIT}"
        raise InvalidInput(f"limit: {message}", fields=[FieldProblem("limit", message)])
    return limit


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
