"""The client against servers of 2026-07-28, over real HTTP."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.outbound.connection import Limits
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
from tests.outbound.mcp_client.scripts import (
    MODERN_META,
    TOOL,
    client,
    done,
    error,
    legacy,
    modern,
    result,
    wants_url,
)
from tests.outbound.upstream import Asked, Told, json_told, serving, sse_told

KNOWN = Remembered(version="2026-07-28", mirrors={})
SECRET = "s3cr3t-token-value"
ARGUMENTS = {"month": "2026-08", "n": 3}
NAMES = ["report", "bericht für März", " padded", "=?base64?x?="]


def failed(outcome: object) -> Failed:
    assert isinstance(outcome, Failed)
    return outcome


@pytest.mark.parametrize("declares_url", [True, False])
def test_every_request_says_version_client_and_capabilities(declares_url: bool) -> None:
    with serving(modern(done)) as upstream:
        caller = client(upstream, declares_url=declares_url)
        assert [tool.name for tool in caller.list_tools()] == ["report"]
        assert isinstance(caller.call_tool("report", ARGUMENTS), Completed)
    assert [asked.json["method"] for asked in upstream.asked] == [
        "server/discover",
        "tools/list",
        "tools/call",
    ]
    declared: dict[str, Any] = {"elicitation": {"url": {}}} if declares_url else {}
    ids = [asked.json["id"] for asked in upstream.asked]
    assert len(set(ids)) == 3
    for asked in upstream.asked:
        meta = asked.json["params"]["_meta"]
        assert asked.headers["mcp-protocol-version"] == "2026-07-28"
        assert meta[MODERN_META + "protocolVersion"] == "2026-07-28"
        assert meta[MODERN_META + "clientInfo"]["name"] == "parley"
        assert meta[MODERN_META + "clientCapabilities"] == declared
        assert asked.headers["mcp-method"] == asked.json["method"]
        assert asked.headers["content-type"] == "application/json"
        assert asked.headers["accept"] == "application/json, text/event-stream"
        assert "mcp-session-id" not in asked.headers
    assert upstream.asked[-1].headers["mcp-name"] == "report"
    assert upstream.asked[-1].json["params"]["arguments"] == ARGUMENTS


def test_the_era_and_the_mirrors_are_learned_once_and_handed_on() -> None:
    with serving(modern(done)) as upstream:
        first = client(upstream)
        assert first.remembered is None
        first.call_tool("report", {})
        assert first.remembered == Remembered(version="2026-07-28", mirrors={"report": {}})
        upstream.asked.clear()
        client(upstream, remembered=first.remembered).call_tool("report", {})
    assert [asked.json["method"] for asked in upstream.asked] == ["tools/call"]


def test_a_pinned_revision_is_not_probed() -> None:
    with serving(modern(done)) as upstream:
        client(upstream, mode=ProtocolMode.V2026_07_28).call_tool("report", {})
    assert [asked.json["method"] for asked in upstream.asked] == ["tools/list", "tools/call"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_goes_into_its_header_so_that_it_arrives_unchanged(name: str) -> None:
    with serving(modern(done)) as upstream:
        client(upstream, remembered=KNOWN).call_tool(name, {})
    (asked,) = upstream.asked
    assert asked.json["params"]["name"] == name
    plain = name == "report"
    assert (asked.headers["mcp-name"] == name) is plain
    assert asked.headers["mcp-name"].startswith("=?base64?") is not plain


def chunked_sse(asked: Asked) -> Told:
    message = json.dumps(json.loads(done(asked).body), indent=1)
    data = "\r\n".join(f"data: {line}" for line in message.split("\n"))
    return sse_told(
        b": keep-alive\r\n\r\n",
        b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\r\n\r\n',
        b"data: not json\r\n\r\ndata: [1]\r\n\r\n",
        b'data: {"jsonrpc":"2.0","id":"another","result":{}}\r\n\r\n',
        data.encode() + b"\r",
        b"\n\r\n",
        b'data: {"jsonrpc":"2.0","method":"notifications/late"}\r\n\r\n',
    )


def test_a_stream_is_read_up_to_the_response_and_the_rest_passed_over() -> None:
    with serving(modern(chunked_sse)) as upstream:
        outcome = client(upstream, remembered=KNOWN).call_tool("report", {})
    assert isinstance(outcome, Completed)
    assert outcome.result["content"] == [{"type": "text", "text": "ok"}]


def test_a_stream_that_ends_early_is_lost_and_neither_resumed_nor_repeated() -> None:
    cut = sse_told(b'id: 5\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n')
    with serving(modern(lambda asked: cut)) as upstream:
        outcome = client(upstream, remembered=KNOWN).call_tool("report", {})
    assert (failed(outcome).kind, failed(outcome).may_have_run) == (FailureKind.LOST, True)
    assert len(upstream.asked) == 1


@pytest.mark.parametrize(
    ("told", "kind", "may_have_run"),
    [
        (lambda asked: Told(500), FailureKind.HTTP, False),
        (lambda asked: Told(401), FailureKind.UNAUTHORIZED, False),
        (lambda asked: error(asked, -32602, message="unknown tool"), FailureKind.RPC, False),
        (lambda asked: error(asked, -32603, status=200), FailureKind.RPC, False),
        (lambda asked: error(asked, -32601, status=404), FailureKind.RPC, False),
        (lambda asked: error(asked, -32021), FailureKind.NEEDS_CAPABILITY, False),
        (lambda asked: Told(200, b"<html>"), FailureKind.PROTOCOL, True),
        (lambda asked: Told(202), FailureKind.PROTOCOL, True),
        (lambda asked: json_told([]), FailureKind.PROTOCOL, True),
        (lambda asked: json_told({"id": asked.json["id"]}), FailureKind.PROTOCOL, True),
        (lambda asked: json_told({"id": "x", "result": {}}), FailureKind.PROTOCOL, True),
        (
            lambda asked: Told(
                200, b'{"id":"id-1","result":{"n":NaN}}', {"Content-Type": "application/json"}
            ),
            FailureKind.PROTOCOL,
            True,
        ),
        (
            lambda asked: Told(200, b"[" * 100_000, {"Content-Type": "application/json"}),
            FailureKind.PROTOCOL,
            True,
        ),
        (lambda asked: result(asked, {"resultType": "task"}), FailureKind.PROTOCOL, True),
        (lambda asked: result(asked, {"resultType": None}), FailureKind.PROTOCOL, True),
        (lambda asked: result(asked, {"resultType": "input_required"}), FailureKind.PROTOCOL, True),
        (
            lambda asked: result(asked, {"resultType": "input_required", "requestState": 3}),
            FailureKind.PROTOCOL,
            True,
        ),
        (
            lambda asked: result(asked, {"resultType": "input_required", "inputRequests": [1]}),
            FailureKind.PROTOCOL,
            True,
        ),
        (lambda asked: sse_told(b"data: " + b"x" * 2000), FailureKind.TOO_LARGE, True),
        (
            lambda asked: Told(307, headers={"Location": "https://evil.example/"}),
            FailureKind.REFUSED,
            False,
        ),
    ],
)
def test_what_is_no_result_is_a_failure_of_its_own_kind(
    told: Any, kind: FailureKind, may_have_run: bool
) -> None:
    with serving(modern(told)) as upstream:
        caller = client(
            upstream,
            remembered=KNOWN,
            limits=Limits(body=1500 if kind is FailureKind.TOO_LARGE else 10**6),
        )
        outcome = failed(caller.call_tool("report", {}))
    assert (outcome.kind, outcome.may_have_run) == (kind, may_have_run)
    assert len(upstream.asked) == 1


def test_a_result_without_a_type_is_complete_and_a_tool_error_is_a_result() -> None:
    value = {"content": [], "isError": True}
    with serving(modern(lambda asked: result(asked, value))) as upstream:
        outcome = client(upstream, remembered=KNOWN).call_tool("report", {})
    assert outcome == Completed(value)


def test_a_url_elicitation_is_handed_up_and_its_url_never_opened() -> None:
    with serving(lambda asked: Told()) as trap:
        url = f"{trap.origin}/connect?ref=1#x"
        with serving(modern(lambda asked: result(asked, wants_url(url)))) as upstream:
            outcome = client(upstream, remembered=KNOWN).call_tool("report", ARGUMENTS)
        assert trap.asked == []
    request = UrlRequest("api_key", url, "Please finish this.")
    assert outcome == UrlElicitationsRequired((request,), "state-1")
    assert "state-1" not in repr(outcome)


def test_the_retry_repeats_the_call_with_state_and_all_answers_under_a_new_id() -> None:
    def call(asked: Asked) -> Told:
        if "inputResponses" in asked.json["params"]:
            return done(asked)
        wanted = wants_url("https://a.example/", key="first")
        more = wants_url("https://b.example/", key="second")["inputRequests"]
        wanted["inputRequests"] |= more
        return result(asked, wanted)

    with serving(modern(call)) as upstream:
        caller = client(upstream, remembered=KNOWN)
        asked_for = caller.call_tool("report", ARGUMENTS)
        assert isinstance(asked_for, UrlElicitationsRequired)
        assert [request.key for request in asked_for.requests] == ["first", "second"]
        answers = {"first": {"action": "accept"}, "second": {"action": "decline"}}
        outcome = caller.call_tool(
            "report",
            ARGUMENTS,
            request_state=asked_for.request_state,
            input_responses=answers,
        )
    assert isinstance(outcome, Completed)
    first, second = (asked.json for asked in upstream.asked)
    assert first["id"] != second["id"]
    assert "requestState" not in first["params"]
    assert second["params"].pop("requestState") == "state-1"
    assert second["params"].pop("inputResponses") == answers
    assert first["params"] == second["params"]


@settings(max_examples=30, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.sampled_from(
            ['{"a": [1.0, "\\u00e9"]}', "eyJh.b_-==", " x\r\n", "\u202e", "é" * 5000, "null"]
        ),
    )
)
def test_request_state_goes_back_exactly_as_it_came(state: str) -> None:
    def call(asked: Asked) -> Told:
        if "requestState" in asked.json["params"]:
            return done(asked)
        return result(asked, wants_url("https://a.example/", state=state))

    with serving(modern(call)) as upstream:
        caller = client(upstream, remembered=KNOWN)
        asked_for = caller.call_tool("report", {})
        assert isinstance(asked_for, UrlElicitationsRequired)
        assert asked_for.request_state == state
        caller.call_tool("report", {}, request_state=state, input_responses={})
    assert upstream.asked[1].json["params"]["requestState"] == state


def test_a_round_without_state_is_answered_without_state() -> None:
    with serving(
        modern(lambda asked: result(asked, wants_url("https://a.example/", state=None)))
    ) as upstream:
        caller = client(upstream, remembered=KNOWN)
        outcome = caller.call_tool("report", {})
        assert isinstance(outcome, UrlElicitationsRequired)
        assert outcome.request_state is None
        caller.call_tool("report", {}, input_responses={"api_key": {"action": "accept"}})
    assert "requestState" not in upstream.asked[1].json["params"]


def test_a_state_only_round_is_repeated_with_the_state_alone_at_most_three_calls() -> None:
    states: list[object] = []

    def call(asked: Asked) -> Told:
        params = asked.json["params"]
        states.append((params.get("requestState"), params.get("inputResponses")))
        return result(asked, {"resultType": "input_required", "requestState": f"s{len(states)}"})

    pauses: list[float] = []
    with serving(modern(call)) as upstream:
        caller = client(upstream, remembered=KNOWN, pauses=pauses)
        answers = {"k": {"action": "accept"}}
        outcome = caller.call_tool("report", {}, request_state="s0", input_responses=answers)
    assert failed(outcome).kind is FailureKind.TOO_MANY_ROUNDS
    assert states == [("s0", answers), ("s1", None), ("s2", None)]
    assert pauses == sorted(pauses)
    assert len(pauses) == 2


@pytest.mark.parametrize("data", [{"reason": "invalid_request_state"}, None])
def test_state_that_the_server_no_longer_takes_is_told_apart(data: object) -> None:
    with serving(modern(lambda asked: error(asked, -32602, data=data))) as upstream:
        outcome = client(upstream, remembered=KNOWN).call_tool("report", {}, request_state="old")
    assert failed(outcome).kind is FailureKind.STALE_STATE


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "sampling/createMessage", "params": {}},
        {"method": "roots/list"},
        {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": {}}},
        {"method": "elicitation/create", "params": {"mode": "form", "url": "https://a.example/"}},
        {"method": "elicitation/create", "params": {"mode": "url", "message": "no url"}},
        {"method": "elicitation/create", "params": {"mode": "url", "url": 3}},
        {"method": "elicitation/create"},
        "not an object",
    ],
)
def test_any_other_request_fails_the_call_naming_its_key(request_: Any) -> None:
    wanted = wants_url("https://a.example/")
    wanted["inputRequests"]["odd one"] = request_
    with serving(modern(lambda asked: result(asked, wanted))) as upstream:
        outcome = failed(client(upstream, remembered=KNOWN).call_tool("report", {}))
    assert outcome.kind is FailureKind.UNSUPPORTED_INPUT
    assert outcome.message.endswith(": odd one")
    assert len(upstream.asked) == 1


def mirrored_tool(header: str = "Region") -> dict[str, Any]:
    properties = {"region": {"type": "string", "x-mcp-header": header}}
    return {"name": "report", "inputSchema": {"type": "object", "properties": properties}}


def test_annotated_arguments_are_mirrored_and_the_tools_listed_first_for_it() -> None:
    with serving(modern(done, [mirrored_tool()])) as upstream:
        caller = client(upstream)
        caller.call_tool("report", {"region": "eu"})
        caller.call_tool("report", {"region": None})
        caller.call_tool("other", {"region": "eu"})
    calls = upstream.messages("tools/call")
    assert [asked.headers.get("mcp-param-region") for asked in calls] == ["eu", None, None]
    assert len(upstream.messages("tools/list")) == 1


def test_a_header_mismatch_lists_the_tools_once_more_and_calls_again() -> None:
    def call(asked: Asked) -> Told:
        return done(asked) if "mcp-param-region" in asked.headers else error(asked, -32020)

    with serving(modern(call, [mirrored_tool()])) as upstream:
        caller = client(upstream, remembered=KNOWN)
        assert isinstance(caller.call_tool("report", {"region": "eu"}), Completed)
        assert caller.remembered is not None
        assert caller.remembered.mirrors == {"report": {"Mcp-Param-Region": ("region",)}}
        upstream.asked.clear()
        assert failed(caller.call_tool("report", {})).kind is FailureKind.RPC
    methods = [asked.json["method"] for asked in upstream.asked]
    assert methods == ["tools/call", "tools/list", "tools/call"]


def test_a_tool_with_a_broken_annotation_is_left_out_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = {**mirrored_tool("not a token"), "name": "broken\n\u202etool"}
    odd: list[Any] = [
        broken,
        TOOL,
        {"name": "no schema"},
        "not an object",
        {**TOOL, "description": "twin"},
    ]
    with caplog.at_level(logging.WARNING), serving(modern(done, odd)) as upstream:
        tools = client(upstream).list_tools()
    assert [(tool.name, tool.description) for tool in tools] == [("report", "A report.")]
    assert "broken [U+202E]tool" in caplog.text


def test_all_pages_of_tools_are_read_and_an_endless_list_is_not() -> None:
    def paged(asked: Asked) -> Told:
        cursor = asked.json["params"].get("cursor", "0")
        page: dict[str, Any] = {"tools": [{**TOOL, "name": f"tool-{cursor}"}]}
        if endless or cursor != "2":
            page["nextCursor"] = str(int(cursor) + 1)
        return result(asked, page)

    for endless in (False, True):
        with serving(paged) as upstream:
            caller = client(upstream, remembered=KNOWN)
            if endless:
                with pytest.raises(UpstreamFailed):
                    caller.list_tools()
                assert len(upstream.asked) == 20
            else:
                assert [tool.name for tool in caller.list_tools()] == ["tool-0", "tool-1", "tool-2"]


def test_credentials_go_to_the_server_and_come_back_in_nothing() -> None:
    headers = {"Authorization": f"Bearer {SECRET}", "X-Tenant": "eu", "mcp-method": "tools/list"}

    def call(asked: Asked) -> Told:
        sent = asked.headers["authorization"]
        match asked.json["params"]["name"]:
            case "echo":
                return result(asked, {"content": [{"text": f"you sent {sent}", sent: [1, SECRET]}]})
            case "url":
                return result(asked, wants_url(f"https://a.example/?t={SECRET}"))
            case "message":
                wanted = wants_url("https://a.example/", state=f"state {SECRET}")
                wanted["inputRequests"]["api_key"]["params"]["message"] = f"you sent {sent}"
                return result(asked, wanted)
        return error(asked, -32602, message=f"bad {sent}")

    with serving(modern(call, [{**TOOL, "description": SECRET}])) as upstream:
        caller = client(upstream, headers=headers)
        assert caller.list_tools()[0].description == "[redacted]"
        outcomes = {
            name: caller.call_tool(name, {}) for name in ("echo", "url", "message", "error")
        }
    assert all(asked.headers["authorization"] == f"Bearer {SECRET}" for asked in upstream.asked)
    assert all(asked.headers["mcp-method"] == asked.json["method"] for asked in upstream.asked)
    assert not any(SECRET in repr(outcome) for outcome in outcomes.values())
    assert failed(outcomes["url"]).kind is FailureKind.PROTOCOL
    assert failed(outcomes["error"]).message == "bad [redacted] (-32602)"
    asked_for = outcomes["message"]
    assert isinstance(asked_for, UrlElicitationsRequired)
    assert asked_for.request_state == f"state {SECRET}"


def test_a_remembered_era_that_no_longer_holds_is_found_anew_and_the_call_made_again() -> None:
    """A legacy server behind a verdict of modern turns the request away unread."""

    def call(asked: Asked) -> Told:
        if "mcp-session-id" not in asked.headers:
            said = {"code": -32000, "message": "Bad Request: Server not initialized"}
            return json_told({"jsonrpc": "2.0", "id": None, "error": said}, 400)
        return result(asked, {"content": []})

    with serving(legacy(call)) as upstream:
        caller = client(upstream, remembered=KNOWN)
        assert isinstance(caller.call_tool("report", {}), Completed)
        assert caller.remembered is not None
        assert caller.remembered.version == "2025-11-25"
    assert len(upstream.messages("tools/call")) == 2


def test_an_era_just_found_is_not_doubted() -> None:
    with serving(modern(lambda asked: Told(400))) as upstream:
        outcome = failed(client(upstream).call_tool("report", {}))
    assert outcome.kind is FailureKind.HTTP
    assert len(upstream.messages("server/discover")) == 1
