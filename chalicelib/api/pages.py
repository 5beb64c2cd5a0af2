"""Pages over HTTP: from the web layer's values to Chalice's, errors as pages, static files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chalice.app import Blueprint, Response

from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import OURS, Request, answer
from chalicelib.api.problems import headers_of, status_of
from chalicelib.domain.errors import NotFound, ParleyError, RateLimited, TryAgain

if TYPE_CHECKING:
    from chalicelib.api.needs import Needs
    from chalicelib.web.page import Page

PAGE = ["GET", "HEAD"]

TITLES = {
    403: "Not allowed",
    404: "Not found",
    413: "Too large",
    415: "Not a form",
    429: "Too many tries",
    503: "Try again in a moment",
}


def base_path_of(needs: Needs) -> str:
    """What stands before the app's own paths (API Gateway's stage, or nothing)."""
    return urlsplit(needs.settings.base_url).path.rstrip("/")


def send(page: Page, extra: dict[str, str | list[str]] | None = None) -> Response:
    """A page as Chalice takes it."""
    headers = {**OURS, **page.headers, **(extra or {})}
    return Response(body=page.html, status_code=page.status, headers=headers)


def redirect(path: str, extra: dict[str, str | list[str]] | None = None) -> Response:
    """303: the browser GETs what comes next, whatever it sent before."""
    headers = {"Location": path, **(extra or {})}
    return answer(303, "", "text/plain; charset=utf-8", headers)


def errors_as_pages(needs: Needs) -> Callable[[Request, ParleyError], Response]:
    """How an error looks where a person reads it."""

    def render(_request: Request, error: ParleyError) -> Response:
        from chalicelib.web.messages import error_page

        status = status_of(error)
        retry = error.retry_after if isinstance(error, RateLimited) else None
        if isinstance(error, TryAgain):
            retry = int(headers_of(error)["Retry-After"])
        page = error_page(
            status,
            title=TITLES.get(status, "That did not work"),
            text=error.message,
            base_path=base_path_of(needs),
            retry_after=retry,
        )
        return send(page)

    return render


def static_routes(needs: Needs) -> Blueprint:
    """`/static/{name}`: the style sheet and the script, cached for good by their hashed URLs."""
    routes = Blueprint(__name__)

    @routes.route("/static/{name}", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @endpoint(routes, needs)
    def static(request: Request, name: str) -> Response:
        from chalicelib.web.assets import CACHE_CONTROL, asset

        try:
            found = asset(name)
        except KeyError:
            raise NotFound("There is no such file.") from None
        headers: dict[str, str | list[str]] = {"Cache-Control": CACHE_CONTROL, "ETag": found.etag}
        if request.headers.get("if-none-match") == found.etag:
            return answer(304, "", found.content_type, headers)
        return answer(200, found.body, found.content_type, headers)

    return routes
