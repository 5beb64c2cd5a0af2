"""Pages that only say something: links that lead nowhere, errors, goodbye."""

from __future__ import annotations

from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.viewer import Viewer


def error_page(
    status: int,
    *,
    title: str,
    text: str,
    base_path: str,
    retry_after: int | None = None,
    viewer: Viewer | None = None,
) -> Page:
    """Any error on a page: our own words, without a trace of what went wrong inside.

    `retry_after` is in seconds and becomes the header of that name.
    """
    return render_page(
        "message.html",
        status=status,
        base_path=base_path,
        headers={} if retry_after is None else {"Retry-After": str(retry_after)},
        title=title,
        lines=[text],
        link=None,
        viewer=viewer,
    )


def unknown_link_page(*, base_path: str) -> Page:
    """404: a link that was cut short, changed, revoked, or whose question is deleted. It does not
    say which, since that would tell a guesser what exists."""
    return render_page(
        "message.html",
        status=404,
        base_path=base_path,
        title="This link does not lead to a question",
        lines=[
            "It may have been cut off when it was copied, or the question is gone.",
            "Open the link from the original message again, or ask whoever sent it to you.",
        ],
        link=None,
        viewer=None,
    )


def signed_out_page(*, base_path: str) -> Page:
    """The end of a signed-in visit."""
    return render_page(
        "message.html",
        base_path=base_path,
        title="You are signed out",
        lines=["Links to single questions still work without signing in."],
        link=("/sign-in", "Sign in again"),
        viewer=None,
    )
