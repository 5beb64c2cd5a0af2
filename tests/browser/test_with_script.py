"""What a script adds: live lists and receipts, local time, drafts, one answer from many presses."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.site import WHOLE, Site


def test_the_receipt_arrives_without_a_reload(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session())
    page = visit()
    page.clock.install()
    page.goto(asked.link)
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("status")).to_have_text("The agent has not read it yet.")
    asked.poll()
    page.clock.run_for(3_100)
    expect(page.get_by_role("status")).to_contain_text("The agent has read it at")


def test_the_list_grows_without_a_reload_and_keeps_ticks_and_focus(
    visit: Visit, site: Site
) -> None:
    session = site.open_session()
    site.ask(session, message="First?")
    page = visit()
    page.clock.install()
    site.sign_in(page)
    page.get_by_label("Choose: First?").check()
    page.get_by_role("link", name="First?").focus()
    second = site.ask(session, message="Second?")
    page.clock.run_for(5_100)
    expect(page.get_by_role("link", name="Second?")).to_be_visible()
    expect(page.get_by_label("Choose: First?")).to_be_checked()
    expect(page.get_by_role("link", name="First?")).to_be_focused()
    expect(page.locator("[data-live-note]")).to_have_text("Updated: 2 questions wait")

    page.get_by_role("link", name="Second?").focus()
    site.parley.respond(second.request_id, "decline")
    page.clock.run_for(5_100)
    expect(page.get_by_role("heading", name="1 question waits")).to_be_focused()


@pytest.mark.slow
def test_a_lost_visit_is_said_and_the_list_stays(visit: Visit, site: Site) -> None:
    site.ask(site.open_session(), message="First?")
    page = visit()
    page.clock.install()
    site.sign_in(page)
    page.context.clear_cookies()
    page.clock.run_for(5_100)
    expect(page.locator("[data-live-note]")).to_contain_text("You are signed out.")
    expect(page.get_by_role("link", name="First?")).to_be_visible()


def test_times_are_told_in_the_readers_zone_beside_utc(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session())
    page = visit(timezone_id="Asia/Kathmandu")
    page.goto(asked.link)
    expect(page.locator(".deadline time")).to_have_text(
        re.compile(r"^\d+ \w+ \d{4}, \d\d:\d\d UTC \(\d+ \w+, \d\d:\d\d GMT\+5:45\)$")
    )


def test_the_countdown_runs_on_the_servers_clock_and_is_spoken(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session())
    page = visit()
    page.clock.install(time=0)  # a device whose clock stands in 1970
    page.goto(asked.link)
    left = page.locator(".deadline strong")
    expect(left).to_have_text(re.compile(r"^About 59 minutes left$"))
    page.clock.fast_forward("55:30")
    expect(left).to_have_text(re.compile(r"^4:[12]\d minutes left$"))
    expect(page.locator("[data-time-spoken]")).to_contain_text("minutes left")
    page.clock.fast_forward("05:00")
    expect(left).to_have_text("The time to answer is over")
    expect(page.locator("[data-time-spoken]")).to_have_text("The time to answer is over")


def test_what_was_typed_survives_a_reload_and_goes_with_the_answer(
    visit: Visit, site: Site
) -> None:
    asked = site.ask(site.open_session(), requestedSchema=WHOLE)
    page = visit()
    page.goto(asked.link)
    page.get_by_label("staging").check()
    page.get_by_label("Release note").fill("do not lose me")
    page.reload()
    expect(page.get_by_label("Release note")).to_have_value("do not lose me")
    expect(page.get_by_label("staging")).to_be_checked()
    page.get_by_role("button", name="Send answer").click()
    page.get_by_role("heading", name="Your answer is recorded").wait_for()
    assert page.evaluate("sessionStorage.length") == 0


def test_pressing_twice_sends_once(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session())
    page = visit()
    page.goto(asked.link)
    posts = []
    page.on("request", lambda sent: posts.append(sent.method))
    page.evaluate("""() => {
      const [yes, no] = document.querySelectorAll("button[name=f0]");
      yes.click();
      no.click();
    }""")
    page.get_by_role("heading", name="Your answer is recorded").wait_for()
    assert posts.count("POST") == 1
    assert asked.poll()["content"] == {"confirm": True}


@pytest.mark.slow
def test_a_question_that_somebody_answered_meanwhile_says_so(visit: Visit, site: Site) -> None:
    asked = site.ask(site.open_session())
    page = visit()
    page.goto(asked.link)
    site.parley.respond(asked.request_id, "accept", {"confirm": False})
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This question is already answered")
    expect(page.get_by_text("What you just sent was not recorded.")).to_be_visible()
    expect(page.get_by_text("by tester through the API")).to_be_visible()
    assert asked.poll()["content"] == {"confirm": False}
