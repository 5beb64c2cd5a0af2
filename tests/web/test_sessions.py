"""The session page."""

from __future__ import annotations

import pytest

from chalicelib.domain.elicitation import Status
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import HostStatus
from chalicelib.web.sessions import session_fragment, session_page, session_path, status_in_words
from tests.web.gallery import some_session
from tests.web.html import parse
from tests.web.samples import BY_ALICE, MINUTE, NOW, elicitation, session


def test_the_path_of_a_session_is_one_segment() -> None:
    assert session_path("/prod/", "a/b?c") == "/prod/sessions/a%2Fb%3Fc"


@pytest.mark.parametrize(
    ("over", "words", "needs"),
    [
        ({"live": {"k": NOW + MINUTE}}, "Needs input", True),
        ({"cards": {"c": NOW + MINUTE}}, "Needs input", True),
        ({}, "Running", False),
        ({"status": HostStatus.IDLE}, "Idle", False),
        ({"status": HostStatus.ARCHIVED, "live": {"k": NOW + MINUTE}}, "Archived", False),
        ({"status": HostStatus.FAILED}, "Failed", False),
    ],
)
def test_the_status_is_told_in_words(over: dict[str, object], words: str, needs: bool) -> None:
    page = parse(session_page(some_session("words", session=session(**over))).html)
    (status,) = (
        [e for e in page.all("span") if "status" in e["class"].split()]
        if needs
        else [page.one("span", **{"class": "status"})]
    )
    assert status.text == words
    assert ("needs" in status["class"].split()) is needs


def test_a_status_without_words_is_told_as_it_is() -> None:
    assert status_in_words("sleeping") == "sleeping"


def test_past_questions_are_told_with_receipt_and_pending_ones_are_not_past() -> None:
    withdrawn = Actor("asker", Channel.ASKER)
    past = [
        elicitation(status=Status.ACCEPT, answered_at=NOW, answered_by=BY_ALICE, receipt_at=NOW),
        elicitation(status=Status.EXPIRED, expires_at=NOW),
        elicitation(
            status=Status.CANCEL, reason="withdrawn", answered_at=NOW, answered_by=withdrawn
        ),
        elicitation(message="Still waiting"),
    ]
    text = parse(session_page(some_session("words", past=past)).html).text
    assert "Accepted by alice in the inbox" in text
    assert text.count("The agent has read it at 1 Dec 2026, 03:00 UTC.") == 1
    assert "Expired" in text
    assert "Taken back by the agent’s side" in text
    assert "Still waiting" not in text


def test_the_journal_pages_lead_on_and_empty_parts_say_so() -> None:
    page = parse(session_page(some_session("words")).html)
    pager = page.one("nav", **{"aria-label": "Journal pages"})
    assert [a["href"] for a in pager.all("a")] == [
        "/sessions/session_1?before=1",
        "/sessions/session_1?before=9",
    ]
    empty = session_page(some_session("words", waiting=[], past=[], journal=[])).html
    for words in ("Nothing waits", "No question of this session", "Nothing has happened here"):
        assert words in empty


def test_the_sessions_own_secret_never_stands_on_its_page() -> None:
    assert "never shown" not in session_page(some_session("words")).html


def test_the_page_holds_its_fragment() -> None:
    view = some_session("words", "/prod", later_path=None)
    live = parse(session_page(view).html).one("div", id="live")
    fragment = session_fragment(view)
    assert live["data-version"] == fragment.headers["ETag"]
    assert live["data-refresh"] == "/prod/sessions/session_1?fragment=1"
    assert live.text.strip() == parse(fragment.html).text.strip()


def test_an_older_page_of_the_journal_is_not_replaced_by_the_newest() -> None:
    older = parse(session_page(some_session("words", later_path="/later")).html)
    assert not older.one("div", id="live").has("data-refresh")
