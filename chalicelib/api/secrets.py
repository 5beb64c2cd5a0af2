"""`/secrets/{handle}`: the page where a person types a secret's value. GET and HEAD change nothing.

The handle in the path opens nothing: whoever comes must be signed in as the principal that started
the request, or somebody could be sent a link to type *their* secret into another's session (MCP
2025-11-25, URL mode, "Phishing"). The value goes from the post to the store and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from chalice.app import Blueprint, Response

from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.pages import PAGE, base_path_of, errors_as_pages, redirect, send
from chalicelib.api.signed_in import Visitor, check_post, visitor
from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import Gone, InvalidInput, NotFound, TooLarge
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.secret import SecretState
from chalicelib.usecases.secret_requests import store_typed_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.api.http import Request
    from chalicelib.api.needs import Needs
    from chalicelib.domain.secret import SecretRequest
    from chalicelib.web.page import Page

PATH = "/secrets/{handle}"


def secret_page_routes(needs: Needs) -> Blueprint:
    """The page and its post."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs, errors_as_pages(needs))

    @routes.route(PATH, methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @view
    def show(request: Request, handle: str) -> Response:
        return _for_starter(request, handle, needs, lambda who, found: _form(who, found, needs))

    @routes.route(PATH, methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def decide(request: Request, handle: str) -> Response:
        return _for_starter(
            request, handle, needs, lambda who, found: _decide(request, who, found, needs)
        )

    return routes


def _for_starter(
    request: Request, handle: str, needs: Needs, show: Callable[[Visitor, SecretRequest], Page]
) -> Response:
    """Show it to whoever started it, signed in, while the page takes a value."""
    from chalicelib.web.secret import secret_refused_page

    who = visitor(request, needs)
    if who is None:
        path = quote(f"/secrets/{handle}", safe="/")
        return redirect(f"{base_path_of(needs)}/sign-in?next={path}")
    found = needs.secret_requests.find(handle)
    if found is None:
        raise NotFound("This page does not exist, or not any more.")
    if found.principal != who.principal.name:
        return send(secret_refused_page(base_path=base_path_of(needs), viewer=who.viewer(needs)))
    if not found.takes_value(needs.clock()):
        return send(_gone(who, found, needs))
    return send(show(who, found))


def _form(who: Visitor, found: SecretRequest, needs: Needs, *, problem: str | None = None) -> Page:
    from chalicelib.web.secret import secret_page

    session = needs.store.session(found.session_id)
    if session is None:
        return _gone(who, found, needs)
    stored = {info.name for info in needs.secrets.list_infos(session.id)}
    return secret_page(
        name=found.name,
        session_title=session.title or session.id,
        replaces=found.name in stored,
        expires_at=found.expires_at,
        now=needs.clock(),
        action_path=f"{base_path_of(needs)}/secrets/{found.handle}",
        base_path=base_path_of(needs),
        viewer=who.viewer(needs),
        problem=problem,
    )


def _decide(request: Request, who: Visitor, found: SecretRequest, needs: Needs) -> Page:
    form = request.form()
    check_post(request, form, who, needs)
    action = form.get("action", [""])[-1]
    if action == Action.ACCEPT:
        return _store(form.get("value", [""])[-1], who, found, needs)
    if action not in (Action.DECLINE, Action.CANCEL):
        raise InvalidInput("The form says neither accept, decline nor cancel.")
    if not needs.secret_requests.decline(found.handle, needs.clock()):
        return _gone(who, found, needs)
    return _done(who, found, needs, stored=False)


def _store(value: str, who: Visitor, found: SecretRequest, needs: Needs) -> Page:
    try:
        result = store_typed_value(
            found,
            value,
            actor=Actor(who.principal.name, Channel.INBOX),
            world=needs.world,
            requests=needs.secret_requests,
            secrets=needs.secrets,
        )
    except (InvalidInput, TooLarge) as error:
        return _form(who, found, needs, problem=error.fields[0].message)
    except Gone:
        return _gone(who, found, needs)
    needs.observer.facts(result.facts)
    return _done(who, found, needs, stored=True)


def _done(who: Visitor, found: SecretRequest, needs: Needs, *, stored: bool) -> Page:
    from chalicelib.web.secret import secret_done_page

    return secret_done_page(
        name=found.name,
        stored=stored,
        base_path=base_path_of(needs),
        viewer=who.viewer(needs),
    )


def _gone(who: Visitor, found: SecretRequest, needs: Needs) -> Page:
    """Read anew: a page that just lost a race was used, not late."""
    from chalicelib.web.secret import secret_gone_page

    now_there = needs.secret_requests.find(found.handle) or found
    used = now_there.is_closed or now_there.recorded is not SecretState.PENDING
    return secret_gone_page(used=used, base_path=base_path_of(needs), viewer=who.viewer(needs))
