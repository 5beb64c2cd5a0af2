"""`/mcp` as HTTP: keys, origins, methods, and nothing that makes it a 500."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.principal import Scope
from tests.mcp_server.support import modern_headers, modern_meta
from tests.parley import Answer, Parley

OWN = "http://localhost:8000"


def list_tools(parley: Parley, headers: dict[str, str] | None = None, **how: Any) -> Answer:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": modern_meta()},
    }
    sent = modern_headers("tools/list", {}) | (headers or {})
    return parley.http("POST", "/mcp", body, headers=sent, **how)


@pytest.mark.parametrize("header", ["x-api-key", "authorization"])
def test_a_key_comes_as_a_bearer_token_or_as_an_api_key(parley: Parley, header: str) -> None:
    value = parley.key if header == "x-api-key" else f"Bearer {parley.key}"
    answer = list_tools(parley, {header: value}, key=None)
    assert answer.status == 200
    assert len(answer.json["result"]["tools"]) == 8
    assert answer.headers["x-parley"] == "1"
    assert answer.headers["cache-control"] == "no-store"


def test_without_a_key_a_challenge_says_what_is_needed(parley: Parley) -> None:
    answer = list_tools(parley, key=None)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == 'Bearer scope="host answer read admin"'
    wrong = list_tools(parley, {"authorization": "Bearer parley_no"}, key=None)
    assert wrong.status == 401
    assert wrong.headers["www-authenticate"].endswith('error="invalid_token"')


def test_a_sessions_token_is_no_key(parley: Parley) -> None:
    session = parley.open_session()
    token = session["env"]["ELICITATION_POLL_URL"].rpartition("/")[2]
    assert list_tools(parley, {"authorization": f"Bearer {token}"}, key=None).status == 401


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
def test_other_methods_are_refused_by_the_protocol(parley: Parley, method: str) -> None:
    answer = parley.http(method, "/mcp")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    assert answer.headers["x-parley"] == "1"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", OWN + "0", OWN + "/"])
def test_a_page_elsewhere_may_not_call(parley: Parley, origin: str) -> None:
    answer = list_tools(parley, {"origin": origin})
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    preflight = parley.http("OPTIONS", "/mcp", headers={"origin": origin}, key=None)
    assert preflight.status == 403


def test_own_pages_and_the_operators_origins_may_call(parley: Parley) -> None:
    chosen = "https://inspector.example"
    served = parley.configured(PARLEY_ALLOWED_ORIGINS=f"{chosen}/")
    for origin in (OWN, chosen):
        answer = list_tools(served, {"origin": origin})
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"
        preflight = served.http("OPTIONS", "/mcp", headers={"origin": origin}, key=None)
        assert preflight.status == 204
        allowed = preflight.headers["access-control-allow-headers"].split(", ")
        assert {"authorization", "mcp-name", "mcp-method", "content-type"} <= set(allowed)


def test_a_notification_is_taken_without_a_word(parley: Parley) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = parley.http("POST", "/mcp", body)
    assert (answer.status, answer.text) == (202, "")


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"", 400, -32700),
        (b"\xff\xfe{}", 400, -32700),
        (b"[]", 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600),
        (b'{"a":' * 100 + b"1" + b"}" * 100, 400, -32600),
        (b'"' + b"x" * (256 * 1024) + b'"', 413, -32600),
    ],
    ids=["empty", "not UTF-8", "batch", "a name twice", "deep", "large"],
)
@pytest.mark.parametrize("kind", ["application/json", "application/octet-stream", "text/plain"])
def test_a_body_that_is_no_message_is_refused_in_json_rpc(
    parley: Parley, raw: bytes, status: int, code: int, kind: str
) -> None:
    answer = parley.http("POST", "/mcp", raw=raw, headers={"content-type": kind})
    assert answer.status == status
    assert json.loads(answer.text)["error"]["code"] == code


def test_what_nobody_expected_is_recorded_and_not_told(
    parley: Parley,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def broken(*_arguments: Any, **_named: Any) -> None:
        raise RuntimeError("the table is called so and so")

    monkeypatch.setattr(type(parley.services.lists), "live", broken)
    params = {"_meta": modern_meta(), "name": "list_elicitations", "arguments": {}}
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    answer = parley.http("POST", "/mcp", body, headers=modern_headers("tools/call", params))
    assert (answer.status, answer.json["error"]["code"]) == (500, -32603)
    assert "table" not in answer.text
    assert "mcp call failed" in caplog.text
    assert '"ServerError":[1.0]' in capfd.readouterr().out


def test_busy_storage_is_an_answer_to_try_again(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_self: object, _key: str) -> None:
        raise TryAgain("Storage is busy; try again in a moment.")

    reader = parley.new_key("rob", Scope.READ)
    monkeypatch.setattr(type(parley.services.api_keys), "find", busy)
    answer = list_tools(parley, key=reader)
    assert answer.status == 503
    assert answer.headers["retry-after"] == "2"


def test_the_version_told_is_the_projects(parley: Parley) -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert parley.services.mcp.version == project["project"]["version"]
