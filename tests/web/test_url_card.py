"""The page that leads to another site."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.cards import CardStatus
from chalicelib.domain.urls import check_elicitation_url
from chalicelib.web.asker import Asker
from chalicelib.web.page import Page
from chalicelib.web.url_card import asker_of_card, card_outcome_page, url_page
from tests.web.html import parse
from tests.web.samples import BY_ALICE, MINUTE, NOW, card

LONG = "https://accounts.example.com:8443/o/authorize?client=" + "a1" * 300 + "&x=<&y='#end"


def page(raw: str = LONG) -> Page:
    return url_page(
        check_elicitation_url(raw, allow_loopback_http=False),
        message="Connect your account.",
        asker=asker_of_card(card(), "Nightly release"),
        expires_at=NOW + 5 * MINUTE,
        now=NOW,
        action_path="/a/token",
        base_path="",
    )


def test_the_whole_address_is_shown_with_its_host_set_apart() -> None:
    shown = parse(page().html)
    assert shown.one("p", **{"class": "url"}).text == LONG
    assert shown.one("p", **{"class": "url"}).one("b").text == "accounts.example.com"
    assert shown.one("p", **{"class": "host"}).text == "accounts.example.com"


def test_it_is_opened_by_a_click_only_and_tells_the_site_nothing() -> None:
    shown = parse(page().html)
    (link,) = [a for a in shown.all("a") if a["href"].startswith("http")]
    assert link["href"] == LONG
    assert link["target"] == "_blank"
    assert link["rel"] == "noopener noreferrer"
    rels = {element["rel"] for element in shown.all("link")}
    assert rels == {"icon", "stylesheet"}


@pytest.mark.parametrize(
    ("raw", "warns"),
    [
        ("https://example.com/", False),
        ("https://xn--pypal-4ve.example/", True),
        ("https://pаypal.example/", True),  # a Cyrillic letter
    ],
)
def test_hosts_in_other_alphabets_are_warned_about_and_shown_in_ascii(
    raw: str, warns: bool
) -> None:
    shown = parse(page(raw).html)
    assert ("Look closely at this host" in shown.text) is warns
    assert shown.one("p", **{"class": "host"}).text.isascii()


def test_who_asks_names_the_server() -> None:
    text = " ".join(parse(page().html).text.split())
    assert "Tool list_repos of server github in session Nightly release writes:" in text


def test_finishing_declining_and_dismissing_are_the_three_answers() -> None:
    form = parse(page().html).one("form")
    assert [(b.text, b["value"]) for b in form.all("button")] == [
        ("I have finished", "accept"),
        ("Decline", "decline"),
        ("Dismiss", "cancel"),
    ]


@pytest.mark.parametrize(
    ("over", "how", "status", "words"),
    [
        ({"status": CardStatus.ACCEPT}, {"just_now": True}, 200, "You said that you have finished"),
        ({"status": CardStatus.DECLINE}, {"just_now": True}, 200, "You declined"),
        ({"status": CardStatus.ACCEPT}, {}, 200, "This request is already decided"),
        ({"status": CardStatus.DECLINE}, {"refused": True}, 409, "This request is already decided"),
        ({"status": CardStatus.TIMEOUT}, {}, 410, "The time to decide is over"),
        ({"status": CardStatus.PENDING}, {"refused": True}, 410, "The time to decide is over"),
        ({"status": CardStatus.CANCELLED}, {}, 410, "The request was taken back"),
    ],
)
def test_a_card_that_is_closed_says_what_happened(
    over: dict[str, Any], how: dict[str, Any], status: int, words: str
) -> None:
    decided = card(decided_at=NOW, decided_by=BY_ALICE, **over)
    shown = card_outcome_page(decided, session_title=None, base_path="", **how)
    assert shown.status == status
    assert parse(shown.html).one("h1").text == words


def test_a_decided_card_names_who_decided() -> None:
    decided = card(status=CardStatus.ACCEPT, decided_at=NOW, decided_by=BY_ALICE)
    text = card_outcome_page(decided, session_title=None, base_path="").html
    assert "marked as finished by alice at 1 Dec 2026, 03:00 UTC" in text


def test_the_asker_of_a_card_is_its_server_and_tool() -> None:
    assert asker_of_card(card(), None) == Asker(
        tool="list_repos", server="github", session="session_1", context=None, asked_at=NOW
    )
