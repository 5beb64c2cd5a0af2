"""Which pages a person may be sent to, and what bounds a stranger's words.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import pytest

from tests.flows.url_host import UrlHost
from tests.outbound.mcp_client.scripts import result
from tests.parley import Parley

REFUSED = [
    "http://acme.example/",
    "javascript:alert(1)",
    "/connect",
    "https://bank.example@evil.example/",
    "https://acme.example/\u202egpj",
    "https://acme.example/" + "a" * 2048,
]
"""One of each kind; `tests/domain/test_urls.py` has them all."""


@pytest.mark.parametrize("url", REFUSED)
def test_a_refused_address_is_a_tool_error_and_nobody_is_asked(host: UrlHost, url: str) -> None:
    """85, 86, 87, 92, 93, 94, 95."""
    host.acme.url = url
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.status(session) == "idle"
    assert "tool.call_requested" not in host.types(session)
    (told,) = host.results(session)
    assert (told["success"], told["status"]) == (False, "error")
    assert "refused" in told["error"]


@pytest.mark.parametrize(
    ("url", "flagged"),
    [
        ("https://acme.example/", False),
        ("https://xn--80ak6aa92e.example/", True),
        ("https://pay.XN--80AK6AA92E.example/", True),
        ("https://acme.example/xn--80ak6aa92e?q=xn--a", False),
        ("https://äcme.example/", True),
    ],
)
def test_punycode_in_the_host_is_flagged(host: UrlHost, url: str, flagged: bool) -> None:
    """83, 88, 89, 90, 91."""
    host.acme.url = url
    session, _ = host.paused()
    assert host.asked(session)[0]["arguments"]["url_is_punycode"] is flagged


@pytest.mark.parametrize(
    "url", ["http://localhost:1/x", "http://127.0.0.1:1/x", "http://[::1]:1/x"]
)
def test_loopback_is_for_local_mode(host: UrlHost, url: str) -> None:
    """84."""
    host.acme.url = url
    host.paused()


def test_elsewhere_loopback_is_refused(host: UrlHost) -> None:
    """84."""
    from dataclasses import replace

    relay = host.parley.services.relay
    host.parley.services.__dict__["relay"] = replace(relay, allow_loopback=False)
    host.acme.url = "http://localhost:1/x"
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.status(session) == "idle"
    assert host.results(session)[0]["status"] == "error"


def test_a_long_message_is_bounded(host: UrlHost) -> None:
    """94."""
    params = {"mode": "url", "url": host.acme.url, "message": "m" * 50_000}
    request = {"method": "elicitation/create", "params": params}
    value = {"resultType": "input_required", "inputRequests": {"k": request}}
    host.acme.script = lambda asked: result(asked, value)
    session, _ = host.paused()
    message = host.asked(session)[0]["arguments"]["message"]
    assert len(message) == 2000
    assert message.endswith("…")


def test_more_pages_than_a_person_can_judge_fail_the_call(host: UrlHost) -> None:
    request = {"method": "elicitation/create", "params": {"mode": "url", "url": host.acme.url}}
    requests = {str(number): request for number in range(6)}
    value = {"resultType": "input_required", "inputRequests": requests}
    host.acme.script = lambda asked: result(asked, value)
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.status(session) == "idle"
    assert "6 at once" in host.results(session)[0]["error"]


def test_a_result_too_long_for_the_journal_is_cut_and_says_so(host: UrlHost) -> None:
    content = [{"type": "text", "text": "z" * 200_000}]
    host.acme.script = lambda asked: result(asked, {"resultType": "complete", "content": content})
    session = host.session()
    host.post(session, "report")
    host.work()
    text = host.results(session)[0]["result"][0]["text"]
    assert text.endswith("[... cut short]")
    assert len(text) < 40_000


def test_an_agent_that_keeps_asking_for_pages_gets_no_more_cards(host: UrlHost) -> None:
    """A server that is never satisfied costs a person ten decisions in a turn at most."""
    session, (card,) = host.paused()
    for _ in range(9):
        assert host.consent(session, card).status == 200
        host.work()
        (asked,) = host.asked(session)
        card = asked["id"]
    assert host.consent(session, card).status == 200
    host.work()
    assert host.status(session) == "idle"
    assert host.types(session).count("tool.call_requested") == 10


def test_a_private_address_is_reached_only_where_the_operator_allows_it(parley: Parley) -> None:
    body = {"name": "inside", "url": "https://10.0.0.1/mcp"}
    assert parley.http("POST", "/api/v1/mcp-servers", body).status == 201
    record = parley.services.relay.registry.get("inside")
    assert record is not None
    connection = parley.services.relay.connect(record, known=None, declares_url=True)
    outcome = connection.call("x", {}, None)
    assert "not allowed" in getattr(outcome, "message", "")
