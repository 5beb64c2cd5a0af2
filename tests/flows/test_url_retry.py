"""The repeated call: one consent, one call, one origin, one set of arguments; what else is asked
anew.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.flows.url_host import UrlHost, complete, url_host
from tests.outbound.mcp_client.scripts import error, result, wants_url
from tests.outbound.upstream import Asked, Told, json_told
from tests.parley import Parley

META = "io.modelcontextprotocol/"


def test_every_request_declares_what_can_be_shown(host: UrlHost) -> None:
    """55, 56."""
    session, (card,) = host.paused()
    host.consent(session, card)
    host.work()
    for asked in host.upstream.asked:
        meta = asked.json["params"]["_meta"]
        assert meta[f"{META}clientCapabilities"] == {"elicitation": {"url": {}}}
        assert meta[f"{META}protocolVersion"] == asked.headers["mcp-protocol-version"]


def test_an_unattended_session_declares_nothing(host: UrlHost) -> None:
    """55: nobody reads what the agent relays."""
    session = host.session(hints={"unattended": True})
    host.post(session, "plain")
    host.work()
    for asked in host.upstream.asked:
        assert asked.json["params"]["_meta"][f"{META}clientCapabilities"] == {}


@pytest.mark.parametrize("state", ["x" * 20_000, "ünï\U0001f511 \t\"'\\", "0"])
def test_request_state_comes_back_byte_for_byte(host: UrlHost, state: str) -> None:
    """58."""
    host.acme.script = lambda asked: result(asked, wants_url(host.acme.url, state=state))
    session, (card,) = host.paused()
    host.consent(session, card)
    host.work()
    assert host.acme.of("report")[1]["requestState"] == state


def test_no_state_in_the_round_none_in_the_retry(host: UrlHost) -> None:
    """57, 58."""
    host.acme.script = lambda asked: result(asked, wants_url(host.acme.url, key="k ü", state=None))
    session, (card,) = host.paused()
    host.consent(session, card)
    host.work()
    again = host.acme.of("report")[1]
    assert "requestState" not in again
    assert again["inputResponses"] == {"k ü": {"action": "accept"}}


def test_more_state_than_can_be_kept_fails_the_call(host: UrlHost) -> None:
    host.acme.script = lambda asked: result(
        asked, wants_url(host.acme.url, state="x" * (32 * 1024 + 1))
    )
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.status(session) == "idle"
    assert "over 32 KiB" in host.results(session)[0]["error"]


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "elicitation/create", "params": {"mode": "form", "message": "m"}},
        {"method": "elicitation/create", "params": {"message": "m", "url": "https://a.example/"}},
        {"method": "sampling/createMessage", "params": {}},
        {"method": "roots/list"},
    ],
    ids=["form", "no mode", "sampling", "roots"],
)
def test_what_cannot_be_relayed_fails_the_call_by_its_key(
    host: UrlHost, request_: Mapping[str, Any]
) -> None:
    """62, 63."""
    value = {"resultType": "input_required", "inputRequests": {"odd": request_}}
    host.acme.script = lambda asked: result(asked, value)
    session = host.session()
    host.post(session, "report")
    host.work()
    (told,) = host.results(session)
    assert (told["success"], told["status"]) == (False, "error")
    assert "odd" in told["error"]
    assert host.status(session) == "idle"


def test_a_server_that_only_wants_another_round_gets_three(host: UrlHost) -> None:
    """61, 64."""
    value = {"resultType": "input_required", "requestState": "s"}
    host.acme.script = lambda asked: result(asked, value)
    session = host.session()
    host.post(session, "report")
    host.work()
    assert len(host.acme.calls) == 3
    assert "still wants another round" in host.results(session)[0]["error"]


def test_stale_state_starts_the_call_over_with_the_same_consent(host: UrlHost) -> None:
    """65, 70: the fresh round at the same origin is answered; three calls at most."""
    session, (card,) = host.paused()
    host.acme.done = True
    host.acme.states.clear()

    def stale(asked: Asked) -> Told:
        if "requestState" in asked.json["params"]:
            host.acme.script = None
            return error(asked, -32602, data={"reason": "invalid_request_state"})
        raise AssertionError("the stored round goes first")

    host.acme.script = stale
    host.consent(session, card)
    host.work()
    assert host.status(session) == "idle"
    assert host.results(session)[-1]["result"][0]["text"] == "the report"
    assert len(host.acme.of("report")) == 4


def test_a_host_that_changed_meanwhile_is_asked_anew(host: UrlHost) -> None:
    """72, 73, 74: another host, sub-domain, port or scheme is another origin."""
    session, (card,) = host.paused()
    for url in (
        "https://evil.example/connect",
        "https://sub.pay.acme.example/connect?ref=rev-2026-08",
        "https://pay.acme.example:8443/connect?ref=rev-2026-08",
    ):
        host.acme.url = url
        host.acme.states.clear()  # the server knows its old state no more
        host.acme.script = stale_once(host)
        calls = len(host.acme.calls)
        assert host.consent(session, card).status == 200
        host.work()
        asks = [params for params in host.acme.calls[calls:] if "inputResponses" in params]
        assert len(asks) == 1, "the stored round only; the new host gets no accept"
        assert host.status(session) == "waiting_for_tool_results"
        (asked,) = host.asked(session)
        assert asked["arguments"]["url"] == url
        assert host.consent_rows(session) == []
        card = asked["id"]


def stale_once(host: UrlHost) -> Any:
    """A server that turns one call down for its state, and then is itself again."""

    def script(asked: Asked) -> Told:
        host.acme.script = None
        return error(asked, -32602, data={"reason": "invalid_request_state"})

    return script


def test_an_http_error_on_the_retry_is_a_tool_error_and_ends_the_consent(host: UrlHost) -> None:
    """68."""
    session, (card,) = host.paused()
    host.acme.script = lambda asked: json_told({"no": "rpc"}, 500)
    host.consent(session, card)
    host.work()
    told = host.results(session)[-1]
    assert (told["success"], told["status"]) == (False, "error")
    assert host.status(session) == "idle"
    assert host.consent_rows(session) == []
    assert host.consent(session, card).status == 409


def change_row(host: UrlHost, session: str, prefix: str, name: str, value: Any) -> None:
    """Write into a row behind the service's back."""
    (row,) = [item for item in host.rows(session) if item["sk"]["S"].startswith(prefix)]
    host.parley.aws.dynamodb.put_item(
        TableName=host.parley.environ["PARLEY_TABLE"], Item={**row, name: value}
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("expires_at", {"N": "1"}),
        ("binding", {"S": "no json"}),
        ("binding", {"S": "{}"}),
        ("granted_by", {"S": "[]"}),
    ],
    ids=["expired", "corrupt", "empty", "by nobody"],
)
def test_a_consent_that_is_not_good_any_more_is_no_yes(
    host: UrlHost, name: str, value: Any
) -> None:
    """76, 77."""
    session, (card,) = host.paused()
    host.acme.done = True
    host.consent(session, card)
    change_row(host, session, "CONSENT#", name, value)
    host.work()
    assert all("inputResponses" not in params for params in host.acme.calls)
    assert host.status(session) == "waiting_for_tool_results"


