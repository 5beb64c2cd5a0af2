"""`/a/{token}`: the page behind a notice. GET and HEAD change nothing; POST decides.

The signed token in the path is the right to answer, so a form from another site cannot know where
to post. Link previews and mail scanners only ever GET.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalice.app import Blueprint, Response

from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import Request, json_answer
from chalicelib.api.pages import PAGE, base_path_of, errors_as_pages, send
from chalicelib.api.signed_in import visitor
from chalicelib.domain.elicitation import Action, Elicitation, Mode
from chalicelib.domain.errors import (
    AlreadyAnswered,
    DeadlinePassed,
    InvalidContent,
    InvalidInput,
    NotFound,
    Withdrawn,
)
from chalicelib.domain.form_schema import coerce_form, derive_fields
from chalicelib.domain.principal import Actor, Channel, Scope
from chalicelib.usecases.answer_elicitation import answer_elicitation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalicelib.api.needs import Needs
    from chalicelib.domain.errors import FieldProblem
    from chalicelib.web.page import Page

LINK_HOLDER = "link holder"
"""Who answered, when all that is known is that they had the link."""


def answer_link_routes(needs: Needs) -> Blueprint:
    """The answer page, its post, and the receipt that its script asks for."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs, errors_as_pages(needs))

    @routes.route("/a/{token}", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @view
    def show(_request: Request, token: str) -> Response:
        found = _find(token, needs)
        return send(_unknown(needs) if found is None else _page(found, token, needs))

    @routes.route("/a/{token}", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def decide(request: Request, token: str) -> Response:
        found = _find(token, needs)
        if found is None:
            return send(_unknown(needs))
        return send(_decide(request, found, token, needs))

    @routes.route("/a/{token}/status", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @endpoint(routes, needs)
    def status(_request: Request, token: str) -> Response:
        from chalicelib.web.receipts import receipt_status

        found = _find(token, needs)
        if found is None or found.is_pending:
            raise NotFound("There is no answer yet.")
        return json_answer(200, receipt_status(found, needs.clock()))

    return routes


def _find(token: str, needs: Needs) -> Elicitation | None:
    try:
        key = needs.tokens.read_link(token, needs.clock())
    except NotFound:
        return None
    return needs.store.elicitation(key)


def _unknown(needs: Needs) -> Page:
    from chalicelib.web.messages import unknown_link_page

    return unknown_link_page(base_path=base_path_of(needs))


def _decide(request: Request, found: Elicitation, token: str, needs: Needs) -> Page:
    form = request.form()
    action = _action(form)
    fields = derive_fields(found.schema)
    try:
        accepts_form = action is Action.ACCEPT and found.mode is Mode.FORM
        content = coerce_form(fields, form) if accepts_form else None
        result = answer_elicitation(
            found.key,
            action=action,
            content=content,
            actor=_actor(request, needs),
            world=needs.world,
            messenger=needs.messenger,
            apply_defaults=False,
        )
    except InvalidContent as error:
        return _page(found, token, needs, typed=form, problems=error.fields)
    except (AlreadyAnswered, DeadlinePassed, Withdrawn):
        recorded = needs.store.elicitation(found.key) or found
        return _outcome(recorded, token, needs, refused=True)
    needs.observer.facts(result.facts)
    return _outcome(result.value, token, needs, just_now=True)


def _action(form: Mapping[str, Sequence[str]]) -> Action:
    try:
        return Action(form.get("action", [""])[-1])
    except ValueError:
        raise InvalidInput("The form says neither accept, decline nor cancel.") from None


def _actor(request: Request, needs: Needs) -> Actor:
    """The signed-in person where there is one who may answer; else whoever holds the link."""
    signed_in = visitor(request, needs)
    if signed_in is not None and signed_in.principal.may(Scope.ANSWER):
        return Actor(signed_in.principal.name, Channel.INBOX)
    return Actor(LINK_HOLDER, Channel.LINK)


def _page(
    found: Elicitation,
    token: str,
    needs: Needs,
    *,
    typed: Mapping[str, Sequence[str]] | None = None,
    problems: Sequence[FieldProblem] = (),
) -> Page:
    """The form while an answer is possible, the outcome afterwards."""
    now = needs.clock()
    if not found.is_live(now):
        return _outcome(found, token, needs)
    if found.mode is Mode.URL:
        return _url_page(found, token, needs)
    from chalicelib.web.answer import answer_page

    return answer_page(
        found,
        fields=derive_fields(found.schema),
        values=typed,
        problems=problems,
        session_title=_title(found, needs),
        now=now,
        action_path=f"{base_path_of(needs)}/a/{token}",
        base_path=base_path_of(needs),
    )


def _url_page(found: Elicitation, token: str, needs: Needs) -> Page:
    from chalicelib.domain.urls import check_elicitation_url
    from chalicelib.web.asker import asker_of
    from chalicelib.web.url_card import url_page

    return url_page(
        check_elicitation_url(found.url, allow_loopback_http=needs.settings.is_local),
        message=found.message,
        asker=asker_of(found, _title(found, needs)),
        expires_at=found.expires_at,
        now=needs.clock(),
        action_path=f"{base_path_of(needs)}/a/{token}",
        base_path=base_path_of(needs),
    )


def _outcome(
    found: Elicitation, token: str, needs: Needs, *, just_now: bool = False, refused: bool = False
) -> Page:
    from chalicelib.web.outcome import outcome_page

    return outcome_page(
        found,
        fields=derive_fields(found.schema),
        session_title=_title(found, needs),
        now=needs.clock(),
        status_path=f"{base_path_of(needs)}/a/{token}/status",
        base_path=base_path_of(needs),
        just_now=just_now,
        refused=refused,
    )


def _title(found: Elicitation, needs: Needs) -> str | None:
    session = needs.store.session(found.session_id)
    return session.title if session else None
