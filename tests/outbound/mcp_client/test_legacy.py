"""The client against servers of the 2025 revisions, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.outbound.mcp_client.values import (
    Completed,
    Failed,
    FailureKind,
    ProtocolMode,
    Remembered,
    UpstreamFailed,
    UrlElicitationsRequired,
    UrlRequest,
)
from tests.outbound.mcp_client.scripts import client, error, legacy, result
from tests.outbound.upstream import Asked, Told, Upstream, json_told, serving, sse_told

CAPABILITY: dict[str, Any] = {"elicitation": {"url": {}}}
OPEN = Remembered(version="2025-11-25", mcp_session_id="session-1", declared=CAPABILITY, mirrors={})
ORIGIN = "https://a.example:443"


def fine(asked: Asked) -> Told:
    return result(asked, {"content": [{"type": "text", "text": "ok"}]})


def methods(upstream: Upstream) -> list[str]:
    return [asked.json.get("method", "(answer)") for asked in upstream.asked if asked.body]


def event(message: object, event_id: str | None = None) -> bytes:
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}data: {json.dumps(message)}\n\n".encode()


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_an_old_server_is_found_out_and_a_session_opened_with_it(version: str) -> None:
    with serving(legacy(fine, version=version)) as upstream:
        caller = client(upstream)
        assert isinstance(caller.call_tool("report", {"a": 1}), Completed)
        assert caller.remembered == Remembered(
            version=version, mcp_session_id="session-1", declared=CAPABILITY
        )
        assert "session-1" not in repr(caller.remembered)
    assert methods(upstream) == [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]
    _, opened, initialized, called = upstream.asked
    assert opened.json["params"]["protocolVersion"] == "2025-11-25"
    assert opened.json["params"]["capabilities"] == CAPABILITY
    assert "mcp-protocol-version" not in opened.headers
    assert "id" not in initialized.json
    for asked in (initialized, called):
        assert asked.headers["mcp-session-id"] == "session-1"
        assert asked.headers["mcp-protocol-version"] == version
    assert called.json["params"] == {"name": "report", "arguments": {"a": 1}}


@pytest.mark.parametrize(
    "mode", [ProtocolMode.V2025_11_25, ProtocolMode.V2025_06_18, ProtocolMode.V2025_03_26]
)
def test_a_pinned_revision_is_offered_without_probing(mode: ProtocolMode) -> None:
    with serving(legacy(fine, version=mode.value)) as upstream:
        assert [tool.name for tool in client(upstream, mode=mode).list_tools()] == ["report"]
    assert methods(upstream) == ["initialize", "notifications/initialized", "tools/list"]
    assert upstream.asked[0].json["params"]["protocolVersion"] == mode.value


@pytest.mark.parametrize(
    "told",
    [
        Told(400),
        Told(405, b"Method Not Allowed"),
        json_told({"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "x"}}, 400),
        json_told({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600}}, 400),
        Told(404, b"<html>", {"Content-Type": "text/html"}),
    ],
)
def test_whatever_an_old_server_says_to_a_modern_request_leads_to_initialize(told: Told) -> None:
    old = legacy(fine)
    with serving(lambda asked: told if "discover" in str(asked.body) else old(asked)) as upstream:
        assert isinstance(client(upstream).call_tool("report", {}), Completed)


def test_a_server_that_refuses_both_eras_is_reported_by_its_first_answer() -> None:
    def script(asked: Asked) -> Told:
        if asked.json["method"] == "server/discover":
            return error(asked, -32602, message="first answer")
        return error(asked, -32601, status=404, message="second answer")

    with serving(script) as upstream, pytest.raises(UpstreamFailed, match="first answer"):
        client(upstream).list_tools()


def test_no_revision_in_common_is_said_so() -> None:
    with serving(legacy(fine, version="2024-11-05")) as upstream:
        outcome = client(upstream).call_tool("report", {})
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.VERSION


def test_a_network_failure_is_no_verdict() -> None:
    with serving(legacy(fine)) as upstream:
        pass
    caller = client(upstream)
    outcome = caller.call_tool("report", {})
    assert outcome == Failed(FailureKind.UNREACHABLE, "no connection could be made")
    assert caller.remembered is None


def test_a_session_is_kept_for_the_next_client() -> None:
    with serving(legacy(fine)) as upstream:
        client(upstream, remembered=OPEN).call_tool("report", {})
    assert methods(upstream) == ["tools/call"]


def test_a_session_that_declared_something_else_is_not_used() -> None:
    with serving(legacy(fine, session="session-2")) as upstream:
        caller = client(upstream, remembered=OPEN, declares_url=False)
        caller.call_tool("report", {})
        assert caller.remembered is not None
        assert caller.remembered.declared == {}
    assert upstream.messages("initialize")[0].json["params"]["capabilities"] == {}
    assert upstream.messages("tools/call")[0].headers["mcp-session-id"] == "session-2"


def test_a_session_that_the_server_forgot_is_opened_anew_once() -> None:
    def call(asked: Asked) -> Told:
        return fine(asked) if asked.headers["mcp-session-id"] == "session-2" else Told(404)

    with serving(legacy(call, session="session-2")) as upstream:
        outcome = client(upstream, remembered=OPEN).call_tool("report", {})
        assert isinstance(outcome, Completed)
    assert methods(upstream).count("initialize") == 1
    assert methods(upstream).count("tools/call") == 2

    with serving(legacy(lambda asked: Told(404))) as upstream:
        lost = client(upstream, remembered=OPEN).call_tool("report", {})
    assert lost == Failed(FailureKind.HTTP, "the server answered HTTP 404")
    assert methods(upstream).count("tools/call") == 2


def entry(key: str) -> dict[str, Any]:
    url = f"https://a.example/{key}"
    return {"mode": "url", "elicitationId": key, "url": url, "message": f"Open {key}"}


@pytest.mark.parametrize("status", [200, 400])
def test_url_elicitations_in_an_error_are_handed_up_and_the_retry_is_plain(status: int) -> None:
    def call(asked: Asked) -> Told:
        data = {"elicitations": [entry("one"), entry("two")]}
        return error(asked, -32042, status=status, data=data)

    with serving(legacy(call)) as upstream:
        caller = client(upstream, remembered=OPEN)
        outcome = caller.call_tool("report", {"a": 1})
        caller.call_tool("report", {"a": 1}, request_state="x", input_responses={"one": {}})
    assert outcome == UrlElicitationsRequired(
        (
            UrlRequest("one", "https://a.example/one", "Open one", "one"),
            UrlRequest("two", "https://a.example/two", "Open two", "two"),
        ),
        request_state=None,
        legacy=True,
    )
    first, second = (asked.json for asked in upstream.messages("tools/call"))
    assert first["params"] == second["params"]
    assert first["id"] != second["id"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"elicitations": []},
        {"elicitations": {}},
        {"elicitations": [{**entry("one"), "mode": "form"}]},
        {"elicitations": [entry("one"), {"mode": "url", "url": "https://a.example/"}]},
    ],
)
def test_an_error_that_names_no_usable_urls_is_no_elicitation(data: Any) -> None:
    with serving(legacy(lambda asked: error(asked, -32042, data=data))) as upstream:
        outcome = client(upstream, remembered=OPEN).call_tool("report", {})
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.PROTOCOL


def asking(*requests: dict[str, Any]) -> Any:
    """A call whose stream asks these before it answers."""

    def call(asked: Asked) -> Told:
        said = [event({"jsonrpc": "2.0", **request}) for request in requests]
        response = {"jsonrpc": "2.0", "id": asked.json["id"], "result": {"content": []}}
        return sse_told(*said, event(response))

    return call


def url_question(key: str, url: str = "https://a.example/x") -> dict[str, Any]:
    return {"id": key, "method": "elicitation/create", "params": {**entry(key), "url": url}}


def answers(upstream: Upstream) -> list[dict[str, Any]]:
    posts = [asked for asked in upstream.asked if asked.body and "method" not in asked.json]
    assert all(asked.headers["mcp-session-id"] == "session-1" for asked in posts)
    return [asked.json for asked in posts]


def test_what_the_server_asks_on_the_stream_is_answered_or_refused() -> None:
    call = asking(
        {"id": 0, "method": "ping"},
        {"id": "a", "method": "sampling/createMessage", "params": {}},
        {"id": "b", "method": "elicitation/create", "params": {"message": "form"}},
        {"method": "notifications/elicitation/complete", "params": {"elicitationId": "unknown"}},
    )
    with serving(legacy(call)) as upstream:
        assert isinstance(client(upstream, remembered=OPEN).call_tool("report", {}), Completed)
    ping, sampling, form = answers(upstream)
    assert ping == {"jsonrpc": "2.0", "id": 0, "result": {}}
    assert (sampling["id"], sampling["error"]["code"]) == ("a", -32601)
    assert (form["id"], form["error"]["code"]) == ("b", -32602)


def test_a_url_asked_for_on_the_stream_ends_the_call_and_is_handed_up() -> None:
    with serving(legacy(asking(url_question("one")))) as upstream:
        outcome = client(upstream, remembered=OPEN).call_tool("report", {})
    assert outcome == UrlElicitationsRequired(
        (UrlRequest("one", "https://a.example/x", "Open one", "one"),), legacy=True
    )
    assert answers(upstream) == []
    (cancelled,) = upstream.messages("notifications/cancelled")
    called = upstream.messages("tools/call")[0].json
    assert cancelled.json["params"]["requestId"] == called["id"]


def test_after_consent_the_same_origin_is_accepted_once() -> None:
    call = asking(url_question("one", "https://a.example/fresh"))
    with serving(legacy(call)) as upstream:
        caller = client(upstream, remembered=OPEN)
        assert isinstance(caller.call_tool("report", {}, consented_origin=ORIGIN), Completed)
    assert answers(upstream) == [{"jsonrpc": "2.0", "id": "one", "result": {"action": "accept"}}]

    with serving(legacy(asking(url_question("one"), url_question("two")))) as upstream:
        caller = client(upstream, remembered=OPEN)
        outcome = caller.call_tool("report", {}, consented_origin=ORIGIN)
    assert isinstance(outcome, UrlElicitationsRequired)
    assert [request.key for request in outcome.requests] == ["two"]


@pytest.mark.parametrize(
    "url",
    ["https://b.example/", "https://a.example:8443/", "https://sub.a.example/", "http://a.example"],
)
def test_after_consent_another_origin_asks_anew(url: str) -> None:
    with serving(legacy(asking(url_question("one", url)))) as upstream:
        caller = client(upstream, remembered=OPEN)
        outcome = caller.call_tool("report", {}, consented_origin=ORIGIN)
    assert isinstance(outcome, UrlElicitationsRequired)
    assert answers(upstream) == []


def test_a_stream_that_was_cut_off_is_resumed_from_its_last_event() -> None:
    asked_for: list[str | None] = []

    def call(asked: Asked) -> Told:
        if asked.method == "POST":
            note = event({"jsonrpc": "2.0", "method": "notifications/message"}, "7")
            return sse_told(b"retry: 20\n\n", note, b"data: half an eve")
        asked_for.append(asked.headers.get("last-event-id"))
        if len(asked_for) == 1:
            return sse_told(event({"jsonrpc": "2.0", "method": "notifications/message"}, "8"))
        response = {"jsonrpc": "2.0", "id": call_id(), "result": {"content": []}}
        return sse_told(event(response, "9"))

    pauses: list[float] = []
    with serving(legacy(call)) as upstream:

        def call_id() -> str:
            return str(upstream.messages("tools/call")[0].json["id"])

        caller = client(upstream, remembered=OPEN, pauses=pauses)
        assert isinstance(caller.call_tool("report", {}), Completed)
    assert asked_for == ["7", "8"]
    assert pauses == [0.02, 0.02]
    assert len(upstream.messages("tools/call")) == 1


@pytest.mark.parametrize("event_id", [None, "7"])
def test_a_stream_that_cannot_be_resumed_is_lost(event_id: str | None) -> None:
    def call(asked: Asked) -> Told:
        if asked.method == "POST":
            return sse_told(event({"jsonrpc": "2.0", "method": "notifications/message"}, event_id))
        return sse_told()

    with serving(legacy(call)) as upstream:
        outcome = client(upstream, remembered=OPEN).call_tool("report", {})
    message = "the answer was cut off before the result"
    assert outcome == Failed(FailureKind.LOST, message, may_have_run=True)
    assert [asked.method for asked in upstream.asked].count("GET") == (3 if event_id else 0)
