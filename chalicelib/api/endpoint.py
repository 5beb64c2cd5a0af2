"""The one decorator between Chalice and a view: parse, call, map errors, log what went wrong.

Used under `@routes.route(...)`. Chalice's own error classes and shapes are not used (chalice.md
4.3).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from chalice.app import Blueprint, Response

from chalicelib.api.http import Request, from_event, json_answer
from chalicelib.api.needs import Needs
from chalicelib.api.problems import SERVER_ERROR, envelope, headers_of, status_of
from chalicelib.domain.errors import ParleyError
from chalicelib.observability import redact

View = Callable[..., Response]

ANY_CONTENT_TYPE = ["*/*"]
"""Chalice would answer 415 in its own shape; we look at the content type ourselves."""


def endpoint(
    routes: Blueprint,
    needs: Needs,
    render: Callable[[Request, ParleyError], Response] | None = None,
) -> Callable[[View], View]:
    """Turn `view(request, **path parameters)` into a Chalice view; `render` shows errors as
    pages."""

    def decorate(view: View) -> View:
        @wraps(view)
        def handle(**parameters: Any) -> Response:
            request = from_event(routes.current_request.to_original_event())
            return guarded(lambda: view(request, **parameters), request, needs, render)

        return handle

    return decorate


def guarded(
    call: Callable[[], Response],
    request: Request,
    needs: Needs,
    render: Callable[[Request, ParleyError], Response] | None = None,
) -> Response:
    """Run a view; whatever it raises becomes an answer, and what was counted is written out."""
    try:
        return call()
    except ParleyError as error:
        return problem(error) if render is None else render(request, error)
    except Exception:
        needs.observer.log.exception(
            "view failed", extra={"path": redact(request.path), "method": request.method}
        )
        needs.observer.count("ServerError")
        return json_answer(500, SERVER_ERROR)
    finally:
        needs.observer.flush()


def problem(error: ParleyError) -> Response:
    """An error as its JSON answer."""
    return json_answer(status_of(error), envelope(error), headers_of(error))
