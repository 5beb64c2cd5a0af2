"""Signing in with an API key, which becomes a cookie elsewhere; the key is never shown again."""

from __future__ import annotations

from enum import StrEnum

from chalicelib.web.page import Page
from chalicelib.web.render import render_page


class SignInProblem(StrEnum):
    """Why the page is shown again."""

    WRONG_KEY = "wrong_key"
    TOO_MANY_TRIES = "too_many_tries"
    STALE_FORM = "stale_form"


_TOLD = {
    SignInProblem.WRONG_KEY: (
        401,
        "This key does not open the inbox. It may be mistyped, revoked or not for answering.",
    ),
    SignInProblem.TOO_MANY_TRIES: (429, "There were too many tries."),
    SignInProblem.STALE_FORM: (403, "This page had been open for too long. Please try again."),
}


def sign_in_page(
    *,
    csrf: str,
    base_path: str,
    next_path: str = "/",
    problem: SignInProblem | None = None,
    retry_after: int | None = None,
) -> Page:
    """The sign-in form; posts `key`, `next` and `csrf` to `<base>/sign-in`.

    200, or 401, 403, 429 with a `problem`. `retry_after` (seconds) goes with too many tries. What
    was typed is not kept: it is a secret.
    """
    status, text = _TOLD[problem] if problem else (200, None)
    if text and retry_after is not None:
        minutes = -(-retry_after // 60)
        text = f"{text} Try again in {minutes} minute{'s' * (minutes != 1)}."
    return render_page(
        "sign_in.html",
        status=status,
        base_path=base_path,
        headers={} if retry_after is None else {"Retry-After": str(retry_after)},
        csrf=csrf,
        next_path=next_path,
        problem=text,
        viewer=None,
    )
