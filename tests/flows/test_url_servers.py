"""Operators register the servers that turns may call; nobody else reaches any."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.principal import Scope
from tests.flows.url_host import UrlHost
from tests.parley import Answer, Parley

PATH = "/api/v1/mcp-servers"
SERVER = {"name": "acme_analytics", "url": "https://mcp.acme.example/mcp"}


def register(parley: Parley, **over: Any) -> Answer:
    return parley.http("POST", PATH, {**SERVER, **over})


def test_register_list_replace_remove(parley: Parley) -> None:
    got = register(parley)
    assert got.status == 201
    assert got.json["name"] == "acme_analytics"
    assert got.json["protocol_mode"] == "auto"
    assert register(parley, protocol_mode="2025-11-25").status == 200
    (listed,) = parley.http("GET", PATH).json["mcp_servers"]
    assert (listed["url"], listed["protocol_mode"]) == (SERVER["url"], "2025-11-25")
    assert parley.http("DELETE", f"{PATH}/acme_analytics").status == 204
    assert parley.http("DELETE", f"{PATH}/acme_analytics").status == 404
    assert parley.http("GET", PATH).json == {"mcp_servers": []}


@pytest.mark.parametrize("scope", [Scope.HOST, Scope.ANSWER, Scope.READ])
def test_only_an_admin_may(parley: Parley, scope: Scope) -> None:
    key = parley.new_key("x", scope)
    assert parley.http("POST", PATH, SERVER, key=key).status == 403
    assert parley.http("GET", PATH, key=key).status == 403
    assert parley.http("DELETE", f"{PATH}/x", key=key).status == 403


@pytest.mark.parametrize(
    "over",
    [
        {"url": "http://mcp.acme.example/mcp"},
        {"url": "https://user:pw@mcp.acme.example/"},
        {"url": "nonsense"},
        {"name": "a__b"},
        {"name": "a/b"},
        {"protocol_mode": "2024-11-05"},
        {"header": "X Y"},
        {"header": "Mcp-Session-Id"},
        {"token": "s3cret"},
    ],
)
def test_what_is_no_server_is_refused(parley: Parley, over: dict[str, str]) -> None:
    assert register(parley, **over).status == 422
    assert parley.http("GET", PATH).json == {"mcp_servers": []}


@pytest.mark.parametrize(
    ("header", "sent"), [("Authorization", "Bearer s3cret-value"), ("X-Api-Key", "s3cret-value")]
)
def test_a_credential_is_named_sent_and_never_shown(host: UrlHost, header: str, sent: str) -> None:
    parley = host.parley
    put = parley.http("PUT", "/api/v1/secrets/ACME_TOKEN", {"value": "s3cret-value"})
    assert put.status in (200, 201, 204), put.text
    body = {"name": "acme", "url": host.upstream.url, "credential": "ACME_TOKEN", "header": header}
    got = parley.http("POST", PATH, body)
    assert got.json["credential"] == "ACME_TOKEN"
    session = host.session()
    host.post(session, "plain")
    host.work()
    assert {asked.headers[header.lower()] for asked in host.upstream.asked} == {sent}
    shown = parley.http("GET", PATH).text + got.text + str(host.events(session))
    assert "s3cret" not in shown


def test_a_credential_that_is_not_stored_fails_the_call_before_anything_is_sent(
    host: UrlHost,
) -> None:
    body = {"name": "acme", "url": host.upstream.url, "credential": "NOWHERE"}
    host.parley.http("POST", PATH, body)
    session = host.session()
    host.post(session, "plain")
    host.work()
    assert "NOWHERE" in host.results(session, "mcp_acme__plain")[0]["error"]
    assert host.upstream.asked == []


def test_what_was_learned_goes_with_the_registration(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain")
    host.work()
    (listed,) = host.parley.http("GET", PATH).json["mcp_servers"]
    assert listed["protocol_version"] == "2026-07-28"
    host.parley.http("POST", PATH, {"name": "acme", "url": host.upstream.url})
    (listed,) = host.parley.http("GET", PATH).json["mcp_servers"]
    assert "protocol_version" not in listed


def test_a_model_is_chosen_by_the_session(host: UrlHost) -> None:
    """The driver fails here for want of a model's name: that is told, and the session is idle."""
    session = host.session(hints={"driver": "bedrock"})
    host.post(session, "plain")
    host.work()
    assert host.events(session, "turn.failed")[0]["data"]["reason"].startswith(
        "the message names no model"
    )
    assert host.status(session) == "idle"
    session = host.session(hints={"driver": "other"})
    host.post(session, "plain")
    host.work()
    assert host.types(session)[-2:] == ["turn.failed", "session.idled"]