@pytest.mark.parametrize("part", ["server", "tool", "origin", "arguments_digest", "session_id"])
def test_a_consent_for_something_else_is_no_yes(host: UrlHost, part: str) -> None:
    """73, 74, 75, 80, 82."""
    session, (card,) = host.paused(arguments={"charge": 10})
    host.acme.done = True
    host.consent(session, card)
    binding = json.loads(host.consent_rows(session)[0]["binding"]["S"])
    change_row(
        host, session, "CONSENT#", "binding", {"S": json.dumps({**binding, part: "another"})}
    )
    host.work()
    assert all("inputResponses" not in params for params in host.acme.calls)
    assert host.status(session) == "waiting_for_tool_results"


def test_changed_arguments_are_another_call(host: UrlHost) -> None:
    """82."""
    session, (card,) = host.paused(arguments={"charge": 10})
    host.consent(session, card)
    (row,) = [item for item in host.rows(session) if item["sk"]["S"].startswith("TURN#")]
    calls = json.loads(row["calls"]["S"])
    calls[0]["wish"]["arguments"] = {"charge": 9999}
    change_row(host, session, "TURN#", "calls", {"S": json.dumps(calls)})
    host.work()
    assert all("inputResponses" not in params for params in host.acme.calls)
    assert host.status(session) == "waiting_for_tool_results"


def test_a_call_that_the_person_answered_elsewhere_completes(host: UrlHost) -> None:
    """66: a result without its type is complete."""
    host.acme.script = lambda asked: result(asked, {"content": [{"type": "text", "text": "old"}]})
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.results(session)[0]["result"] == [{"type": "text", "text": "old"}]


def test_results_framed_as_a_stream_are_read(host: UrlHost) -> None:
    """67."""
    from tests.outbound.upstream import sse_told

    def script(asked: Asked) -> Told:
        plain = json.loads(complete(asked).body)
        return sse_told(f"data: {json.dumps(plain)}\n\n".encode())

    host.acme.script = script
    session = host.session()
    host.post(session, "report")
    host.work()
    assert host.results(session)[0]["result"][0]["text"] == "the report"


def test_a_2025_server_asks_by_error_and_is_called_plainly_again(
    parley: Parley, kms_key: str
) -> None:
    with url_host(parley, kms_key, era="legacy") as host:
        asked_url = {"mode": "url", "elicitationId": "e1", "url": host.acme.url, "message": "m"}

        def script(asked: Asked) -> Told:
            if host.acme.done:
                return result(asked, {"content": [{"type": "text", "text": "done"}]})
            return error(asked, -32042, status=200, data={"elicitations": [asked_url]})

        host.acme.script = script
        session, (card,) = host.paused()
        host.acme.done = True
        host.consent(session, card)
        host.work()
        assert host.results(session)[-1]["result"] == [{"type": "text", "text": "done"}]
        assert "inputResponses" not in host.acme.calls[1]
        opened = [a for a in host.upstream.asked if a.json.get("method") == "initialize"]
        assert len(opened) == 1, "the server's session is kept with ours"
        other = host.session()
        host.post(other, "report")
        host.work()
        opened = [a for a in host.upstream.asked if a.json.get("method") == "initialize"]
        assert len(opened) == 2, "and never shared between sessions"


def test_the_era_is_found_once(host: UrlHost) -> None:
    for _ in range(2):
        session = host.session()
        host.post(session, "plain")
        host.work()
    assert len(host.upstream.messages("server/discover")) == 1
    assert len(host.upstream.messages("tools/list")) == 1
