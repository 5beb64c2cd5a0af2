"""A person's decision on a URL elicitation: over the API, and on the card's page.

The page's signed link is the right to decide that one card. GET and HEAD change nothing; what is
asked for, and where it leads, is read from our own row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.answer_links import LINK_HOLDER
from chalicelib.api.contracts import parse
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer
from chalicelib.api.pages import PAGE, base_path_of, errors_as_pages, send
from chalicelib.api.session_reads import ONE
from chalicelib.api.signed_in import visitor
from chalicelib.domain.card_links import read_card_token
from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import InvalidInput, NotFound
from chalicelib.domain.principal import Actor, Channel, Scope
from chalicelib.usecases.sessions import may_see

if TYPE_CHECKING:
    from chalicelib.api.needs import Needs
    from chalicelib.domain.cards import Card
    from chalicelib.web.page import Page


def consent_routes(needs: Needs) -> Blueprint:
    """`mcp-elicitation-consent`, and `/c/{token}`."""
    routes = Blueprint(__name__)
    page_view = endpoint(routes, needs, errors_as_pages(needs))

    @routes.route(
        f"{ONE}/mcp-elicitation-consent", methods=["POST"], content_types=ANY_CONTENT_TYPE
    )
    @endpoint(routes, needs)
    def consent(request: Request, session_id: str) -> Response:
        from chalicelib.api.contracts.messages import Consent
        from chalicelib.usecases.decide_card import decide_card

        principal = auth.require(request, needs, Scope.HOST, Scope.ANSWER)
        body = parse(Consent, request.json_object())
        result = decide_card(
            session_id,
            body.tool_call_id,
            Action(body.action),
            actor=Actor(principal.name, Channel.API),
            sees=lambda session: may_see(session, principal),
            relay=needs.relay,
        )
        needs.observer.facts(result.facts)
        return json_answer(200, {"host": result.value.host, "status": "active"})

    @routes.route("/c/{token}", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @page_view
    def show(_request: Request, token: str) -> Response:
        card = _find(token, needs)
        return send(_unknown(needs) if card is None else _page(card, token, needs))

    @routes.route("/c/{token}", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @page_view
    def decide(request: Request, token: str) -> Response:
        card = _find(token, needs)
        return send(_unknown(needs) if card is None else _decide(request, card, needs))

    return routes


def _find(token: str, needs: Needs) -> Card | None:
    try:
        session_id, call_id = read_card_token(needs.tokens, token, needs.clock())
    except NotFound:
        return None
    return needs.relay.rows.card(session_id, call_id)


def _unknown(needs: Needs) -> Page:
    from chalicelib.web.messages import unknown_link_page

    return unknown_link_page(base_path=base_path_of(needs))


def _page(card: Card, token: str, needs: Needs) -> Page:
    """The address while a decision is possible, the outcome afterwards."""
    if not card.is_open(needs.clock()):
        return _outcome(card, needs)
    from chalicelib.domain.urls import check_elicitation_url
    from chalicelib.web.url_card import asker_of_card, url_page

    return url_page(
        check_elicitation_url(card.url, allow_loopback_http=needs.settings.is_local),
        message=card.message,
        asker=asker_of_card(card, _title(card, needs)),
        expires_at=card.expires_at,
        now=needs.clock(),
        action_path=f"{base_path_of(needs)}/c/{token}",
        base_path=base_path_of(needs),
    )


def _decide(request: Request, card: Card, needs: Needs) -> Page:
    from chalicelib.domain.turn import NotWaiting
    from chalicelib.usecases.decide_card import decide_card

    try:
        result = decide_card(
            card.session_id,
            card.call_id,
            _action(request),
            actor=_actor(request, needs),
            sees=lambda _: True,
            relay=needs.relay,
        )
    except (NotFound, NotWaiting):
        recorded = needs.relay.rows.card(card.session_id, card.call_id) or card
        return _outcome(recorded, needs, refused=True)
    needs.observer.facts(result.facts)
    return _outcome(result.value, needs, just_now=True)


def _action(request: Request) -> Action:
    """The page's "dismiss" leaves the agent without the step, as a decline does."""
    said = request.form().get("action", [""])[-1]
    if said == Action.ACCEPT:
        return Action.ACCEPT
    if said in (Action.DECLINE, Action.CANCEL):
        return Action.DECLINE
    raise InvalidInput("The form says neither accept, decline nor cancel.")


def _actor(request: Request, needs: Needs) -> Actor:
    """The signed-in person where there is one who may answer; else whoever holds the link."""
    signed_in = visitor(request, needs)
    if signed_in is not None and signed_in.principal.may(Scope.ANSWER):
        return Actor(signed_in.principal.name, Channel.INBOX)
    return Actor(LINK_HOLDER, Channel.LINK)


def _outcome(card: Card, needs: Needs, *, just_now: bool = False, refused: bool = False) -> Page:
    from chalicelib.web.url_card import card_outcome_page

    return card_outcome_page(
        card,
        session_title=_title(card, needs),
        base_path=base_path_of(needs),
        just_now=just_now,
        refused=refused,
    )


def _title(card: Card, needs: Needs) -> str | None:
    session = needs.store.session(card.session_id)
    return session.title if session else None
