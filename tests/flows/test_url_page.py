"""People are told of a card, and decide on Parley's own page behind a signed link."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from tests.flows.url_host import URL, UrlHost
from tests.parley import Answer, path_of

FORM = {"content-type": "application/x-www-form-urlencoded"}


def link(host: UrlHost) -> str:
    """The path of the page in the one notice that went out."""
    host.parley.run_queue("notices")
    (mail,) = host.parley.mails()
    return path_of(mail["link"])


def decide(host: UrlHost, path: str, action: str) -> Answer:
    """Post the page's form, without any key."""
    raw = urlencode({"action": action}).encode()
    return host.parley.http("POST", path, raw=raw, headers=FORM, key=None)


def test_a_card_is_told_once_with_host_and_server_and_without_its_address(host: UrlHost) -> None:
    session, (card,) = host.paused()
    host.parley.run_queue("notices")
    (mail,) = host.parley.mails()
    assert mail["kind"] == "card"
    assert (mail["server"], mail["tool_name"], mail["url_host"]) == (
        "acme",
        "report",
        "pay.acme.example",
    )
    assert "Server: acme" in mail["text"]
    assert "Page at: pay.acme.example" in mail["text"]
    assert URL not in str(mail)
    host.parley.clock.turn(minutes=3)
    host.parley.services.messenger.queue_notice(f"{session}/{card}", "card")
    host.parley.clean_up()
    host.parley.run_queue("notices")
    assert host.parley.mails() == []


def test_a_notice_that_was_lost_goes_out_with_cleanup(host: UrlHost) -> None:
    host.paused()
    url = host.parley.services.settings.notices_queue_url
    host.parley.aws.sqs.purge_queue(QueueUrl=url)
    host.parley.clock.turn(minutes=3)
    assert host.parley.clean_up()["resent"] == 1
    assert link(host).startswith("/c/")


def test_a_decided_card_is_not_told_any_more(host: UrlHost) -> None:
    session, (card,) = host.paused()
    host.consent(session, card)
    host.parley.run_queue("notices")
    assert host.parley.mails() == []


def test_looking_changes_nothing(host: UrlHost) -> None:
    session, _ = host.paused()
    path = link(host)
    before = host.rows(session)
    for method in ("GET", "HEAD", "GET"):
        got = host.parley.http(method, path, key=None)
        assert got.status == 200
    assert "pay.acme.example" in host.parley.http("GET", path, key=None).text
    assert host.rows(session) == before


def test_the_link_holder_accepts(host: UrlHost) -> None:
    session, (card,) = host.paused()
    host.acme.done = True
    got = decide(host, link(host), "accept")
    assert got.status == 200
    assert "You said that you have finished" in got.text
    host.work()
    assert host.results(session)[-1]["result"][0]["text"] == "the report"
    row = host.parley.services.relay.rows.card(session, card)
    assert row is not None
    assert row.decided_by is not None
    assert (row.decided_by.name, row.decided_by.channel.value) == ("link holder", "link")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_the_link_holder_says_no(host: UrlHost, action: str) -> None:
    session, _ = host.paused()
    got = decide(host, link(host), action)
    assert "You declined" in got.text
    assert host.confirmations(session)[0]["action"] == "decline"


def test_a_page_says_what_was_decided_before(host: UrlHost) -> None:
    session, (card,) = host.paused()
    path = link(host)
    host.consent(session, card)
    assert "already decided" in host.parley.http("GET", path, key=None).text
    got = decide(host, path, "decline")
    assert got.status == 409
    assert host.confirmations(session)[0]["action"] == "accept"


def test_a_page_says_that_the_time_is_over(host: UrlHost) -> None:
    session, _ = host.paused()
    path = link(host)
    host.parley.clock.turn(seconds=301)
    got = decide(host, path, "accept")
    assert got.status == 410
    assert "The time to decide is over" in got.text
    assert host.confirmations(session)[0]["status"] == "timeout"


def test_a_form_that_says_nothing_decides_nothing(host: UrlHost) -> None:
    session, _ = host.paused()
    assert decide(host, link(host), "maybe").status == 422
    assert host.status(session) == "waiting_for_tool_results"


def test_a_link_that_is_not_ours_opens_nothing(host: UrlHost) -> None:
    host.paused()
    path = link(host)
    for wrong in (path[:-2], f"{path}x", "/c/nope"):
        assert host.parley.http("GET", wrong, key=None).status == 404
        assert decide(host, wrong, "accept").status == 404


def test_a_link_of_a_question_is_no_link_of_a_card(host: UrlHost) -> None:
    session = host.parley.open_session()
    host.parley.ask(session)
    path = link(host)
    assert path.startswith("/a/")
    assert host.parley.http("GET", path.replace("/a/", "/c/"), key=None).status == 404
