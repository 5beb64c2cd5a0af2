"""Another site is opened by a click only."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.site import Site


def test_nothing_is_fetched_before_the_click_and_the_new_tab_knows_nothing(
    visit: Visit, site: Site, gallery_url: str
) -> None:
    elsewhere = f"{gallery_url}/unknown-link"
    page = visit()
    asked_for: list[str] = []
    page.context.on("request", lambda request: asked_for.append(request.url))
    # Only the link's place is taken: the address of a real question must be https.
    page.goto(f"{gallery_url}/url")
    assert {url.split("/")[2] for url in asked_for} == {gallery_url.split("/")[2]}
    page.locator("a[target=_blank]").evaluate("(node, url) => { node.href = url; }", elsewhere)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the page").click()
    opened.value.wait_for_load_state()
    assert opened.value.url == elsewhere
    assert opened.value.evaluate("[window.opener, document.referrer]") == [None, ""]
    expect(page.get_by_role("button", name="I have finished")).to_be_visible()
