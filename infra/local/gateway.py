"""API Gateway REST in small: routes a request to the Chalice app and its result back.

Differs from AWS where the design says so: an unknown path or method is answered in the service's
own error envelope (gateway responses do that on AWS), and HEAD runs the GET route.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from infra.local.context import LambdaContext
from infra.local.rest import rest_event
from infra.local.routes import Match, Routes
from infra.local.wire import HttpRequest, HttpResponse, problem, to_http

if TYPE_CHECKING:
    from chalice.app import Chalice

log = logging.getLogger("parley.local")

FUNCTION: Final = "api_handler"

Stream = Callable[[dict[str, Any], LambdaContext], tuple[int, Mapping[str, str], Iterable[bytes]]]
"""What answers a resource with an open body: (event, context) -> (status, headers, chunks)."""


class Gateway:
    """Serves a Chalice app as API Gateway does. `streams` is asked before the app, by resource."""

    def __init__(self, app: Chalice, *, streams: Mapping[str, Stream] | None = None) -> None:
        self._app = app
        self._streams = streams or {}
        self._routes = Routes(app.routes)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer one request. Never raises: what the app lets out is a 502, as on AWS."""
        match = self._routes.match(request.target.partition("?")[0])
        if match is None:
            return problem(404, "not_found", "There is nothing at this path.")
        method = self._routes.method(match.resource, request.method)
        if method is None:
            return self._undeclared(request.method, match.resource)
        try:
            response = self._invoke(request, match, method)
        except Exception:
            log.exception("The app did not answer %s %s", method, match.resource)
            return problem(502, "bad_gateway", "The service did not answer.")
        if request.method == "HEAD":
            return HttpResponse(response.status, response.headers)
        return response

    def _invoke(self, request: HttpRequest, match: Match, method: str) -> HttpResponse:
        event = rest_event(
            request,
            match,
            method=method,
            now=datetime.now(UTC),
            binary_types=self._app.api.binary_types,
        )
        context = LambdaContext(FUNCTION)
        stream = self._streams.get(match.resource)
        if stream is not None and method == "GET":
            status, headers, chunks = stream(event, context)
            return HttpResponse(status, list(headers.items()), chunks)
        return to_http(self._app(event, context))

    def _undeclared(self, method: str, resource: str) -> HttpResponse:
        preflight = self._preflight(resource) if method == "OPTIONS" else None
        if preflight is not None:
            return preflight
        return problem(
            405,
            "method_not_allowed",
            "This path does not have this method.",
            headers=[("Allow", self._routes.allowed(resource))],
        )

    def _preflight(self, resource: str) -> HttpResponse | None:
        """The mock answer that Chalice puts on AWS for a resource with `cors`."""
        entries = self._app.routes[resource]
        config = next((entry.cors for entry in entries.values() if entry.cors), None)
        if config is None:
            return None
        headers = {
            str(name): str(value) for name, value in config.get_access_control_headers().items()
        }
        headers["Access-Control-Allow-Methods"] = ",".join(sorted({*entries, "OPTIONS"}))
        return HttpResponse(200, [*headers.items(), ("Content-Length", "0")])
