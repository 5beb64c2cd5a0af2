"""Errors on the wire: one envelope, stable codes, the status that fits.

{"error": {"code": "...", "message": "...", "fields": [{"path", "message"}], "details": {...}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.domain import errors
from chalicelib.domain.errors import ParleyError


class MalformedBody(ParleyError):
    """The body cannot be read at all."""

    code = "malformed_body"


class UnsupportedMediaType(ParleyError):
    """The body is of a kind that this route does not take."""

    code = "unsupported_media_type"


class MethodNotAllowed(ParleyError):
    """The path exists, the method does not."""

    code = "method_not_allowed"


STATUSES: Final[tuple[tuple[type[ParleyError], int], ...]] = (
    (MalformedBody, 400),
    (errors.Unauthenticated, 401),
    (errors.Forbidden, 403),
    (errors.NotFound, 404),
    (MethodNotAllowed, 405),
    (errors.Conflict, 409),
    (errors.Gone, 410),
    (errors.TooLarge, 413),
    (UnsupportedMediaType, 415),
    (errors.InvalidInput, 422),
    (errors.RateLimited, 429),
    (errors.TryAgain, 503),
)

RETRY_AFTER: Final = {errors.TryAgain: "2"}
"""Seconds that a caller is asked to wait."""


def status_of(error: ParleyError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in STATUSES if isinstance(error, kind))


def envelope(error: ParleyError) -> dict[str, Any]:
    """The body of an error."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.fields:
        told["fields"] = [{"path": f.path or '""', "message": f.message} for f in error.fields]
    if error.details:
        told["details"] = error.details
    return {"error": told}


def headers_of(error: ParleyError) -> Mapping[str, str]:
    """Headers that a caller needs to act on the error."""
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="parley"'}
    if isinstance(error, errors.RateLimited):
        return {"Retry-After": str(error.retry_after)}
    if isinstance(error, errors.TryAgain):
        return {"Retry-After": RETRY_AFTER[errors.TryAgain]}
    return {}


SERVER_ERROR: Final = {
    "error": {"code": "server_error", "message": "Something went wrong here; it was recorded."}
}
