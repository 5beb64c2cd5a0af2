"""Declining several questions."""

from __future__ import annotations

from chalicelib.web.batch import DeclineResult, decline_results_page, decline_review_page
from tests.web.gallery import some_waiting
from tests.web.html import Element, parse
from tests.web.samples import NOW, VIEWER

WAITING = some_waiting("Really?")[:2]


def review(chosen: int, gone: int = 0) -> Element:
    page = decline_review_page(
        chosen=WAITING[:chosen], gone=gone, viewer=VIEWER, now=NOW, base_path=""
    )
    return parse(page.html)


def test_the_review_lists_what_it_would_decline_and_carries_it_on() -> None:
    page = review(2, gone=1)
    form = page.one("form", action="/inbox/decline")
    assert [one["value"] for one in form.all("input", name="key")] == ["key-0", "key-1"]
    assert form.one("input", name="confirmed")["value"] == "yes"
    assert "Decline 2 questions?" in page.one("h1").text
    assert "1 of those you chose has its outcome already and is left out." in page.text
    assert page.one("a", href="/", **{"class": "button plain"})


def test_with_nothing_chosen_there_is_nothing_to_confirm() -> None:
    assert not review(0).all("form", action="/inbox/decline")
    assert "No question was chosen." in review(0).text
    assert "has its outcome already" in review(0, gone=2).text


def test_each_question_has_its_result_and_failures_come_first() -> None:
    page = parse(
        decline_results_page(
            results=[
                DeclineResult(one=WAITING[0], is_declined=True, told="Declined"),
                DeclineResult(one=WAITING[1], is_declined=False, told="Somebody answered first."),
            ],
            viewer=VIEWER,
            base_path="",
        ).html
    )
    first, second = page.all("li")
    assert "Somebody answered first." in first.text
    assert "Declined" in second.text
    assert page.one("h1").text == "1 of 2 declined"
