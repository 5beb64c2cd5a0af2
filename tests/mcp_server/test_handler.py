"""What happens to a message before any method is looked at (facts of MCP 2026-07-28)."""

from __future__ import annotations

import pytest

from chalicelib.mcp_server.json_body import MAX_BYTES, MAX_DEPTH
from tests.mcp_server.support import (
    OWN_ORIGIN,
    initialize,
    legacy,
    make_server,
    modern,
    modern_call,
    modern_meta,
    post,
    shake_hands,
)

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
LEGACY_HEADER = {"MCP-Protocol-Version": "2025-11-25"}


def test_a_missing_credential_is_challenged_without_naming_an_error() -> None:
    reply = post(PING, principal=None)
    assert reply.status == 401
    assert reply.headers["WWW-Authenticate"] == 'Bearer scope="host answer read admin"'


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
def test_a_wrong_credential_is_challenged_as_invalid(header: str) -> None:
    server = make_server(resource_metadata_url="https://parley.example/.well-known/x")
    reply = post(PING, {header: "Bearer wrong"}, principal=None, server=server)
    assert reply.headers["WWW-Authenticate"] == (
        'Bearer resource_metadata="https://parley.example/.well-known/x", '
        'scope="host answer read admin", error="invalid_token"'
    )


def test_the_credential_is_checked_before_anything_in_the_body() -> None:
    assert post(b"{", {"Origin": "null"}, method="GET", principal=None).status == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", f"{OWN_ORIGIN}.evil.net"])
def test_a_foreign_origin_is_refused(origin: str) -> None:
    assert post(PING, {"origin": origin}).status == 403


@pytest.mark.parametrize("headers", [{}, {"Origin": OWN_ORIGIN}])
def test_no_origin_and_an_allowed_one_are_served(headers: dict[str, str]) -> None:
    assert post(PING, headers).result == {}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_only_post_is_served(method: str) -> None:
    reply = post(b"", shake_hands(), method=method)
    assert (reply.status, reply.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, -32700),
        (b"{", 400, -32700),
        (b"\xff\xfe", 400, -32700),
        ('{"jsonrpc":"2.0"}'.encode("utf-16"), 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}', 400, -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\\udfff":1}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1,"b":1}}}', 400, -32600),
        (b"[" * 200_000, 400, -32600),
        (b"[" * 90_000 + b"]" * 90_000, 400, -32600),
        (b'{"a":' * 70 + b"1" + b"}" * 70, 400, -32600),
        (b'"' + b"a" * MAX_BYTES + b'"', 413, -32600),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_a_null_id(
    body: bytes, status: int, code: int
) -> None:
    reply = post(body)
    assert (reply.verdict, reply.body["id"]) == ((status, code), None)


def test_nesting_up_to_the_limit_is_read() -> None:
    levels = MAX_DEPTH - 2
    nested = b'{"a":' * levels + b"1" + b"}" * levels
    assert post(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + nested + b"}").result == {}


@pytest.mark.parametrize(
    "message",
    [
        [],
        [PING],
        "ping",
        None,
        17,
        {},
        {**PING, "jsonrpc": "1.0"},
        {**PING, "jsonrpc": 2.0},
        {"id": 1, "method": "ping"},
        {**PING, "method": None},
        {**PING, "method": ["ping"]},
        {"jsonrpc": "2.0", "id": 1},
        {**PING, "id": None},
        {**PING, "id": True},
        {**PING, "id": 1.0},
        {**PING, "id": {}},
        {**PING, "id": "x" * 257},
        {**PING, "id": 2**63},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}},
    ],
)
def test_what_is_no_request_is_refused_with_a_null_id(message: object) -> None:
    reply = post(message)
    assert (reply.verdict, reply.body["id"]) == ((400, -32600), None)


@pytest.mark.parametrize("request_id", [0, -1, 2**63 - 1, "", "a-1", "ü", "x" * 256])
def test_ids_come_back_as_they_were_sent(request_id: object) -> None:
    assert post({**PING, "id": request_id}).body["id"] == request_id
    reply = modern("nope", request_id=request_id)
    assert (reply.body["id"], reply.status) == (request_id, 404)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "break"}},
    ],
)
def test_a_notification_is_taken_and_has_no_answer(message: object) -> None:
    answer = post(message).answer
    assert (answer.status, answer.body) == (202, "")


def test_a_response_is_taken_from_a_client_with_a_handshake_and_refused_otherwise() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert post(response, LEGACY_HEADER).status == 202
    assert post(response, {"MCP-Protocol-Version": "2026-07-28"}).verdict == (400, -32600)


@pytest.mark.parametrize("version", ["2024-11-05", "2026-07-28", "never", ""])
def test_a_version_header_that_no_handshake_gave_needs_modern_metadata(version: str) -> None:
    assert post(PING, {"mcp-protocol-version": version}).verdict == (400, -32602)


def test_the_unexpected_is_reported_and_told_in_general_words_only() -> None:
    seen: list[Exception] = []
    server = make_server(report=seen.append)
    modern_reply = modern_call("break", server=server)
    legacy_reply = legacy("tools/call", {"name": "break"}, server=server)
    assert modern_reply.verdict == (500, -32603)
    assert legacy_reply.verdict == (200, -32603)
    assert [str(error) for error in seen] == ["the table is called parley-secret-name"] * 2
    assert "parley-secret-name" not in modern_reply.answer.body + legacy_reply.answer.body


def test_every_answer_is_json_that_nothing_may_cache() -> None:
    for reply in (post(PING), post(b"{"), modern("nope"), post(PING, principal=None)):
        assert reply.headers["Content-Type"] == "application/json"
        assert reply.headers["Cache-Control"] == "no-store"


def test_requests_of_both_eras_do_not_influence_each_other() -> None:
    server = make_server()
    session = shake_hands(server=server)
    first = modern("tools/list", server=server).result
    assert legacy("ping", headers=session, server=server).result == {}
    assert legacy("tools/list", headers=session, server=server).result["tools"] == first["tools"]
    assert modern("tools/list", server=server).result == first
    assert initialize(server=server).result["protocolVersion"] == "2025-11-25"


def test_the_handshake_with_modern_metadata_is_an_unknown_method() -> None:
    for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe"):
        params = {"_meta": modern_meta(), "protocolVersion": "2025-11-25"}
        assert modern(method, params).verdict == (404, -32601)
