"""Everything that can go wrong for a reason that a caller can act on.

Each error has a stable `code` (part of the API, never renamed). Which HTTP status or JSON-RPC code
it becomes is decided at the edges: `api/problems.py` and `mcp_server/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One thing wrong with one part of an input; `path` names it as `a.b[0]`."""

    path: str
    message: str


class ParleyError(Exception):
    """Base of every error a caller can act on.

    `fields` names the parts of the input at fault; `details` carries data that the caller needs to
    go on, such as the answer that won.
    """

    code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        fields: Sequence[FieldProblem] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.fields = tuple(fields)
        self.details = details or {}


class InvalidInput(ParleyError):
    """The input has the wrong shape or an unusable value."""

    code = "invalid_input"


class InvalidSchema(InvalidInput):
    """`requestedSchema` is outside the form dialect of MCP."""

    code = "invalid_schema"


class InvalidContent(InvalidInput):
    """An answer's content does not fit the question's schema."""

    code = "invalid_content"


class TooLarge(ParleyError):
    """A part of the input is over its limit; the message names the limit."""

    code = "too_large"


class Unauthenticated(ParleyError):
    """No credential, or one that is wrong, expired or revoked."""

    code = "unauthenticated"


class Forbidden(ParleyError):
    """The credential is good but does not reach this."""

    code = "forbidden"


class NotFound(ParleyError):
    """No such thing, or not one that this caller may know of."""

    code = "not_found"


class Conflict(ParleyError):
    """The request does not fit the state that the thing is in."""

    code = "conflict"


class RequestIdReused(Conflict):
    """The same request id came with another body."""

    code = "request_id_reused"


class AlreadyAnswered(Conflict):
    """Another answer was recorded first; `details` carries it."""

    code = "already_answered"


class SessionEnded(Conflict):
    """The session is archived or failed: nobody is there to ask."""

    code = "session_ended"


class TooManyLive(Conflict):
    """The session has as many live elicitations as one session may have."""

    code = "too_many_live"


class Gone(ParleyError):
    """The time for this has passed; `details` says what happened."""

    code = "gone"


class DeadlinePassed(Gone):
    """The elicitation's deadline passed before the answer came."""

    code = "deadline_passed"


class Withdrawn(Gone):
    """The asker or the host took the question back."""

    code = "withdrawn"


class RateLimited(ParleyError):
    """Too many tries; `retry_after` is in seconds."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message, details={"retry_after": retry_after})
        self.retry_after = retry_after


class TryAgain(ParleyError):
    """Storage is busy or unreachable; nothing is lost by trying again."""

    code = "try_again"
