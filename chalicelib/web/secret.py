"""The page where a person types a secret's value, and what it says afterwards. No function here
ever sees a value: it goes from the post to the store."""

from __future__ import annotations

from datetime import datetime

from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.times import time_left
from chalicelib.web.viewer import Viewer


def secret_page(
    *,
    name: str,
    session_title: str,
    replaces: bool,
    expires_at: datetime,
    now: datetime,
    action_path: str,
    base_path: str,
    viewer: Viewer,
    problem: str | None = None,
) -> Page:
    """The form; posts `action` (accept, decline or cancel), `value` and `csrf`.

    422 with a `problem`, and then the field is empty again: a value is never sent back.
    """
    return render_page(
        "secret.html",
        status=422 if problem else 200,
        base_path=base_path,
        name=name,
        session=session_title,
        replaces=replaces,
        time=time_left(expires_at, now),
        action_path=action_path,
        viewer=viewer,
        problem=problem,
    )


def secret_done_page(*, name: str, stored: bool, base_path: str, viewer: Viewer) -> Page:
    """After the act: the value is stored, or nothing was."""
    title = "The secret is stored" if stored else "Nothing was stored"
    line = (
        f"{name} can now be used in its session. Its value is encrypted and is not shown anywhere."
        if stored
        else f"Whoever asked for {name} is told that you did not give it."
    )
    return _message(200, title, [line, "You can close this page."], base_path, viewer=viewer)


def secret_refused_page(*, base_path: str, viewer: Viewer) -> Page:
    """403 for anyone but the person who started it; it names neither that person nor the secret."""
    lines = [
        "This page belongs to whoever started the request, and you are signed in as someone else.",
        "If it was you, sign out and sign in with the key that you started it with.",
    ]
    return _message(403, "This page is not for you", lines, base_path, viewer=viewer)


def secret_gone_page(*, used: bool, base_path: str, viewer: Viewer | None = None) -> Page:
    """410: the page works once and for a limited time."""
    title = "This page was already used" if used else "This page has expired"
    lines = ["Nothing was stored just now.", "Start the request again to get a new page."]
    return _message(410, title, lines, base_path, viewer=viewer)


def _message(
    status: int, title: str, lines: list[str], base_path: str, *, viewer: Viewer | None
) -> Page:
    return render_page(
        "message.html",
        status=status,
        base_path=base_path,
        title=title,
        lines=lines,
        link=None,
        viewer=viewer,
    )
