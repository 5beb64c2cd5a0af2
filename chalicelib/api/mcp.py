"""`/mcp`: Parley as an MCP server. The protocol is `mcp_server`'s; here are HTTP and the key.

Browsers may call it from the allowed origins only (MCP, "Security warning": DNS rebinding), so CORS
is answered for exactly those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import OURS, Request
from chalicelib.domain.errors import Unauthenticated

if TYPE_CHECKING:
    from chalicelib.api.needs import Needs
    from chalicelib.domain.principal import Principal

METHODS: Final = ["POST", "GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"]
"""All of them, so that 405 and 403 are the protocol's and not the gateway's."""

SENT_HEADERS: Final = (
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, "
    "mcp-session-id, x-api-key"
)
READ_HEADERS: Final = "mcp-session-id, www-authenticate"
PREFLIGHT_SECONDS: Final = 600


def mcp_routes(needs: Needs) -> Blueprint:
    """The one path of the MCP server."""
    routes = Blueprint(__name__)

    @routes.route("/mcp", methods=METHODS, content_types=ANY_CONTENT_TYPE)
    @endpoint(routes, needs)
    def mcp(request: Request) -> Response:
        return _preflight(request, needs) if request.method == "OPTIONS" else _call(request, needs)

    return routes


def _call(request: Request, needs: Needs) -> Response:
    from chalicelib.mcp_server.handler import handle

    answer = handle(
        request.method,
        request.headers,
        request.body,
        principal=_principal(request, needs),
        server=needs.mcp,
        now=needs.clock(),
    )
    headers: dict[str, str | list[str]] = {
        **OURS,
        **answer.headers,
        **_cors(request, needs),
    }
    return Response(body=answer.body, status_code=answer.status, headers=headers)


def _principal(request: Request, needs: Needs) -> Principal | None:
    """The key's holder; None lets the protocol refuse in its own words."""
    try:
        return needs.authenticator.principal(auth.api_key_of(request))
    except Unauthenticated:
        return None


def _preflight(request: Request, needs: Needs) -> Response:
    """A browser asks before it sends a key: 204 for an allowed origin, 403 for any other."""
    allowed = _cors(request, needs)
    if not allowed:
        return Response(body="", status_code=403, headers=dict(OURS))
    more = {
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": SENT_HEADERS,
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    }
    return Response(body="", status_code=204, headers={**OURS, **allowed, **more})


def _cors(request: Request, needs: Needs) -> dict[str, str]:
    origin = request.headers.get("origin")
    if origin is None or origin not in needs.mcp.allowed_origins:
        return {}
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": READ_HEADERS,
        "Vary": "Origin",
    }
