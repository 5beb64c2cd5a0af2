"""The operator's secrets, such as credentials for upstream servers: put, list by name, delete."""

from __future__ import annotations

from typing import Any

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer, no_content
from chalicelib.api.needs import Needs
from chalicelib.api.views import instant
from chalicelib.domain.errors import FieldProblem, InvalidInput
from chalicelib.domain.principal import Actor, Channel, Principal, Scope
from chalicelib.domain.secret import SecretInfo
from chalicelib.usecases.secrets import delete_operator_secret, store_operator_secret

BASE = "/api/v1/secrets"
ONE = f"{BASE}/{{name}}"


def operator_secret_routes(needs: Needs) -> Blueprint:
    """The routes under `/api/v1/secrets`; no answer ever carries a value."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(BASE, methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def list_all(request: Request) -> Response:
        auth.require(request, needs, Scope.ADMIN)
        infos = needs.secrets.list_infos(None)
        return json_answer(200, {"secrets": [_told(info) for info in infos]})

    @routes.route(ONE, methods=["PUT"], content_types=ANY_CONTENT_TYPE)
    @view
    def put(request: Request, name: str) -> Response:
        principal = auth.require(request, needs, Scope.ADMIN)
        result = store_operator_secret(
            name,
            _value(request),
            actor=_actor(principal),
            now=needs.clock(),
            secrets=needs.secrets,
        )
        needs.observer.facts(result.facts)
        return json_answer(200, {"name": name, "stored": True})

    @routes.route(ONE, methods=["DELETE"], content_types=ANY_CONTENT_TYPE)
    @view
    def delete(request: Request, name: str) -> Response:
        principal = auth.require(request, needs, Scope.ADMIN)
        result = delete_operator_secret(
            name, actor=_actor(principal), now=needs.clock(), secrets=needs.secrets
        )
        needs.observer.facts(result.facts)
        return no_content()

    return routes


def _told(info: SecretInfo) -> dict[str, Any]:
    return {"name": info.name, "updated_at": instant(info.updated_at), "by": info.by}


def _actor(principal: Principal) -> Actor:
    return Actor(principal.name, Channel.API)


def _value(request: Request) -> str:
    """`{"value": "..."}`; an error names the field and never quotes it."""
    body = request.json_object()
    value = body.get("value")
    if not isinstance(value, str) or body.keys() != {"value"}:
        problem = FieldProblem("value", "must be a string, and the only member of the body")
        raise InvalidInput(f"value: {problem.message}", fields=[problem])
    return value
