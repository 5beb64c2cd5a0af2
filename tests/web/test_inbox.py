"""The inbox."""

from __future__ import annotations

from chalicelib.domain.lost import LostReason
from chalicelib.domain.session import HostStatus
from chalicelib.web.fragments import unless_known
from chalicelib.web.inbox import inbox_fragment, inbox_page
from chalicelib.web.waiting import Query
from tests.web.gallery import some_inbox
from tests.web.html import Element, parse
from tests.web.samples import MINUTE, NOW, lost, session


def rows(page: Element) -> list[Element]:
    return [row for row in page.all("li") if row.has("data-row")]


def test_every_question_links_to_its_page_and_its_session() -> None:
    page = parse(inbox_page(some_inbox("words", "/prod")).html)
    links = {row["data-row"]: [a["href"] for a in row.all("a")] for row in rows(page)}
    assert links == {
        "key-0": ["/prod/a/token-0", "/prod/sessions/session_0"],
        "key-1": ["/prod/a/token-1", "/prod/sessions/session_1"],
        "url_elicitation_1": ["/prod/cards/url_elicitation_1", "/prod/sessions/session_1"],
    }


def test_ticks_belong_to_the_batch_form_though_the_list_is_outside_of_it() -> None:
    page = parse(inbox_page(some_inbox("words")).html)
    form = page.one("form", id="batch")
    assert form["action"] == "/inbox/decline"
    assert form["method"] == "post"
    ticks = page.all("input", name="key")
    assert {tick["form"] for tick in ticks} == {"batch"}
    assert page.one("button", id="decline-selected")["form"] == "batch"


def test_a_reader_who_may_not_answer_can_choose_nothing() -> None:
    page = parse(inbox_page(some_inbox("words", may_answer=False)).html)
    assert not page.all("input", name="key")
    assert not page.all("button", id="decline-selected")


def test_the_filter_keeps_what_was_searched_for() -> None:
    query = Query(text="two words", session="session_1", tool="words")
    page = parse(inbox_page(some_inbox("words", query=query)).html)
    assert page.one("input", name="q")["value"] == "two words"
    chosen = {option["value"] for option in page.all("option") if option.has("selected")}
    assert chosen == {"session_1", "words"}
    assert rows(page) == []
    assert "Show all 3" in page.text


def test_sessions_are_listed_only_when_they_need_a_look() -> None:
    listed = [
        session(id="quiet", title="Quiet"),
        session(id="waits", title="Waits", live={"k": NOW + MINUTE, "l": NOW + MINUTE}),
        session(id="lost", title="Lost", lost=lost(LostReason.EXPIRED)),
        session(id="over", title="Over", status=HostStatus.ARCHIVED, live={"k": NOW + MINUTE}),
    ]
    text = parse(inbox_page(some_inbox("words", waiting=[], sessions=listed)).html).text
    assert "Waits" in text
    assert "Needs input · 2 waiting" in text
    assert "Lost" in text
    assert "Quiet" not in text
    assert "Over" not in text


def test_a_cut_list_says_so() -> None:
    assert "There are more than fit here" in inbox_page(some_inbox("words", is_cut=True)).html
    assert "There are more than fit here" not in inbox_page(some_inbox("words")).html


def test_empty_parts_say_that_they_are_empty() -> None:
    text = inbox_page(some_inbox("words", waiting=[], sessions=[])).html
    assert "Nobody is waiting for you." in text
    assert "No session needs input" in text


def test_single_keys_are_documented_on_the_page() -> None:
    keys = parse(inbox_page(some_inbox("words")).html).one("details", id="keys")
    assert {kbd.text for kbd in keys.all("kbd")} >= {"j", "k", "x", "/", "r", "?", "Enter"}


def test_the_page_holds_its_fragment_and_the_fragments_version() -> None:
    inbox = some_inbox("words", "/prod", query=Query(text="w"))
    fragment = inbox_fragment(inbox)
    page = parse(inbox_page(inbox).html)
    live = page.one("div", id="live")
    assert live["data-version"] == fragment.headers["ETag"]
    assert live["data-refresh"] == "/prod/?q=w&fragment=1"
    assert live.text.strip() == parse(fragment.html).text.strip()


def test_a_fragment_stays_the_same_while_only_seconds_pass() -> None:
    before = inbox_fragment(some_inbox("words", now=NOW))
    after = inbox_fragment(some_inbox("words", now=NOW + MINUTE / 60))
    gone = inbox_fragment(some_inbox("words", waiting=[]))
    assert before.headers["ETag"] == after.headers["ETag"] != gone.headers["ETag"]
    assert unless_known(after, before.headers["ETag"]).status == 304
    assert unless_known(gone, before.headers["ETag"]) is gone
