"""Messages to the agent of a session, the turn they start, and its end on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.contracts import parse
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer
from chalicelib.api.session_reads import ONE, READERS, read_shown
from chalicelib.api.views import instant
from chalicelib.domain.principal import Scope
from chalicelib.domain.tool_results import text_part

if TYPE_CHECKING:
    from chalicelib.api.needs import Needs
    from chalicelib.usecases.post_message import Received


def message_routes(needs: Needs) -> Blueprint:
    """`messages` and `cancel` of a session."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route(f"{ONE}/messages", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def post(request: Request, session_id: str) -> Response:
        from chalicelib.api.contracts.messages import PostMessage
        from chalicelib.usecases.post_message import post_message

        principal = auth.require(request, needs, Scope.HOST)
        posted = parse(PostMessage, request.json_object()).posted()
        result = post_message(session_id, posted, principal=principal, relay=needs.relay)
        needs.observer.facts(result.facts)
        return json_answer(201, _received_body(result.value))

    @routes.route(f"{ONE}/messages", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def listed(request: Request, session_id: str) -> Response:
        from chalicelib.domain.transcript import transcript
        from chalicelib.usecases.turn_situation import LONGEST, journal_of

        principal = auth.require(request, needs, *READERS)
        session = read_shown(session_id, principal, needs)
        told = journal_of(needs.store, session_id, after=max(session.version - LONGEST, 0))
        bodies = [
            {"session_id": session_id, "sequence": one.version, **one.message}
            for one in transcript(told)
            if one.message is not None
        ]
        return json_answer(200, {"data": bodies})

    @routes.route(f"{ONE}/cancel", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def cancel(request: Request, session_id: str) -> Response:
        from chalicelib.usecases.cancel_turn import cancel_turn

        principal = auth.require(request, needs, Scope.HOST)
        result = cancel_turn(session_id, principal=principal, relay=needs.relay)
        needs.observer.facts(result.facts)
        if result.value:
            return json_answer(200, {"status": "cancelled", "message": "The turn was cancelled."})
        return json_answer(200, {"status": "no_op", "message": "No turn was in progress."})

    return routes


def _received_body(received: Received) -> dict[str, Any]:
    turn, posted = received.turn, received.posted
    body = {
        "id": turn.message_id,
        "session_id": turn.session_id,
        "turn_id": turn.id,
        "sequence": received.sequence,
        "role": "user",
        "content": [text_part(posted.text)],
        "created_at": instant(turn.created_at),
    }
    return body | ({"controls": dict(posted.controls)} if posted.controls else {})
