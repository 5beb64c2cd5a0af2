"""Why an outbound request brought no usable answer."""

from __future__ import annotations

from enum import StrEnum


class OutboundProblem(StrEnum):
    """What went wrong, coarsely enough to act on."""

    REFUSED = "refused"  # by us: origin, address or redirect not allowed
    UNREACHABLE = "unreachable"  # no name, no connection, no TLS
    TIMED_OUT = "timed_out"
    TOO_LARGE = "too_large"
    BROKEN = "broken"  # not HTTP, or cut off


class OutboundFailure(Exception):
    """A request failed. `sent` is true when the other side may have acted on it.

    The message names no header, no path and no body.
    """

    def __init__(self, problem: OutboundProblem, message: str, *, sent: bool = False) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message
        self.sent = sent
