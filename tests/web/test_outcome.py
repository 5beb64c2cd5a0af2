"""What a link shows once there is nothing left to answer."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.elicitation import Mode, Status
from chalicelib.domain.form_schema import derive_fields
from chalicelib.domain.principal import Actor, Channel
from chalicelib.web.outcome import NOT_SENT, outcome_page
from chalicelib.web.page import Page
from tests.web.html import Element, parse
from tests.web.samples import BY_ALICE, BY_LINK, MINUTE, NOW, WHOLE, elicitation

ACCEPTED: dict[str, Any] = {
    "status": Status.ACCEPT,
    "content": {"environment": "prod"},
    "answered_at": NOW,
    "answered_by": BY_LINK,
    "last_seen_at": NOW,
}
EXPIRED: dict[str, Any] = {
    "status": Status.EXPIRED,
    "expires_at": NOW,
    "last_seen_at": NOW - MINUTE,
}
WITHDRAWN: dict[str, Any] = {
    "status": Status.CANCEL,
    "reason": "withdrawn",
    "answered_at": NOW,
    "answered_by": Actor("asker", Channel.ASKER),
}


def page(*, just_now: bool = False, refused: bool = False, **over: Any) -> Page:
    return outcome_page(
        elicitation(**over),
        fields=derive_fields(WHOLE),
        session_title=None,
        now=NOW,
        status_path="/a/token/status",
        base_path="",
        just_now=just_now,
        refused=refused,
    )


def headline(shown: Page) -> str:
    return parse(shown.html).one("h1").text


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "Your answer is recorded"),
        ({"status": Status.DECLINE, "content": None}, "You declined"),
        ({"status": Status.CANCEL, "content": None}, "You dismissed the question"),
        ({"mode": Mode.URL, "content": None}, "You said that you have finished"),
    ],
)
def test_the_one_who_answered_is_told_what_was_recorded(over: dict[str, Any], words: str) -> None:
    shown = page(just_now=True, **(ACCEPTED | over))
    assert shown.status == 200
    assert headline(shown) == words


@pytest.mark.parametrize(
    ("over", "refused", "status", "words"),
    [
        (ACCEPTED, False, 200, "This question is already answered"),
        (ACCEPTED, True, 409, "This question is already answered"),
        (EXPIRED, False, 410, "The time to answer is over"),
        (EXPIRED, True, 410, "The time to answer is over"),
        (EXPIRED | {"status": Status.PENDING}, False, 410, "The time to answer is over"),
        (WITHDRAWN, False, 410, "The question was taken back"),
        (WITHDRAWN, True, 410, "The question was taken back"),
    ],
)
def test_each_outcome_has_its_own_page_and_says_when_nothing_was_sent(
    over: dict[str, Any], refused: bool, status: int, words: str
) -> None:
    shown = page(refused=refused, **over)
    assert shown.status == status
    assert headline(shown) == words
    assert (NOT_SENT in shown.html) is refused
    assert not parse(shown.html).all("form")


def test_a_live_question_has_no_outcome_page() -> None:
    with pytest.raises(ValueError, match="live"):
        page()


def test_an_earlier_answer_tells_what_when_and_by_whom() -> None:
    text = parse(page(**(ACCEPTED | {"answered_by": BY_ALICE})).html).text
    assert "It was accepted by alice in the inbox at 1 Dec 2026, 03:00 UTC." in text
    assert "Production (prod)" in text


@pytest.mark.parametrize(
    ("last_seen", "words"),
    [
        (NOW - MINUTE, "The agent goes on without an answer."),
        (NOW - 10 * MINUTE, "The agent had already stopped waiting by then."),
    ],
)
def test_an_expiry_tells_whether_the_agent_went_on_or_had_gone(last_seen: Any, words: str) -> None:
    assert words in page(**(EXPIRED | {"last_seen_at": last_seen})).html


def test_a_withdrawal_tells_its_reason_unless_it_is_the_plain_one() -> None:
    assert "Reason given" not in page(**WITHDRAWN).html
    assert (
        "Reason given: no longer needed"
        in page(**(WITHDRAWN | {"reason": "no longer needed"})).html
    )


def receipt(shown: Page) -> list[Element]:
    return [e for e in parse(shown.html).every() if e.has("data-receipt")]


def test_a_receipt_that_is_awaited_can_be_asked_for_with_and_without_a_script() -> None:
    (box,) = receipt(page(just_now=True, **ACCEPTED))
    assert box["data-receipt"] == "/a/token/status"
    assert box["data-state"] == "waiting"
    assert box.one("p", role="status").text == "The agent has not read it yet."
    assert box.one("a").text == "Look again"


def test_a_receipt_that_came_is_told_and_not_asked_for_again() -> None:
    (box,) = receipt(page(**ACCEPTED, receipt_at=NOW))
    assert "The agent has read it at 1 Dec 2026, 03:00 UTC." in box.text
    assert not box.all("a")


@pytest.mark.parametrize("over", [EXPIRED, WITHDRAWN])
def test_without_an_answer_there_is_no_receipt(over: dict[str, Any]) -> None:
    assert receipt(page(**over)) == []
