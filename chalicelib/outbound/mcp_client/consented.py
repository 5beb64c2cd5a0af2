"""What a legacy server is answered that asks inside the call (2025-11-25, `elicitation/create`).

The call stays open while the server waits, and a person needs minutes. So the first time the call
is given up and its URL reported; after the person's consent it is made again, and the same origin
is accepted, once.
"""

from __future__ import annotations

from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.urls import check_elicitation_url
from chalicelib.outbound.mcp_client.legacy import refuse_request
from chalicelib.outbound.mcp_client.results import legacy_url_request
from chalicelib.outbound.mcp_client.values import Json, UrlRequest


class StandDown(Exception):
    """The call is given up until a person has finished what `request` names."""

    def __init__(self, request: UrlRequest) -> None:
        super().__init__("a person has to act first")
        self.request = request


class Consented:
    """Answers a server's requests within one call; `origin` is what the person agreed to."""

    def __init__(self, origin: str | None) -> None:
        self._origin = origin

    def __call__(self, message: Json) -> Json:
        """The response to a request. Raises `StandDown` for a URL that nobody agreed to."""
        request = legacy_url_request(message.get("params"))
        if message["method"] != "elicitation/create" or request is None:
            return refuse_request(message)
        if self._origin is None or _origin(request.url) != self._origin:
            raise StandDown(request)
        self._origin = None
        return {"result": {"action": "accept"}}


def _origin(url: str) -> str | None:
    """Loopback is no matter here: the origin was checked when the person was asked."""
    try:
        return check_elicitation_url(url, allow_loopback_http=True).origin
    except InvalidInput:
        return None
