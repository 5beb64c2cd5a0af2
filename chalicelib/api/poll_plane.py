"""The second, small REST API: the asker's poll and nothing else (design section 4).

It has its own function, so that nothing the main API does can throttle a poll. It reads the proxy
event itself: Chalice routes only the main API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.api.asking import bare_asker, poll, token_asker
from chalicelib.api.endpoint import guarded
from chalicelib.api.http import Request, from_event
from chalicelib.api.needs import Needs
from chalicelib.api.problems import MethodNotAllowed
from chalicelib.domain.errors import NotFound

if TYPE_CHECKING:
    from chalice.app import Response


def answer_poll(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """A proxy event of the poll API to its proxy answer."""
    request = from_event(event)
    parameters = event.get("pathParameters") or {}
    response = guarded(lambda: _poll(request, parameters, needs), request, needs)
    return {
        "statusCode": response.status_code,
        "headers": {name: str(value) for name, value in response.headers.items()},
        "body": response.body,
        "isBase64Encoded": False,
    }


def _poll(request: Request, parameters: Mapping[str, str], needs: Needs) -> Response:
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("Only GET is served here.")
    request_id, token = parameters.get("request_id"), parameters.get("token")
    if not request_id:
        raise NotFound("There is no such path.")
    if token:
        return poll(request, needs, request_id, lambda: token_asker(needs, token, polling=True))
    return poll(request, needs, request_id, lambda: bare_asker(request, needs))
