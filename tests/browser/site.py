"""What the browser talks to, and how a test gets it into a state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from chalicelib.web.assets import asset
from infra.local.wire import HttpRequest, HttpResponse
from tests.parley import path_of
from tests.web.gallery import gallery

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.parley import Parley

WHOLE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "environment": {"type": "string", "enum": ["staging", "production"]},
        "note": {"type": "string", "title": "Release note"},
        "replicas": {"type": "integer", "minimum": 1, "default": 3},
        "dry_run": {"type": "boolean", "title": "Dry run"},
        "regions": {"type": "array", "items": {"type": "string", "enum": ["eu", "us", "ap"]}},
    },
    "required": ["environment", "replicas"],
}


@dataclass
class Site:
    """The service behind a base URL, driven through its API where a test needs an asker or host."""

    base_url: str
    parley: Parley

    def open_session(self, title: str = "Nightly release") -> Mapping[str, Any]:
        """A session of an agent."""
        return self.parley.open_session(title=title)

    def ask(self, session: Mapping[str, Any], **over: Any) -> Question:
        """A question, with the link of its notice."""
        asked = self.parley.ask(session, **over)
        assert asked.status == 201, asked.text
        self.parley.run_queue("notices")
        link = self.base_url + path_of(self.parley.mails()[-1]["link"])
        return Question(self, session, asked.json["requestId"], link)

    def sign_in(self, page: Page) -> None:
        """Sign in by hand, and be in the inbox."""
        page.goto(self.base_url + "/sign-in")
        page.get_by_label("API key").fill(self.parley.key)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Inbox").wait_for()
        page.wait_for_load_state()


@dataclass
class Question:
    """An asked question."""

    site: Site
    session: Mapping[str, Any]
    request_id: str
    link: str

    def poll(self) -> dict[str, Any]:
        """What its asker reads now."""
        got: dict[str, Any] = self.site.parley.poll(self.session, self.request_id).json
        return got


@cache
def served_gallery() -> Callable[[HttpRequest], HttpResponse]:
    """Every page in every state, at its name; static files where the pages look for them."""
    words = "Really delete the rows of accounts that were closed in 2019?"
    pages = gallery(words)

    def answer(request: HttpRequest) -> HttpResponse:
        path = request.target.partition("?")[0].removeprefix("/")
        if path in pages:
            page = pages[path]
            # Errors answer 200 here: the browser reports any other status as a failed load.
            return HttpResponse(200, list(page.headers.items()), [page.html.encode()])
        if path.startswith("static/"):
            file = asset(path.removeprefix("static/"))
            return HttpResponse(200, [("Content-Type", file.content_type)], [file.body.encode()])
        if path == "a/token/status":
            body = json.dumps({"state": "waiting", "text": "The agent has not read it yet."})
            return HttpResponse(200, [("Content-Type", "application/json")], [body.encode()])
        return HttpResponse(404, [("Content-Type", "text/plain")], [b""])

    return answer
