"""A real Chromium in front of the pages: of every page in every state, and of the whole service."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from infra.local.server import Handler, HttpServer
from infra.local.wire import HttpRequest, HttpResponse
from tests.browser.site import Site, served_gallery

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.parley import Parley

REQUIRED = os.environ.get("PARLEY_REQUIRE_BROWSER") == "1"
NO_BROWSER = "no chromium on the PATH, so the pages are not looked at in a browser"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Visit = Callable[..., "Page"]
"""Opens a tab; keyword arguments are those of `Browser.new_context`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if any(
        NO_BROWSER in str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])
    ):
        terminalreporter.write_line(f"SKIPPED tests/browser: {NO_BROWSER}")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser. Only for this package: its event loop would be in the way of other tests."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.fail(NO_BROWSER) if REQUIRED else pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """A way to open tabs, each in a context of its own; a script error fails the test."""
    contexts = []
    errors: list[str] = []

    def open_tab(**options: Any) -> Page:
        context = chromium.new_context(**({"viewport": PHONE} | options))
        context.set_default_timeout(5_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_tab
    for context in contexts:
        context.close()
    assert errors == []


PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 800}


class Stage:
    """One listening server for all tests: each puts what it serves behind it."""

    def __init__(self) -> None:
        self.handler: Handler = served_gallery()
        self.server = HttpServer("127.0.0.1", 0)
        self.server.serve(self._answer)
        self.url = f"http://127.0.0.1:{self.server.port}"

    def _answer(self, request: HttpRequest) -> HttpResponse:
        return self.handler(request)


@pytest.fixture(scope="package")
def stage() -> Iterator[Stage]:
    """Where pages are served."""
    opened = Stage()
    yield opened
    opened.server.stop()


@pytest.fixture
def gallery_url(stage: Stage) -> str:
    """Where every page in every state is served, as `<url>/<name>`."""
    stage.handler = served_gallery()
    return stage.url


@pytest.fixture
def site(stage: Stage, parley: Parley) -> Site:
    """The whole service."""
    stage.handler = parley.gateway
    return Site(stage.url, parley)
