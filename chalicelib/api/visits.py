"""Sign in with an API key, sign out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalice.app import Blueprint, Response

from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.pages import PAGE, base_path_of, errors_as_pages, redirect, send
from chalicelib.api.signed_in import (
    check_post,
    check_sign_in,
    sign_in_csrf,
    signed_in_cookie,
    signed_out_cookie,
    visitor,
)
from chalicelib.domain.errors import Unauthenticated
from chalicelib.domain.principal import Scope

if TYPE_CHECKING:
    from chalicelib.api.http import Request
    from chalicelib.api.needs import Needs
    from chalicelib.domain.principal import Principal
    from chalicelib.web.sign_in import SignInProblem

TRIES: Final = 10
WINDOW_SECONDS: Final = 60
"""Sign-ins per address and minute; keys are 256 bits, so this is against load more than
guessing."""


def visit_routes(needs: Needs) -> Blueprint:
    """`/sign-in` and `/sign-out`."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs, errors_as_pages(needs))

    @routes.route("/sign-in", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @view
    def form(request: Request) -> Response:
        return _form(needs, next_path=_local(request.query.get("next", "/")))

    @routes.route("/sign-in", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def sign_in(request: Request) -> Response:
        return _sign_in(request, needs)

    @routes.route("/sign-out", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def sign_out(request: Request) -> Response:
        from chalicelib.web.messages import signed_out_page

        who = visitor(request, needs)
        if who is not None:
            check_post(request, request.form(), who, needs)
        page = signed_out_page(base_path=base_path_of(needs))
        return send(page, {"Set-Cookie": signed_out_cookie(needs)})

    return routes


def _sign_in(request: Request, needs: Needs) -> Response:
    from chalicelib.web.sign_in import SignInProblem

    form = request.form()
    next_path = _local(form.get("next", ["/"])[-1])
    name = f"sign-in#{request.source_ip}"
    if needs.rates.hit(name, window_seconds=WINDOW_SECONDS, now=needs.clock()) > TRIES:
        return _form(needs, next_path=next_path, problem=SignInProblem.TOO_MANY_TRIES)
    if not check_sign_in(request, form, needs):
        return _form(needs, next_path=next_path, problem=SignInProblem.STALE_FORM)
    principal = _principal(form.get("key", [""])[-1], needs)
    if principal is None:
        return _form(needs, next_path=next_path, problem=SignInProblem.WRONG_KEY)
    if not any(principal.may(scope) for scope in (Scope.ANSWER, Scope.READ, Scope.HOST)):
        return _form(needs, next_path=next_path, problem=SignInProblem.WRONG_KEY)
    cookie: dict[str, str | list[str]] = {"Set-Cookie": signed_in_cookie(principal, needs)}
    return redirect(base_path_of(needs) + next_path, cookie)


def _principal(key: str, needs: Needs) -> Principal | None:
    try:
        return needs.authenticator.principal(key)
    except Unauthenticated:
        return None


def _form(needs: Needs, *, next_path: str, problem: SignInProblem | None = None) -> Response:
    from chalicelib.web.sign_in import SignInProblem, sign_in_page

    page = sign_in_page(
        csrf=sign_in_csrf(needs),
        base_path=base_path_of(needs),
        next_path=next_path,
        problem=problem,
        retry_after=WINDOW_SECONDS if problem is SignInProblem.TOO_MANY_TRIES else None,
    )
    return send(page)


def _local(path: str) -> str:
    """Where to go after signing in: a path of ours, never another site (`//host`, `/\\host`)."""
    is_ours = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()
    return path if is_ours else "/"
