"""What the command asks the service over HTTP: a session's variables and system-prompt block."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

from chalicelib.domain.errors import InvalidInput, NotFound, ParleyError, TryAgain, Unauthenticated

TIMEOUT: Final = 10.0
"""Seconds to connect and for each read."""

MAX_ANSWER: Final = 262_144


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the API key to wherever it points."""

    def redirect_request(self, *_: object) -> None:
        """Never."""


@dataclass(frozen=True, slots=True)
class Service:
    """One instance, one key, one session."""

    base_url: str
    session_id: str
    api_key: str = field(repr=False)

    def variables(self) -> dict[str, Any]:
        """The session's five variables."""
        env = self._get("env").get("env")
        if not isinstance(env, dict):
            raise InvalidInput(f"{self.base_url} did not answer with a session's variables")
        return env

    def system_prompt(self) -> str | None:
        """The block for the session's system prompt; None when it needs none."""
        block = self._get("system-prompt").get("text")
        return block if isinstance(block, str) and block else None

    def _get(self, what: str) -> dict[str, Any]:
        """GET one of the session's sub-resources. Raises `TryAgain` when the service cannot be
        reached, and what fits its refusal otherwise."""
        path = f"/api/v1/sessions/{quote(self.session_id, safe='')}/{what}"
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked just below
            self.base_url.rstrip("/") + path,
            headers={"X-API-Key": self.api_key, "Accept": "application/json"},
        )
        if urlsplit(self.base_url).scheme not in {"http", "https"}:
            raise InvalidInput("the base URL is not an http(s) URL")
        opener = urllib.request.build_opener(_NoRedirects)
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                body = json.loads(answer.read(MAX_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error.code) from error
        except OSError as error:
            raise TryAgain(f"{self.base_url} cannot be reached: {_reason(error)}") from error
        except ValueError as error:
            raise InvalidInput(f"{self.base_url} did not answer with JSON") from error
        if not isinstance(body, dict):
            raise InvalidInput(f"{self.base_url} did not answer with a JSON object")
        return body

    def _refusal(self, status: int) -> ParleyError:
        if status in {401, 403}:
            return Unauthenticated(f"{self.base_url} does not accept the API key ({status})")
        if status == 404:
            return NotFound(f"{self.base_url} knows no session {self.session_id}")
        if status >= 500 or status == 429:
            return TryAgain(f"{self.base_url} answered {status}")
        return InvalidInput(f"{self.base_url} answered {status}")


def _reason(error: OSError) -> str:
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__
