"""The leg for 2026-07-28."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.mcp_server.support import (
    MODERN_VERSION,
    READER,
    make_server,
    modern,
    modern_call,
    modern_headers,
    modern_meta,
    post,
)

SERVER_INFO = {"name": "parley", "title": "Parley", "version": "0.0.0"}


def message(method: str = "tools/list", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_discover_says_versions_and_capabilities() -> None:
    result = modern("server/discover").result
    assert result == {
        "resultType": "complete",
        "supportedVersions": [MODERN_VERSION],
        "capabilities": {"tools": {}},
        "instructions": "Be kind.",
        "ttlMs": 300_000,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
    }


@pytest.mark.parametrize("name", ["echo", "ask_url", "wait"])
def test_every_result_says_its_type_and_who_made_it(name: str) -> None:
    result = modern_call(name).result
    assert result["resultType"] == ("complete" if name == "echo" else "input_required")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == SERVER_INFO


def test_the_list_is_in_a_fixed_order_and_private() -> None:
    server = make_server()
    result = modern("tools/list", server=server).result
    assert [tool["name"] for tool in result["tools"]] == [tool.name for tool in server.tools]
    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "private")
    assert all(tool["inputSchema"]["type"] == "object" for tool in result["tools"])


def test_there_is_no_second_page() -> None:
    assert modern("tools/list", {"cursor": "x"}).verdict == (400, -32602)


def test_a_tool_closed_to_the_caller_is_neither_listed_nor_told_from_an_unknown_one() -> None:
    names = [tool["name"] for tool in modern("tools/list", principal=READER).result["tools"]]
    assert "answer_only" not in names
    closed = modern_call("answer_only", principal=READER)
    unknown = modern_call("nothing", principal=READER)
    assert closed.verdict == (400, -32602)
    assert closed.body == unknown.body


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"_meta": None},
        {"_meta": []},
        {"_meta": {}},
        {"_meta": modern_meta(version=None)},
        {"_meta": modern_meta(version=20260728)},
        {"_meta": modern_meta(capabilities=None)},
        {"_meta": modern_meta(capabilities=[])},
        {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN_VERSION}},
        {"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}},
    ],
)
def test_incomplete_metadata_is_refused(params: dict[str, Any]) -> None:
    reply = post(message(**params), modern_headers("tools/list", {}))
    assert (reply.verdict, reply.body["id"]) == ((400, -32602), 1)


@pytest.mark.parametrize("params", [[], "x", 3, False])
def test_params_that_are_no_object_are_refused(params: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    assert post(body, modern_headers("tools/list", {})).verdict == (400, -32602)


@pytest.mark.parametrize(
    ("dropped", "changed"),
    [
        ("MCP-Protocol-Version", {}),
        ("Mcp-Method", {}),
        ("Mcp-Name", {}),
        (None, {"MCP-Protocol-Version": "2025-11-25"}),
        (None, {"MCP-Protocol-Version": "1900-01-01"}),
        (None, {"Mcp-Method": "tools/list"}),
        (None, {"Mcp-Method": "Tools/Call"}),
        (None, {"Mcp-Name": "wait"}),
        (None, {"Mcp-Name": "ECHO"}),
        (None, {"Mcp-Name": ""}),
        (None, {"mcp-name": "echo"}),
    ],
)
def test_headers_must_say_what_the_body_says(dropped: str | None, changed: dict[str, str]) -> None:
    params = {"name": "echo", "_meta": modern_meta()}
    headers = modern_headers("tools/call", params) | changed
    headers.pop(dropped or "", None)
    reply = post(message("tools/call", **params), headers)
    assert (reply.verdict, reply.body["id"]) == ((400, -32020), 1)


def test_header_names_have_any_case_and_blanks_around_values_do_not_count() -> None:
    params = {"name": "echo", "_meta": modern_meta()}
    headers = {
        name.upper(): f" \t{value} " for name, value in modern_headers("tools/call", params).items()
    }
    assert post(message("tools/call", **params), headers).status == 200


def encoded(name: str) -> str:
    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


@pytest.mark.parametrize(
    ("name", "header", "verdict"),
    [
        ("echo", encoded("echo"), 200),
        ("ünïcode", encoded("ünïcode"), 200),
        ("echo", encoded("wait"), 400),
        ("echo", "=?base64?!!!?=", 400),
        ("echo", "=?base64?ZWNobw?=", 400),
        ("echo", "=?base64?/w==?=", 400),
        ("echo", "=?base64??=", 400),
    ],
)
def test_the_name_header_may_be_in_base64(name: str, header: str, verdict: int) -> None:
    reply = modern_call(name, headers={"Mcp-Name": header})
    assert reply.status == verdict
    if verdict == 400:
        assert reply.error["code"] == -32020


def test_a_version_that_is_not_served_is_named_with_those_that_are() -> None:
    reply = post(
        message(_meta=modern_meta(version="2027-01-01")),
        {"MCP-Protocol-Version": "2027-01-01", "Mcp-Method": "tools/list"},
    )
    assert reply.verdict == (400, -32022)
    assert reply.error["data"] == {"supported": [MODERN_VERSION], "requested": "2027-01-01"}


def test_an_unknown_method_is_told_after_the_headers_and_before_the_params() -> None:
    assert modern("tools/cull").verdict == (404, -32601)
    assert modern("tools/cull", headers={"Mcp-Method": "x"}).verdict == (400, -32020)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 7},
        {"name": None},
        {"name": "echo", "arguments": []},
        {"name": "echo", "arguments": None},
        {"name": "ask_url", "requestState": 7},
        {"name": "ask_url", "requestState": None},
        {"name": "ask_url", "inputResponses": None},
        {"name": "ask_url", "inputResponses": 3},
        {"name": "ask_url", "inputResponses": []},
        {"name": "ask_url", "inputResponses": {"page": 1}},
        {"name": "ask_url", "inputResponses": {"page": None}},
    ],
)
def test_malformed_params_are_a_protocol_error(params: dict[str, Any]) -> None:
    assert modern("tools/call", params).verdict == (400, -32602)


def test_bad_argument_values_are_a_result_that_a_model_can_read() -> None:
    result = modern_call("echo", {"count": 12, "word": "too long", "no": 1}).result
    assert result["isError"] is True
    assert result["resultType"] == "complete"
    assert result["content"][0]["text"].splitlines() == [
        "Invalid arguments.",
        "- word: must have at most 5 characters",
        "- count: must be at most 9",
        "- no: is not an argument of this tool",
    ]


def test_a_question_is_asked_with_its_state_and_is_never_cached() -> None:
    result = modern_call("ask_url").result
    assert result["inputRequests"]["page"]["params"]["mode"] == "url"
    assert result["requestState"] == "opaque"
    assert not {"ttlMs", "cacheScope", "content"} & result.keys()


def test_a_state_alone_has_no_questions() -> None:
    assert "inputRequests" not in modern_call("wait").result


@pytest.mark.parametrize(
    ("tool", "capabilities", "required"),
    [
        ("ask_url", {}, {"elicitation": {"url": {}}}),
        ("ask_url", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("ask_url", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        ("ask_url", {"elicitation": {"url": True}}, {"elicitation": {"url": {}}}),
        ("ask_url", {"elicitation": True}, {"elicitation": {"url": {}}}),
        ("ask_form", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("ask_form", {}, {"elicitation": {"form": {}}}),
        ("sample", {"elicitation": {}}, {"sampling": {}}),
    ],
)
def test_nothing_is_asked_that_the_client_did_not_declare(
    tool: str, capabilities: dict[str, Any], required: dict[str, Any]
) -> None:
    reply = modern_call(tool, capabilities=capabilities)
    assert reply.verdict == (400, -32021)
    assert reply.error["data"] == {"requiredCapabilities": required}


@pytest.mark.parametrize("capabilities", [{"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_form_mode_is_what_a_bare_declaration_means(capabilities: dict[str, Any]) -> None:
    assert modern_call("ask_form", capabilities=capabilities).status == 200


def test_session_headers_are_ignored_and_none_is_given() -> None:
    reply = modern("tools/list", headers={"Mcp-Session-Id": "x", "Last-Event-ID": "y"})
    assert reply.status == 200
    assert "Mcp-Session-Id" not in reply.headers
