"""What is read of one session: its environment, its journal, its questions."""

from __future__ import annotations

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, answer, json_answer
from chalicelib.api.needs import Needs
from chalicelib.api.paging import limit_of, number_of
from chalicelib.api.views import elicitation_body, event_body, session_body
from chalicelib.domain.principal import Principal, Scope
from chalicelib.domain.session import Session
from chalicelib.domain.variables import five_variables
from chalicelib.usecases import sessions as verbs

ONE = "/api/v1/sessions/{session_id}"
READERS = (Scope.HOST, Scope.READ, Scope.ANSWER)


def session_read_routes(needs: Needs) -> Blueprint:
    """The GET routes under `/api/v1/sessions/{session_id}/`."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(f"{ONE}/env", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def env(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        variables = variables_of(read_shown(session_id, principal, needs), needs)
        if "text/plain" in request.headers.get("accept", ""):
            lines = "".join(f"{name}={value}\n" for name, value in variables.items())
            return answer(200, lines, "text/plain; charset=utf-8")
        return json_answer(200, {"env": variables})

    @routes.route(f"{ONE}/events", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def events(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, *READERS)
        read_shown(session_id, principal, needs)
        limit = limit_of(request)
        after = number_of(request, "after", "after_sequence")
        found = needs.store.events(session_id, after=after, limit=limit)
        body = {"events": [event_body(session_id, numbered) for numbered in found]}
        more = {"next": found[-1].version} if len(found) == limit else {}
        return json_answer(200, body | more)

    @routes.route(f"{ONE}/elicitations", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def elicitations(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, *READERS)
        read_shown(session_id, principal, needs)
        found = needs.lists.of_session(session_id, limit=limit_of(request))
        return json_answer(200, {"elicitations": [elicitation_body(row) for row in found]})

    return routes


def read_shown(session_id: str, principal: Principal, needs: Needs) -> Session:
    """The session as it is now, with what is overdue expired first. Raises `NotFound`."""
    result = verbs.read_session(
        session_id, principal=principal, world=needs.world, messenger=needs.messenger
    )
    needs.observer.facts(result.facts)
    return result.value


def variables_of(session: Session, needs: Needs) -> dict[str, str]:
    """The five variables of a session, with a fresh token."""
    return five_variables(
        base_url=needs.settings.base_url,
        poll_base_url=needs.settings.poll_base_url,
        token=needs.session_token(session),
        session_id=session.id,
        default_minutes=needs.settings.expiration_minutes,
    )


def with_env(session: Session, needs: Needs) -> dict[str, object]:
    """A session and its five variables."""
    return session_body(session, needs.clock()) | {"env": variables_of(session, needs)}
