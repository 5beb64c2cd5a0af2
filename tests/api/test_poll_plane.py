"""The poll plane answers exactly as the main API does, from its own proxy events."""

from __future__ import annotations

import json
from typing import Any

from chalicelib.api.poll_plane import answer_poll
from tests.parley import Parley


def event(method: str = "GET", **parts: Any) -> dict[str, Any]:
    """A REST proxy event of the poll API."""
    return {
        "httpMethod": method,
        "path": "/api/v1/elicitations/session/t/r",
        "headers": {},
        "multiValueHeaders": {},
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "requestContext": {},
        "body": None,
        "isBase64Encoded": False,
    } | parts


def test_a_poll_here_is_the_same_as_on_the_main_api(parley: Parley) -> None:
    session = parley.open_session()
    token = session["env"]["ELICITATION_POLL_URL"].rpartition("/")[2]
    request_id = parley.ask(session).json["requestId"]
    here = event(pathParameters={"token": token, "request_id": request_id})
    for _ in range(2):
        got = answer_poll(here, parley.services)
        there = parley.poll(session, request_id)
        assert got["statusCode"] == there.status == 200
        assert json.loads(got["body"]) == there.json
        assert got["headers"]["X-Parley"] == "1"
        assert got["isBase64Encoded"] is False
        parley.respond(request_id, "accept", {"confirm": True})


def test_a_bare_poll_here_takes_a_key(parley: Parley) -> None:
    request_id = parley.ask(parley.open_session()).json["requestId"]
    here = event(pathParameters={"request_id": request_id})
    assert answer_poll(here, parley.services)["statusCode"] == 401
    here["multiValueHeaders"] = {"X-API-Key": [parley.key]}
    assert answer_poll(here, parley.services)["statusCode"] == 200


def test_nothing_but_a_poll_is_served(parley: Parley) -> None:
    for method, parameters, status, code in (
        ("POST", {"token": "t", "request_id": "r"}, 405, "method_not_allowed"),
        ("DELETE", {"token": "t", "request_id": "r"}, 405, "method_not_allowed"),
        ("GET", None, 404, "not_found"),
        ("GET", {"token": "t"}, 404, "not_found"),
        ("GET", {"token": "t", "request_id": "r"}, 401, "unauthenticated"),
    ):
        got = answer_poll(event(method, pathParameters=parameters), parley.services)
        assert got["statusCode"] == status
        assert json.loads(got["body"])["error"]["code"] == code
