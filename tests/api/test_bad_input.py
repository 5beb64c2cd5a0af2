"""Whatever is sent, the answer is a 4xx in the one envelope, with field and reason where there is
one: never a 5xx, never HTML, never a word of what was sent that could reach a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.api.http import BODY_LIMIT, DEEPEST
from tests.parley import JSON, Answer, Parley, path_of, question


@pytest.fixture
def asked(parley: Parley) -> tuple[dict[str, Any], str]:
    """A session with a question waiting, and its id."""
    session = parley.open_session()
    return session, parley.ask(session).json["requestId"]


def bodied(session: dict[str, Any], request_id: str) -> dict[str, tuple[str, str]]:
    """Every route that takes a body: name to method and path."""
    one = f"/api/v1/sessions/{session['id']}"
    return {
        "create": ("POST", path_of(session["env"]["ELICITATION_REQUEST_URL"])),
        "bare create": ("POST", "/api/v1/elicitations"),
        "respond": ("PATCH", f"/api/v1/elicitations/{request_id}/respond"),
        "withdraw": ("DELETE", f"/api/v1/elicitations/{request_id}"),
        "open": ("POST", "/api/v1/sessions"),
        "patch": ("PATCH", one),
    }


OPTIONAL = {"withdraw", "open"}
"""Routes whose body may be empty."""


def refused(got: Answer, *statuses: int) -> dict[str, Any]:
    """The error, which stands in the envelope and in one of the statuses."""
    assert got.status in (statuses or range(400, 500)), got.text
    assert got.headers["content-type"] == JSON
    assert got.headers["cache-control"] == "no-store"
    assert set(got.json) == {"error"}
    error: dict[str, Any] = got.json["error"]
    assert set(error) <= {"code", "message", "fields", "details"}
    assert error["code"]
    assert error["message"].strip()
    for field in error.get("fields", ()):
        assert set(field) == {"path", "message"}
        assert field["path"]
        assert field["message"]
    assert len(got.text) < 6_000, "it may reach a model"
    return error


UNREADABLE = {
    "empty": b"",
    "blank": b"  \r\n",
    "cut off": b'{"a": ',
    "not json": b"hello",
    "html": b"<html></html>",
    "two values": b"{}{}",
    "trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "nan": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "no such number": b'{"a": 1e999}',
    "too many digits": b'{"a": ' + b"9" * 5_000 + b"}",
    "a name twice": b'{"a": 1, "a": 2}',
    "a name twice below": b'{"a": {"b": 1, "b": 1}}',
    "half a character": b'{"a": "\\ud800"}',
    "half a character as name": b'{"\\uDFFF": 1}',
    "deep": b'{"a": ' + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"}",
    "very deep": b"[" * 100_000,
}


def test_a_body_that_cannot_be_read_is_400(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    for route, (method, path) in bodied(*asked).items():
        for name, raw in UNREADABLE.items():
            if route in OPTIONAL and not raw.strip():
                continue
            got = parley.http(method, path, raw=raw, headers={"content-type": JSON})
            assert refused(got, 400)["code"] == "malformed_body", (route, name)
    assert parley.poll(*asked).json["action"] == "pending"


NO_OBJECTS: list[Any] = [None, [], [{}], "x", 3, 0.5, True]
WRONG: list[Any] = [3, True, [], {}]
NO_REASONS: list[Any] = [None, 3, "", "  ", [], {}, "x" * 201]


def test_a_body_that_is_no_object_is_422(parley: Parley, asked: tuple[dict[str, Any], str]) -> None:
    for route, (method, path) in bodied(*asked).items():
        for value in NO_OBJECTS:
            got = parley.http(
                method, path, raw=json.dumps(value).encode(), headers={"content-type": JSON}
            )
            assert refused(got, 422)["code"] == "invalid_input", (route, value)


def test_another_content_type_is_415(parley: Parley, asked: tuple[dict[str, Any], str]) -> None:
    for route, (method, path) in bodied(*asked).items():
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"):
            got = parley.http(method, path, raw=b"{}", headers={"content-type": kind})
            assert refused(got, 415)["code"] == "unsupported_media_type", (route, kind)


def test_json_by_any_of_its_names_is_read(parley: Parley) -> None:
    """zimmer 1.3: nothing of a client's may depend on how it spells the header."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    for kind in (JSON, "Application/JSON; charset=UTF-8", "application/vnd.api+json", ""):
        raw = json.dumps(question()).encode()
        headers = {"content-type": kind} if kind else {}
        assert parley.http("POST", path, raw=raw, headers=headers, key=None).status == 201, kind


