"""The proxy event, against events in the shape that API Gateway REST sends (tests/events)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.local.rest import rest_event
from infra.local.routes import Match, Routes
from infra.local.wire import HttpRequest

EVENTS = Path(__file__).parents[2] / "events"
NOW = datetime(2026, 3, 29, 3, 50, 26, tzinfo=UTC)
ROUTES = Routes(
    {
        "/mcp": ["POST", "GET", "DELETE"],
        "/a/{token}": ["GET", "POST"],
        "/api/v1/elicitations": ["POST"],
        "/api/v1/elicitations/session/{token}/{request_id}": ["GET"],
    }
)
TARGETS = {
    "rest_get_poll": "/api/v1/elicitations/session/tok_1-a/req_1-b?wait=5&empty=&wait=20",
    "rest_post_create": "/api/v1/elicitations",
    "rest_get_encoded": "/a/%C3%A9%2Fx%20y%2B?q=a%2Bb+c&na%C3%AFve=%C3%BC",
    "rest_post_form": "/a/tok",
    "rest_post_binary": "/api/v1/elicitations",
    "rest_delete_bare": "/mcp",
}
BODIES = {"rest_post_binary": b"\x00\xff{}"}
ADDED = ("X-Amzn-Trace-Id", "X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto")
OF_THE_DEPLOYMENT = ("apiId", "stage", "resourceId", "requestId", "extendedRequestId")


def recorded(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text())
    return event


def request_of(event: dict[str, Any], target: str, body: bytes | None) -> HttpRequest:
    """The request that made `event`, without what the gateway added."""
    return HttpRequest(
        method=event["httpMethod"],
        target=target,
        headers=[
            (name, value)
            for name, values in event["multiValueHeaders"].items()
            for value in values
            if name not in ADDED
        ],
        body=body if body is not None else (event["body"] or "").encode(),
        source_ip="203.0.113.7",
    )


def shaped(request: HttpRequest) -> dict[str, Any]:
    match = ROUTES.match(request.target.partition("?")[0])
    assert match is not None
    return rest_event(
        request,
        match,
        method=request.method,
        now=NOW,
        binary_types=["application/octet-stream", "image/*"],
    )


def without_the_deployment(event: dict[str, Any]) -> dict[str, Any]:
    """The event with what differs from one API to the next put out of sight, its presence kept."""
    for name in OF_THE_DEPLOYMENT:
        assert event["requestContext"][name]
        event["requestContext"][name] = "..."
    for name in ADDED:
        assert event["headers"][name] == event["multiValueHeaders"][name][-1]
        event["headers"][name] = "..."
        event["multiValueHeaders"][name] = ["..."]
    return event


@pytest.mark.parametrize("name", TARGETS)
def test_a_request_is_shaped_as_the_gateway_shapes_it(name: str) -> None:
    expected = recorded(name)
    made = shaped(request_of(recorded(name), TARGETS[name], BODIES.get(name)))
    assert without_the_deployment(made) == without_the_deployment(expected)


def test_every_recorded_request_is_in_the_table() -> None:
    assert {path.stem for path in EVENTS.glob("rest_*.json")} == set(TARGETS)


@pytest.mark.parametrize(
    ("headers", "single", "multi"),
    [
        ([("X-A", "1"), ("x-a", "2")], {"X-A": "2"}, {"X-A": ["1", "2"]}),
        ([("x-api-key", "k")], {"x-api-key": "k"}, {"x-api-key": ["k"]}),
        ([("Connection", "keep-alive"), ("Transfer-Encoding", "chunked")], {}, {}),
    ],
)
def test_headers_keep_their_spelling_and_their_repeats(
    headers: list[tuple[str, str]], single: dict[str, str], multi: dict[str, list[str]]
) -> None:
    event = shaped(HttpRequest(method="GET", target="/mcp", headers=headers))
    for name in ADDED:
        del event["headers"][name], event["multiValueHeaders"][name]
    assert (event["headers"], event["multiValueHeaders"]) == (single, multi)


def test_the_caller_is_added_behind_earlier_hops() -> None:
    headers = [("X-Forwarded-For", "198.51.100.1")]
    event = shaped(HttpRequest(method="GET", target="/mcp", headers=headers, source_ip="127.0.0.1"))
    assert event["headers"]["X-Forwarded-For"] == "198.51.100.1, 127.0.0.1"


@pytest.mark.parametrize(
    ("content_type", "is_binary"),
    [
        ("application/octet-stream", True),
        ("image/png", True),
        ("IMAGE/PNG; q=1", True),
        ("application/json", False),
        ("", False),
    ],
)
def test_only_declared_types_travel_as_base64(content_type: str, is_binary: bool) -> None:
    headers = [("content-type", content_type)] if content_type else []
    event = shaped(HttpRequest(method="POST", target="/mcp", headers=headers, body=b"abc"))
    assert event["isBase64Encoded"] is is_binary
    assert event["body"] == ("YWJj" if is_binary else "abc")


def test_bad_utf8_in_a_text_body_is_replaced_as_the_gateway_does() -> None:
    event = shaped(HttpRequest(method="POST", target="/mcp", headers=[], body=b"a\xff"))
    assert event["body"] == "a\ufffd"


def test_a_literal_segment_wins_over_a_parameter() -> None:
    routes = Routes({"/{any}/x": [], "/a/{b}": [], "/a/b": [], "/a/{b}/c": [], "/": []})
    found = {path: routes.match(path) for path in ("/a/b", "/a/x", "/z/x", "/a/q/c", "/")}
    assert {path: match and match.resource for path, match in found.items()} == {
        "/a/b": "/a/b",
        "/a/x": "/a/{b}",
        "/z/x": "/{any}/x",
        "/a/q/c": "/a/{b}/c",
        "/": "/",
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/tok/", Match("/a/{token}", {"token": "tok"})),
        ("/a/x%2Fy", Match("/a/{token}", {"token": "x/y"})),
        ("/a/%252F", Match("/a/{token}", {"token": "%2F"})),
        ("/a/", None),
        ("/a//", None),
        ("/a", None),
        ("/a/b/c", None),
        ("/A/b", None),
        ("/%61/b", Match("/a/{token}", {"token": "b"})),
    ],
)
def test_a_path_is_matched_by_whole_decoded_segments(path: str, expected: Match | None) -> None:
    assert ROUTES.match(path) == expected
