"""What the gateway answers itself, and how it hands on what the app answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.local.gateway import Gateway
from infra.local.wire import HttpRequest, HttpResponse, to_http
from tests.infra.local.standin import echo_app


@pytest.fixture(scope="module")
def gateway() -> Gateway:
    return Gateway(echo_app())


def ask(gateway: Gateway, method: str, target: str, **extra: Any) -> HttpResponse:
    headers = [("Host", "localhost:8000"), *extra.pop("headers", [])]
    return gateway(HttpRequest(method=method, target=target, headers=headers, **extra))


def body_of(response: HttpResponse) -> bytes:
    return b"".join(response.body)


def test_a_route_sees_the_request(gateway: Gateway) -> None:
    response = ask(
        gateway,
        "POST",
        "/echo/a%2Fb?k=1&k=2",
        headers=[("X-Probe", "p"), ("Content-Type", "text/plain")],
        body="ü".encode(),
    )
    seen = json.loads(body_of(response))
    assert response.status == 200
    assert (seen["name"], seen["header"], seen["body"]) == ("a/b", "p", "ü")


@pytest.mark.parametrize(
    ("method", "target", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/echo/", 404, "not_found"),
        ("PUT", "/echo/a", 405, "method_not_allowed"),
        ("OPTIONS", "/echo/a", 405, "method_not_allowed"),
        ("HEAD", "/shared", 405, "method_not_allowed"),
    ],
)
def test_what_never_reaches_the_app_is_answered_in_the_one_envelope(
    gateway: Gateway, method: str, target: str, status: int, code: str
) -> None:
    response = ask(gateway, method, target)
    headers = dict(response.headers)
    assert response.status == status
    assert headers["X-Parley"] == "1"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Type"] == "application/json"
    if method != "HEAD":
        assert json.loads(body_of(response))["error"]["code"] == code


def test_a_wrong_method_is_told_the_right_ones(gateway: Gateway) -> None:
    assert dict(ask(gateway, "DELETE", "/echo/a").headers)["Allow"] == "GET, HEAD, POST"


def test_head_is_get_without_its_body(gateway: Gateway) -> None:
    full, head = ask(gateway, "GET", "/page"), ask(gateway, "HEAD", "/page")
    assert body_of(head) == b""
    assert (head.status, head.headers) == (full.status, full.headers)
    assert dict(head.headers)["Content-Length"] == str(len(body_of(full)))


def test_a_preflight_is_answered_without_the_app(gateway: Gateway) -> None:
    response = ask(gateway, "OPTIONS", "/shared")
    headers = dict(response.headers)
    assert response.status == 200
    assert headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert headers["Access-Control-Allow-Methods"] == "OPTIONS,PUT"


def test_a_header_may_come_twice_in_an_answer(gateway: Gateway) -> None:
    response = ask(gateway, "GET", "/cookies")
    assert [value for name, value in response.headers if name == "Set-Cookie"] == ["a=1", "b=2"]


def test_a_204_has_neither_body_nor_length(gateway: Gateway) -> None:
    response = ask(gateway, "GET", "/cookies")
    assert response.status == 204
    assert "Content-Length" not in dict(response.headers)


def test_binary_answers_arrive_as_bytes(gateway: Gateway) -> None:
    response = ask(gateway, "GET", "/image", headers=[("Accept", "image/png")])
    assert body_of(response) == b"\x89PNG\x00"


def test_an_app_that_raises_is_a_502_in_the_envelope(gateway: Gateway) -> None:
    response = ask(gateway, "GET", "/broken")
    assert response.status == 502
    assert b"secret" not in body_of(response)
    assert json.loads(body_of(response))["error"]["code"] == "bad_gateway"


def test_a_stream_takes_its_resource_from_the_app_for_get_only() -> None:
    def stream(event: Any, context: Any) -> Any:
        return 200, {"Content-Type": "text/event-stream"}, iter([b"data: 1\n\n", b"data: 2\n\n"])

    gateway = Gateway(echo_app(), streams={"/echo/{name}": stream})
    response = ask(gateway, "GET", "/echo/x")
    assert body_of(response) == b"data: 1\n\ndata: 2\n\n"
    assert json.loads(body_of(ask(gateway, "POST", "/echo/x")))["name"] == "x"


def test_multi_value_headers_replace_the_single_one_of_their_name() -> None:
    result = {
        "statusCode": 200,
        "headers": {"vary": "Accept"},
        "multiValueHeaders": {"Vary": ["Accept", "Origin"]},
        "body": "",
    }
    headers = to_http(result).headers
    assert [value for name, value in headers if name.lower() == "vary"] == ["Accept", "Origin"]