def test_a_huge_body_is_413_and_names_the_limit(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    raw = b'{"a": "' + b"x" * BODY_LIMIT + b'"}'
    for route, (method, path) in bodied(*asked).items():
        got = parley.http(method, path, raw=raw, headers={"content-type": JSON})
        error = refused(got, 413)
        assert error["code"] == "too_large", route
        assert "256 KiB" in error["message"]


def test_a_body_at_the_limit_is_read(parley: Parley) -> None:
    session = parley.open_session()
    raw = json.dumps(question()).encode()
    raw += b" " * (BODY_LIMIT - len(raw))
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    headers = {"content-type": JSON}
    assert parley.http("POST", path, raw=raw, headers=headers, key=None).status == 201
    assert parley.http("POST", path, raw=raw + b" ", headers=headers, key=None).status == 413


ODD_VALUES: list[Any] = [None, True, 3, 0.5, "", "x", "\x00", [], [None], {}, {"a": None}]

CREATE_META = ("request-id", "session-id", "tool-name", "context", "expires-at")


def test_no_value_in_no_place_of_a_create_is_more_than_refused(parley: Parley) -> None:
    """`null` and every wrong type everywhere: accepted where it means nothing, else 4xx."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    for value in ODD_VALUES:
        for name in ("mode", "message", "requestedSchema", "url", "_meta", "unknown"):
            judged(parley.http("POST", path, question() | {name: value}, key=None), name, value)
        for name in CREATE_META:
            body = question(meta={f"com.pulsemcp/{name}": value})
            judged(parley.http("POST", path, body, key=None), name, value)


def judged(got: Answer, name: str, value: Any) -> None:
    """Either taken, or refused with the field's name."""
    if got.status in (200, 201):
        return
    error = refused(got, 403, 404, 409, 413, 422)
    if error["code"] == "invalid_input":
        assert any(name in field["path"] for field in error["fields"]), (name, value, error)


def test_wrong_types_of_a_create_are_named(parley: Parley) -> None:
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    for wrong in WRONG:
        for name in ("message", "mode"):
            error = refused(parley.http("POST", path, question() | {name: wrong}, key=None), 422)
            assert [field["path"] for field in error["fields"]] == [name]
        for name in ("request-id", "session-id", "tool-name", "context"):
            body = question(meta={f"com.pulsemcp/{name}": wrong})
            error = refused(parley.http("POST", path, body, key=None), 422)
            assert [f["path"] for f in error["fields"]] == [f"_meta.com.pulsemcp/{name}"]


def test_every_field_at_fault_is_named_at_once(parley: Parley) -> None:
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    error = refused(parley.http("POST", path, {"mode": 1, "message": " "}, key=None), 422)
    assert {field["path"] for field in error["fields"]} == {"mode", "message", "_meta"}
    assert "2 more" in error["message"]


def test_a_bad_schema_is_named_part_by_part(parley: Parley) -> None:
    """D10."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "string"}}},
            "c": {"type": "string", "minLength": -1},
            "d": {"type": "strnig"},
        },
    }
    error = refused(parley.ask(parley.open_session(), requestedSchema=schema), 422)
    assert error["code"] == "invalid_schema"
    paths = " ".join(field["path"] for field in error["fields"])
    for name in ("properties.a", "properties.c", "properties.d"):
        assert f"requestedSchema.{name}" in paths


def test_no_value_in_no_place_of_a_session_is_more_than_refused(parley: Parley) -> None:
    session = parley.open_session()
    for value in ODD_VALUES:
        for name in ("id", "title", "agent_id", "hints", "metadata", "mcp_servers"):
            judged(parley.http("POST", "/api/v1/sessions", {name: value}), name, value)
        for name in ("status", "title", "hints", "metadata", "mcp_servers", "id", "owner"):
            path = f"/api/v1/sessions/{session['id']}"
            judged(parley.http("PATCH", path, {name: value}), name, value)


def test_unknown_members_of_a_session_are_refused(parley: Parley) -> None:
    """A host's typing error is told, unlike a protocol client's, which cannot be changed."""
    session = parley.open_session()
    for method, path in (
        ("POST", "/api/v1/sessions"),
        ("PATCH", f"/api/v1/sessions/{session['id']}"),
    ):
        error = refused(parley.http(method, path, {"titel": "x"}), 422)
        assert error["fields"][0]["path"] == "titel"


def test_limits_of_a_session_are_named(parley: Parley) -> None:
    for body, limit in (
        ({"title": "x" * 201}, "200"),
        ({"agent_id": "x" * 201}, "200"),
        ({"metadata": {"a": "x" * 20_000}}, "16384"),
        ({"hints": {"a": "\U0001f600" * 5_000}}, "16384"),
        ({"mcp_servers": ["x"] * 101}, "100"),
        ({"mcp_servers": ["x" * 101]}, "100"),
    ):
        assert limit in refused(parley.http("POST", "/api/v1/sessions", body), 413, 422)["message"]
    for odd in ("", "a b", "a/b", "a.b", "\u00e9", "x" * 101, "a\n"):
        error = refused(parley.http("POST", "/api/v1/sessions", {"id": odd}), 422)
        assert error["fields"][0]["path"] == "id", odd


def test_no_value_in_no_place_of_an_answer_is_more_than_refused(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    _, request_id = asked
    path = f"/api/v1/elicitations/{request_id}/respond"
    for value in ODD_VALUES:
        for body in (
            {"action_type": value, "content": {"confirm": True}},
            {"action_type": "accept", "content": value},
            {"action_type": "accept", "content": {"confirm": value}},
            {"action_type": "accept", "content": {"confirm": True, "other": value}},
            {"action_type": "accept", "content": {"": value}},
        ):
            if body == {"action_type": "accept", "content": {"confirm": True}}:
                continue
            error = refused(parley.http("PATCH", path, body), 422)
            assert error["fields"], body
    assert parley.poll(*asked).json["action"] == "pending"


def test_a_withdrawals_reason_is_a_short_text(
    parley: Parley, asked: tuple[dict[str, Any], str]
) -> None:
    session, request_id = asked
    path = f"{path_of(session['env']['ELICITATION_POLL_URL'])}/{request_id}"
    for value in NO_REASONS:
        got = parley.http("DELETE", path, {"reason": value}, key=None)
        assert refused(got, 413, 422)["fields"][0]["path"] == "reason", value
    assert parley.poll(*asked).json["action"] == "pending"


def test_query_parameters_are_checked_and_named(parley: Parley) -> None:
    session = parley.open_session()
    one = f"/api/v1/sessions/{session['id']}"
    for path in ("/api/v1/sessions", f"{one}/events", f"{one}/elicitations"):
        for limit in ("0", "101", "-1", "x", "", "1.5", "\u0663", "9" * 30):
            error = refused(parley.http("GET", f"{path}?limit={limit}"), 422)
            assert error["fields"][0]["path"] == "limit", (path, limit)
    for name in ("after", "after_sequence"):
        for after in ("x", "-1", "", "1.5", "9" * 13):
            error = refused(parley.http("GET", f"{one}/events?{name}={after}"), 422)
            assert error["fields"][0]["path"] == name
    for status in ("", "x", "RUNNING"):
        error = refused(parley.http("GET", f"/api/v1/sessions?status={status}"), 422)
        assert error["fields"][0]["path"] == "status"
    for after in ("", "x", "%00", "x" * 3_000, "%F0%9F%98%80"):
        error = refused(parley.http("GET", f"/api/v1/sessions?after={after}"), 422)
        assert error["fields"][0]["path"] == "after"


def test_unknown_paths_and_methods_are_answered_in_the_envelope(parley: Parley) -> None:
    session = parley.open_session()
    token_path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    for path in ("/api", "/api/v1", "/api/v2/sessions", "/api/v1/sessions/a/b/c", "/nothing"):
        for method in ("GET", "POST", "PUT", "DELETE"):
            refused(parley.http(method, path), 404)
    for path in ("/api/v1/elicitations", token_path, f"{token_path}/x", "/api/v1/sessions"):
        for method in ("PUT", "PROPFIND"):
            got = parley.http(method, path)
            assert refused(got, 405)["code"] == "method_not_allowed"
            assert got.headers["allow"]


def test_odd_paths_are_at_most_not_found(parley: Parley) -> None:
    for odd in (
        "%00",
        "%ff",
        "%F0%9F%98%80",
        "%2F",
        "..%2f..",
        "a" * 9_000,
        "%",
        "%zz",
        "{x}",
        "'",
    ):
        for path in (
            f"/api/v1/sessions/{odd}",
            f"/api/v1/sessions/{odd}/events",
            f"/api/v1/elicitations/{odd}",
            f"/api/v1/elicitations/session/{odd}/{odd}",
        ):
            refused(parley.http("GET", path), 400, 401, 404)


def test_errors_hold_nothing_that_was_sent_as_a_secret(parley: Parley) -> None:
    """D14: error text reaches the model unshortened."""
    session = parley.open_session()
    token = session["env"]["ELICITATION_REQUEST_URL"].rpartition("/")[2]
    for got in (
        parley.http("POST", f"/api/v1/elicitations/session/{token}x", question(), key=None),
        parley.http("GET", f"/api/v1/elicitations/session/{token}/nope", key=None),
        parley.http("GET", "/api/v1/sessions", key=f"{parley.key}x"),
    ):
        refused(got)
        assert token not in got.text
        assert parley.key[20:] not in got.text


def test_what_nobody_foresaw_is_500_in_the_envelope(
    parley: Parley, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A defect of ours: recorded with its trace, told without."""
    session = parley.open_session()

    def defect(_session_id: str) -> None:
        raise ZeroDivisionError("private detail")

    monkeypatch.setattr(type(parley.services.store), "session", lambda _, key: defect(key))
    got = parley.http("GET", f"/api/v1/sessions/{session['id']}")
    assert (got.status, got.code) == (500, "server_error")
    assert got.headers["x-parley"] == "1"
    assert "private detail" not in got.text
    assert any(record.exc_info for record in caplog.records)
