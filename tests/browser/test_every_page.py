"""Every page in every state: accessible, inside the screen, still, and true to its own policy.

The pages that people meet first run always, at both sizes and in both schemes; the rest, and all
four combinations, are slow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import DESKTOP, PHONE
from tests.web.gallery import gallery

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
Look = tuple[dict[str, int], str]
CORNERS: list[Look] = [(PHONE, "light"), (DESKTOP, "dark")]
ALL_LOOKS: list[Look] = [*CORNERS, (DESKTOP, "light"), (PHONE, "dark")]
FIRST = {"answer-errors", "answer-confirm", "url", "just-accepted", "inbox"}
NAMES = sorted(gallery())
SHIFT = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => resolve(sum), 0));
})"""
SMALL_TARGETS = """() => [...document.querySelectorAll("button, .button, select, .choice, .tick, "
  + "input:not([type=hidden], [type=radio], [type=checkbox]), textarea, summary")]
  .filter((node) => node.checkVisibility())
  .filter((node) => node.getBoundingClientRect().height < 44)
  .map((node) => node.outerHTML)"""


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Iterator[Page]:
    """One tab for all pages, far from UTC, so that the script has local times to add."""
    context = chromium.new_context(timezone_id="Asia/Kathmandu")
    yield context.new_page()
    context.close()


def violations(page: Page) -> list[str]:
    """What axe finds, one line a rule, with the first place."""
    found: list[dict[str, Any]] = page.evaluate(
        "rules => axe.run(rules).then(found => found.violations)", RULES
    )
    return [
        f"{rule['id']} ({rule['impact']}): {json.dumps(rule['nodes'][0]['html'])}" for rule in found
    ]


def check(page: Page, url: str, looks: list[Look]) -> None:
    """Open it as a phone does, then look at it in each of the looks."""
    complaints: list[str] = []

    def listen(said: ConsoleMessage) -> None:
        complaints.append(f"{said.type}: {said.text}")

    page.on("console", listen)
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.emulate_media(color_scheme="light")
    page.goto(url)
    assert page.evaluate(SHIFT) < 0.1
    assert page.evaluate(SMALL_TARGETS) == []
    page.evaluate(Axe().axe_script)
    for size, scheme in looks:
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert violations(page) == [], (size, scheme)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], "the page scrolls sideways"
    page.remove_listener("console", listen)
    assert [said for said in complaints if said.startswith("error")] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name in FIRST])
def test_a_page_that_people_meet_first_is_accessible_and_fits(
    name: str, tab: Page, gallery_url: str
) -> None:
    check(tab, f"{gallery_url}/{name}", CORNERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_accessible_and_fits_in_every_look(
    name: str, tab: Page, gallery_url: str
) -> None:
    check(tab, f"{gallery_url}/{name}", ALL_LOOKS)
