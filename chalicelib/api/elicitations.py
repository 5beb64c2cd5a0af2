"""Create, poll, respond, withdraw: the fallback-elicitation protocol and what goes beyond it."""

from __future__ import annotations

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.asking import Asker, bare_asker, create, poll, token_asker
from chalicelib.api.contracts import parse
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer
from chalicelib.api.needs import Needs
from chalicelib.api.views import elicitation_body, poll_body
from chalicelib.domain.principal import Actor, Channel, Scope
from chalicelib.usecases.answer_elicitation import answer_elicitation
from chalicelib.usecases.sessions import may_see
from chalicelib.usecases.withdraw_elicitation import withdraw_elicitation

BASE = "/api/v1/elicitations"
BY_TOKEN = f"{BASE}/session/{{token}}"


def elicitation_routes(needs: Needs) -> Blueprint:
    """The routes under `/api/v1/elicitations`."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(BASE, methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def create_by_key(request: Request) -> Response:
        return create(request, needs, bare_asker(request, needs))

    @routes.route(BY_TOKEN, methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def create_by_token(request: Request, token: str) -> Response:
        return create(request, needs, token_asker(needs, token, polling=False))

    @routes.route(f"{BASE}/{{request_id}}", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def poll_by_key(request: Request, request_id: str) -> Response:
        return poll(request, needs, request_id, lambda: bare_asker(request, needs))

    @routes.route(f"{BY_TOKEN}/{{request_id}}", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def poll_by_token(request: Request, token: str, request_id: str) -> Response:
        return poll(request, needs, request_id, lambda: token_asker(needs, token, polling=True))

    @routes.route(
        f"{BASE}/{{request_id}}/respond", methods=["PATCH"], content_types=ANY_CONTENT_TYPE
    )
    @view
    def respond(request: Request, request_id: str) -> Response:
        return _respond(request, needs, request_id)

    @routes.route(f"{BASE}/{{request_id}}", methods=["DELETE"], content_types=ANY_CONTENT_TYPE)
    @view
    def withdraw_by_key(request: Request, request_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        found = needs.store.elicitation(request_id)
        session = needs.store.session(found.session_id) if found else None
        own = session.id if session and may_see(session, principal) else ""
        actor = Actor(principal.name, Channel.API)
        return _withdraw(request, needs, request_id, session_id=own, actor=actor)

    @routes.route(f"{BY_TOKEN}/{{request_id}}", methods=["DELETE"], content_types=ANY_CONTENT_TYPE)
    @view
    def withdraw_by_token(request: Request, token: str, request_id: str) -> Response:
        asker = token_asker(needs, token, polling=True)
        actor = Actor("asker", Channel.ASKER)
        return _withdraw(request, needs, request_id, session_id=_own(asker), actor=actor)

    return routes


def _own(asker: Asker) -> str:
    return asker.session_id or ""


def _respond(request: Request, needs: Needs, request_id: str) -> Response:
    from chalicelib.api.contracts.elicitations import Respond

    principal = auth.require(request, needs, Scope.ANSWER)
    body = parse(Respond, request.json_object())
    result = answer_elicitation(
        request_id,
        action=body.action_type,
        content=body.content,
        actor=Actor(principal.name, Channel.API),
        world=needs.world,
        messenger=needs.messenger,
    )
    needs.observer.facts(result.facts)
    return json_answer(200, poll_body(result.value) | {"requestId": result.value.key})


def _withdraw(
    request: Request, needs: Needs, request_id: str, *, session_id: str, actor: Actor
) -> Response:
    from chalicelib.api.contracts.elicitations import Withdraw

    body = parse(Withdraw, request.optional_json_object())
    result = withdraw_elicitation(
        request_id, session_id=session_id, actor=actor, reason=body.reason, world=needs.world
    )
    needs.observer.facts(result.facts)
    return json_answer(200, elicitation_body(result.value))
