"""Sessions, as hosts open and run them, and their journals."""

from __future__ import annotations

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.contracts import parse
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer, no_content
from chalicelib.api.needs import Needs
from chalicelib.api.paging import cursor_of, limit_of
from chalicelib.api.session_reads import READERS, read_shown, with_env
from chalicelib.api.views import session_body
from chalicelib.domain.principal import Principal, Scope
from chalicelib.domain.session import Session
from chalicelib.usecases import sessions as verbs
from chalicelib.usecases.list_sessions import list_sessions

BASE = "/api/v1/sessions"
ONE = f"{BASE}/{{session_id}}"


def session_routes(needs: Needs) -> Blueprint:
    """The routes under `/api/v1/sessions`."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(BASE, methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def open_session(request: Request) -> Response:
        from chalicelib.api.contracts.sessions import Open

        principal = auth.require(request, needs, Scope.HOST)
        opening = parse(Open, request.optional_json_object()).opening()
        result = verbs.open_session(opening, principal=principal, world=needs.world)
        needs.observer.facts(result.facts)
        status = 201 if result.facts else 200
        return json_answer(status, with_env(result.value, needs))

    @routes.route(BASE, methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def list_all(request: Request) -> Response:
        principal = auth.require(request, needs, *READERS)
        page = list_sessions(
            principal=principal,
            status=request.query.get("status"),
            limit=limit_of(request),
            after=cursor_of(request),
            now=needs.clock(),
            lists=needs.lists,
        )
        now = needs.clock()
        body = {"sessions": [session_body(session, now) for session in page.sessions]}
        return json_answer(200, body | ({"next": page.next} if page.next else {}))

    @routes.route(ONE, methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def read(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, *READERS)
        return json_answer(
            200, session_body(read_shown(session_id, principal, needs), needs.clock())
        )

    @routes.route(ONE, methods=["PATCH"], content_types=ANY_CONTENT_TYPE)
    @view
    def change(request: Request, session_id: str) -> Response:
        from chalicelib.api.contracts.sessions import Change

        principal = auth.require(request, needs, Scope.HOST)
        patch = parse(Change, request.json_object()).patch()
        result = verbs.patch_session(session_id, patch, principal=principal, world=needs.world)
        needs.observer.facts(result.facts)
        session = without_turn(result.value, principal, needs)
        return json_answer(200, session_body(session, needs.clock()))

    @routes.route(f"{ONE}/resume", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def resume(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        result = verbs.resume_session(session_id, principal=principal, world=needs.world)
        needs.observer.facts(result.facts)
        return json_answer(200, session_body(result.value, needs.clock()))

    @routes.route(f"{ONE}/token", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def rotate(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        result = verbs.rotate_token(session_id, principal=principal, world=needs.world)
        needs.observer.facts(result.facts)
        return json_answer(200, with_env(result.value, needs))

    @routes.route(ONE, methods=["DELETE"], content_types=ANY_CONTENT_TYPE)
    @view
    def delete(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        result = verbs.delete_session(
            session_id, principal=principal, world=needs.world, purge=needs.store.purge
        )
        needs.observer.facts(result.facts)
        return no_content()

    return routes


def without_turn(session: Session, principal: Principal, needs: Needs) -> Session:
    """The session; when its host ended it, after its turn was cancelled."""
    if session.turn_id is None or not session.is_ended:
        return session
    from chalicelib.usecases.cancel_turn import cancel_turn

    result = cancel_turn(session.id, principal=principal, relay=needs.relay)
    needs.observer.facts(result.facts)
    return read_shown(session.id, principal, needs)
