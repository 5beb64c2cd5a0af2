"""Everything that people need works with JavaScript switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.site import WHOLE, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit(java_script_enabled=False)


def test_a_form_is_filled_in_sent_and_read(page: Page, site: Site) -> None:
    asked = site.ask(site.open_session(), requestedSchema=WHOLE)
    page.goto(asked.link)
    page.get_by_label("production").check()
    page.get_by_label("Release note").fill("Line one\nLine two")
    page.get_by_label("Replicas").fill("5")
    page.get_by_role("radiogroup", name="Dry run").get_by_label("No", exact=True).check()
    page.get_by_label("us", exact=True).check()
    page.get_by_label("ap", exact=True).check()
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answer is recorded")
    expect(page.get_by_role("status")).to_have_text("The agent has not read it yet.")
    assert asked.poll()["content"] == {
        "environment": "production",
        "note": "Line one\nLine two",
        "replicas": 5,
        "dry_run": False,
        "regions": ["us", "ap"],
    }
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("status")).to_contain_text("The agent has read it at")


def test_an_answer_that_does_not_fit_comes_back_with_the_focus_on_what_is_wrong(
    page: Page, site: Site
) -> None:
    asked = site.ask(site.open_session(), requestedSchema=WHOLE)
    page.goto(asked.link)
    page.get_by_label("Replicas").fill("eleven")
    page.get_by_label("Release note").fill("kept")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("Replicas")).to_have_value("eleven")
    expect(page.get_by_label("Release note")).to_have_value("kept")
    page.get_by_role("alert").get_by_role("link", name="Replicas").click()
    expect(page.get_by_label("Replicas")).to_be_focused()
    expect(page.get_by_label("Replicas")).to_have_accessible_description(
        "A whole number, at least 1. Error: Must be a whole number, in digits."
    )
    assert asked.poll()["action"] == "pending"


@pytest.mark.parametrize(
    ("button", "value"), [pytest.param("Yes", True, marks=pytest.mark.slow), ("No", False)]
)
def test_a_lone_boolean_is_answered_by_one_press(
    button: str, value: bool, page: Page, site: Site
) -> None:
    asked = site.ask(site.open_session())
    page.goto(asked.link)
    page.get_by_role("button", name=button).click()
    assert asked.poll()["action"] == "accept"
    assert asked.poll()["content"] == {"confirm": value}


@pytest.mark.parametrize(
    ("button", "action"),
    [("Decline", "decline"), pytest.param("Dismiss", "cancel", marks=pytest.mark.slow)],
)
def test_a_form_with_nothing_filled_in_can_still_be_left(
    button: str, action: str, page: Page, site: Site
) -> None:
    asked = site.ask(site.open_session(), requestedSchema=WHOLE)
    page.goto(asked.link)
    page.get_by_role("button", name=button).click()
    assert asked.poll()["action"] == action
    assert asked.poll().get("content") is None


def test_the_inbox_is_searched_and_several_questions_are_declined(page: Page, site: Site) -> None:
    session = site.open_session()
    asked = [site.ask(session, message=f"Question {n}?") for n in range(3)]
    site.sign_in(page)
    expect(page.get_by_role("heading", name="3 questions wait")).to_be_visible()
    page.get_by_label("Search").fill("question 2")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("heading", name="1 question waits")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    page.get_by_label("Choose: Question 0?").check()
    page.get_by_label("Choose: Question 1?").check()
    page.get_by_role("button", name="Decline selected").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Decline 2 questions?")
    assert asked[0].poll()["action"] == "pending"
    page.get_by_role("button", name="Decline them").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 2 declined")
    assert [one.poll()["action"] for one in asked] == ["decline", "decline", "pending"]


@pytest.mark.slow
def test_a_session_is_read_and_a_visit_ends(page: Page, site: Site) -> None:
    session = site.open_session("Weekly report")
    site.ask(session)
    site.sign_in(page)
    page.get_by_role("link", name="Weekly report").first.click()
    expect(page.get_by_text("Needs input", exact=True)).to_be_visible()
    expect(page.get_by_text("Question asked")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    page.goto(f"{site.base_url}/sessions/{session['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
