"""A tool call that needs a person pauses the turn, for hosts that said they can ask one.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.flows.url_host import CONFIRM, URL, UrlHost
from tests.outbound.mcp_client.scripts import result

CARD_ID = re.compile(
    r"url_elicitation_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)

FIRST_HALF = [
    "session.opened",
    "input.message",
    "session.activated",
    "turn.started",
    "reason.started",
    "output.message.completed",
    "reason.completed",
    "act.started",
    "tool.started",
    "tool.completed",
    "act.completed",
    "tool.call_requested",
    "session.needs_input",
]


def test_hints_are_kept_and_unknown_ones_accepted(host: UrlHost) -> None:
    """1, 4."""
    opened = host.parley.open_session(hints={"url_elicitation": True, "colour": "blue"})
    assert opened["hints"] == {"url_elicitation": True, "colour": "blue"}
    assert opened["status"] == "running"


@pytest.mark.parametrize("hint", [{}, {"url_elicitation": "true"}, {"url_elicitation": 1}])
def test_only_the_json_value_true_is_a_hint(host: UrlHost, hint: dict[str, Any]) -> None:
    """2, 3, 107."""
    session = host.session(hints=hint)
    host.post(session, "report")
    host.work()
    assert host.status(session) == "idle"
    assert "tool.call_requested" not in host.types(session)


def test_a_message_may_carry_the_hint(host: UrlHost) -> None:
    session = host.session(hints={})
    host.post(session, "report", controls={"hints": {"url_elicitation": True}})
    host.work()
    assert host.status(session) == "waiting_for_tool_results"


def test_a_message_may_take_the_hint_back(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "report", controls={"hints": {"url_elicitation": False}})
    host.work()
    assert host.status(session) == "idle"


def test_the_turn_pauses_in_this_order_of_events(host: UrlHost) -> None:
    """8, 9, 15, 16, 17."""
    session, cards = host.paused()
    assert host.types(session) == FIRST_HALF
    assert len(cards) == 1
    (done,) = host.results(session)
    assert (done["success"], done["status"]) == (True, "success")
    assert json.loads(done["result"][0]["text"])["code"] == "url_elicitation_required"
    counts = host.events(session, "act.completed")[0]["data"]
    assert counts == {"completed": 1, "success_count": 1, "error_count": 0}


def test_a_card_names_all_that_a_surface_needs(host: UrlHost) -> None:
    """10, 11, 12, 13, 14."""
    session, _ = host.paused()
    (call,) = host.asked(session)
    assert CARD_ID.fullmatch(call["id"])
    assert call["name"] == CONFIRM
    arguments = call["arguments"]
    expires_at = arguments.pop("expires_at")
    assert arguments == {
        "server": "acme",
        "tool": "report",
        "retry_tool": "mcp_acme__report",
        "message": "Please finish this.",
        "url": URL,
        "url_host": "pay.acme.example",
        "url_is_punycode": False,
        "action": "pending",
    }
    assert expires_at.startswith(f"{host.parley.clock.now:%Y}")


def test_the_host_is_shown_in_lower_case_ascii_without_its_port(host: UrlHost) -> None:
    """14, 88, 89, 91: and the address as the server wrote it."""
    host.acme.url = "https://PAY.Bücher.example:8443/x?n=Ü"
    session, _ = host.paused()
    arguments = host.asked(session)[0]["arguments"]
    assert arguments["url"] == host.acme.url
    assert arguments["url_host"] == "pay.xn--bcher-kva.example"
    assert arguments["url_is_punycode"] is True


def test_calls_of_one_act_that_ask_share_one_event(host: UrlHost) -> None:
    """18."""
    session, cards = host.paused("report", "report")
    assert len(set(cards)) == 2
    assert host.types(session).count("tool.call_requested") == 1


def test_several_urls_of_one_call_are_a_card_each(host: UrlHost) -> None:
    params = {"mode": "url", "message": "One of two."}
    requests = {
        key: {"method": "elicitation/create", "params": {**params, "url": f"{URL}&n={key}"}}
        for key in ("a", "b")
    }
    value = {"resultType": "input_required", "inputRequests": requests, "requestState": "s"}
    host.acme.script = lambda asked: result(asked, value)
    session, cards = host.paused()
    assert len(cards) == 2
    host.consent(session, cards[0])
    assert host.status(session) == "waiting_for_tool_results"
    host.consent(session, cards[1])
    host.work()
    again = host.acme.of("report")[1]
    assert again["inputResponses"] == {"a": {"action": "accept"}, "b": {"action": "accept"}}


def test_a_call_that_needs_nobody_is_made_once(host: UrlHost) -> None:
    """19."""
    session, cards = host.paused("plain", "report")
    host.acme.done = True
    host.consent(session, cards[0])
    host.work()
    assert len(host.acme.of("plain")) == 1
    assert [r["success"] for r in host.results(session, "mcp_acme__plain")] == [True]
    assert host.status(session) == "idle"


def test_the_address_is_never_fetched(host: UrlHost) -> None:
    """20."""
    host.acme.url = f"{host.upstream.origin}/connect"
    host.paused()
    assert {asked.path for asked in host.upstream.asked} == {"/mcp"}


def test_request_state_leaves_only_for_its_server(host: UrlHost) -> None:
    """21: not in events, messages or answers, and encrypted at rest."""
    session, cards = host.paused()
    state = host.acme.states[0]
    assert len(state.split()) == 3
    shown = json.dumps([host.events(session), host.said(session), host.parley.session(session)])
    stored = repr(host.rows(session))
    for text in (state, json.dumps(state)[1:-1], "state-1"):
        assert text not in shown
        assert text not in stored
    host.consent(session, cards[0])
    host.work()
    assert host.acme.of("report")[1]["requestState"] == state


def test_a_server_without_words_gets_a_general_sentence(host: UrlHost) -> None:
    """22."""
    request = {"method": "elicitation/create", "params": {"mode": "url", "url": URL}}
    value = {"resultType": "input_required", "inputRequests": {"k": request}}
    host.acme.script = lambda asked: result(asked, value)
    session, _ = host.paused()
    message = host.asked(session)[0]["arguments"]["message"]
    assert message == "This tool needs you to finish a step in your browser."


def test_without_the_hint_the_agent_relays_the_link(host: UrlHost) -> None:
    """106, 107, 108, 110, 111."""
    session = host.session(hints={})
    host.post(session, "report")
    host.work()
    (done,) = host.results(session)
    assert json.loads(done["result"][0]["text"]) == {
        "code": "url_elicitation_required",
        "url": URL,
        "url_host": "pay.acme.example",
        "url_is_punycode": False,
        "server": "acme",
        "tool": "report",
        "retry_tool": "mcp_acme__report",
        "message": "Please finish this.",
        "declined": False,
    }
    assert host.types(session)[-4:] == [
        "output.message.completed",
        "reason.completed",
        "turn.completed",
        "session.idled",
    ]
    assert URL in host.said(session)[-1][1]
    bogus = host.consent(session, "url_elicitation_x")
    assert (bogus.status, bogus.code) == (409, "not_waiting")


def test_without_the_hint_every_call_asks_anew(host: UrlHost) -> None:
    """109."""
    session = host.session(hints={})
    for _ in range(2):
        host.post(session, "report")
        host.work()
    assert len(host.acme.states) == 2
    assert all("requestState" not in params for params in host.acme.of("report"))


@pytest.mark.parametrize("path", ["messages", "mcp-elicitation-consent", "cancel"])
def test_an_unknown_session_is_not_found(host: UrlHost, path: str) -> None:
    """6: ids are the host's to choose, so there is no malformed one; unknown is unknown."""
    message = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    bodies = {
        "messages": {"message": message},
        "mcp-elicitation-consent": {"tool_call_id": "x", "action": "accept"},
        "cancel": {},
    }
    got = host.parley.http("POST", f"/api/v1/sessions/nope/{path}", bodies[path])
    assert (got.status, got.code) == (404, "not_found")
