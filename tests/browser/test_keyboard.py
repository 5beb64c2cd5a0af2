"""Everything by keyboard, and no key taken away from a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, Visit
from tests.browser.site import WHOLE, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_a_form_is_answered_with_the_keyboard_alone(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session(), requestedSchema=WHOLE)
    page = visit()
    page.goto(asked.link)
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    press(page, "Enter", "Tab", "Space", "ArrowDown", "Tab")
    page.keyboard.type("two\nlines")
    press(page, "Tab")
    expect(page.get_by_label("Replicas")).to_be_focused()
    page.keyboard.type("7")
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answer is recorded")
    assert asked.poll()["content"] == {
        "environment": "production",
        "note": "two\nlines",
        "replicas": 7,
    }


@pytest.mark.slow
def test_ctrl_enter_sends_from_a_field_of_several_lines(visit: Visit, site: Site) -> None:
    asked = site.ask(
        site.open_session(),
        requestedSchema={"type": "object", "properties": {"why": {"type": "string"}}},
    )
    page = visit()
    page.goto(asked.link)
    page.get_by_label("Why").press_sequentially("so")
    press(page, "Control+Enter")
    page.get_by_role("heading", name="Your answer is recorded").wait_for()
    assert asked.poll()["content"] == {"why": "so"}


def inbox_of_three(visit: Visit, site: Site) -> Page:
    session = site.open_session()
    for number in range(3):
        site.ask(session, message=f"Question {number}?")
    page = visit(viewport=DESKTOP)
    site.sign_in(page)
    return page


def test_single_keys_walk_choose_search_and_explain(visit: Visit, site: Site) -> None:
    page = inbox_of_three(visit, site)
    links = [page.get_by_role("link", name=f"Question {n}?") for n in range(3)]
    press(page, "j")
    expect(links[0]).to_be_focused()
    press(page, "j", "j", "j")
    expect(links[2]).to_be_focused()
    press(page, "k")
    expect(links[1]).to_be_focused()
    press(page, "x")
    expect(page.get_by_label("Choose: Question 1?")).to_be_checked()
    press(page, "x")
    expect(page.get_by_label("Choose: Question 1?")).not_to_be_checked()
    press(page, "?")
    expect(page.get_by_text("next, previous question")).to_be_visible()
    press(page, "?")
    expect(page.get_by_text("next, previous question")).not_to_be_visible()
    press(page, "/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("jk x/?r")
    expect(page.get_by_label("Search")).to_have_value("jk x/?r")
    press(page, "Tab", "j")
    expect(page.get_by_label("Session", exact=True)).to_be_focused()
    links[2].focus()
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("An agent is asking you")


@pytest.mark.slow
def test_single_keys_can_be_switched_off_and_stay_off(visit: Visit, site: Site) -> None:
    page = inbox_of_three(visit, site)
    press(page, "?")
    page.get_by_label("Use single keys in this browser").uncheck()
    page.reload()
    press(page, "j")
    expect(page.get_by_role("link", name="Question 0?")).not_to_be_focused()
    expect(page.locator("body")).to_be_focused()


@pytest.mark.slow
def test_a_batch_is_declined_with_the_keyboard_alone(visit: Visit, site: Site) -> None:
    page = inbox_of_three(visit, site)
    press(page, "j", "x", "j", "x")
    page.get_by_role("button", name="Decline selected").focus()
    press(page, "Enter")
    page.get_by_role("button", name="Decline them").focus()
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 2 declined")
