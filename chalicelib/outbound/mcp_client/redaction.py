"""Keeps the credentials that Parley sends to a server out of what comes back from it.

A server that echoes its request headers, in an error or in a result, must not show them to the
agent or to a log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from chalicelib.outbound.mcp_client.values import (
    CallOutcome,
    Completed,
    Failed,
    FailureKind,
    UrlElicitationsRequired,
)

REDACTED: Final = "[redacted]"
_SHORTEST: Final = 6
"""Shorter values (a region, a flag) are no secrets, and taking them out would garble texts."""


class Redactor:
    """Replaces every header value, and the token of `Bearer <token>`, wherever it appears."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        values = {value.strip() for value in headers.values()}
        values |= {value.rpartition(" ")[2] for value in values}
        secrets = sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, secrets))) if secrets else None

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        return self._pattern.sub(REDACTED, text) if self._pattern else text

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets, in keys too."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.text(key): self.value(item) for key, item in value.items()}
        return value

    def outcome(self, outcome: CallOutcome) -> CallOutcome:
        """A call's outcome without the secrets. Request state stays byte-exact, since only the
        server sees it again; a URL must stay so too, so one with a secret in it fails the call."""
        match outcome:
            case Completed(result):
                return Completed(self.value(result))
            case Failed():
                return replace(outcome, message=self.text(outcome.message))
            case UrlElicitationsRequired(requests):
                if any(self.text(request.url) != request.url for request in requests):
                    message = "the server asks to show a URL with Parley's credentials in it"
                    return Failed(FailureKind.PROTOCOL, message)
                told = tuple(replace(r, message=self.value(r.message)) for r in requests)
                return replace(outcome, requests=told)
