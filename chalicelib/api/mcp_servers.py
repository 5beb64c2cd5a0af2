"""Upstream MCP servers, as operators register them. Credentials are named, never sent or shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.contracts import parse
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer, no_content
from chalicelib.api.views import instant
from chalicelib.domain.principal import Scope

if TYPE_CHECKING:
    from chalicelib.api.needs import Needs
    from chalicelib.domain.upstream import UpstreamRecord

BASE = "/api/v1/mcp-servers"


def mcp_server_routes(needs: Needs) -> Blueprint:
    """The routes under `/api/v1/mcp-servers`; the scope `admin` is needed for each."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(BASE, methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def register(request: Request) -> Response:
        from chalicelib.api.contracts.messages import Server
        from chalicelib.domain.upstream import UpstreamRecord
        from chalicelib.usecases.upstreams import register_server

        principal = auth.require(request, needs, Scope.ADMIN)
        body = parse(Server, request.json_object())
        record = UpstreamRecord(
            name=body.name,
            url=body.url,
            protocol_mode=body.protocol_mode,
            credential=body.credential,
            header=body.header,
            registered_at=needs.clock(),
            registered_by=principal.name,
        )
        is_new = register_server(
            record, allow_loopback=needs.settings.is_local, registry=needs.relay.registry
        )
        return json_answer(201 if is_new else 200, _body(record))

    @routes.route(BASE, methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def listed(request: Request) -> Response:
        auth.require(request, needs, Scope.ADMIN)
        found = needs.relay.registry.all()
        return json_answer(200, {"mcp_servers": [_body(record) for record in found]})

    @routes.route(f"{BASE}/{{name}}", methods=["DELETE"], content_types=ANY_CONTENT_TYPE)
    @view
    def remove(request: Request, name: str) -> Response:
        from chalicelib.usecases.upstreams import remove_server

        auth.require(request, needs, Scope.ADMIN)
        remove_server(name, registry=needs.relay.registry)
        return no_content()

    return routes


def _body(record: UpstreamRecord) -> dict[str, Any]:
    body = {
        "name": record.name,
        "url": record.url,
        "protocol_mode": record.protocol_mode,
        "credential": record.credential,
        "header": record.header,
        "registered_at": instant(record.registered_at),
        "registered_by": record.registered_by,
        "protocol_version": (record.known or {}).get("version"),
    }
    return {name: value for name, value in body.items() if value is not None}
