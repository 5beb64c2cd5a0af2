"""The service with nothing but what the template gives: each function its variables and its role.

One walk through everything that a deployed stack does. A call outside a role is refused, and so
fails the walk; a right that the walk never uses has no reason to be there.
"""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.jobs import cleanup, probe
from infra.local.resources import Clients
from tests.flows.mcp_client import McpClient
from tests.infra.guarded_stack import MODEL, Stack
from tests.parley import Parley, path_of


def _walk(stack: Stack) -> None:
    api, clock = stack.client(), stack.parley.clock
    session = api.open_session(title="Release")
    _ask_and_answer(stack, api, session)
    _expire(stack, api, session)
    api.http("GET", "/api/v1/sessions")
    api.events(session["id"])
    _browse(api, session)
    _call_tools(stack, api)
    _ask_a_model(stack, api)
    assert api.http("PUT", "/api/v1/secrets/token", {"value": "x"}).status == 200
    assert api.ask(session).status == 201
    clock.turn(minutes=5)
    cleanup.cleanup(stack.services["cleanup"])
    for _ in range(2):
        probe.probe(stack.services["probe"])
    api.http("GET", "/api/v1/gate")
    assert api.http("DELETE", f"/api/v1/sessions/{session['id']}").status < 300


def _ask_and_answer(stack: Stack, api: Parley, session: dict[str, Any]) -> None:
    asked = api.ask(session).json["requestId"]
    assert stack.poll(session, asked)["action"] == "pending"
    assert stack.drain("notices") == 1
    stack.ring(key=asked)
    assert api.respond(asked, "accept", {"confirm": True}).status == 200
    assert stack.poll(session, asked)["action"] == "accept"
    bare = {"x-api-key": stack.parley.key}
    assert stack.poll_event({"request_id": asked}, bare)["action"] == "accept"
    withdrawn = api.ask(session).json["requestId"]
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    assert api.http("DELETE", f"{path}/{withdrawn}", key=None).status == 200


def _expire(stack: Stack, api: Parley, session: dict[str, Any]) -> None:
    """Once by poll, once by timer, once by cleanup; and once with a reminder before."""
    by_poll, by_timer, by_cleanup = (api.ask(session).json["requestId"] for _ in range(3))
    stack.parley.clock.turn(minutes=40)
    stack.ring(key=by_poll)
    stack.parley.clock.turn(minutes=25)
    assert stack.poll(session, by_poll)["action"] != "pending"
    stack.ring(key=by_timer)
    cleanup.cleanup(stack.services["cleanup"])
    assert stack.poll(session, by_cleanup)["action"] != "pending"
    assert stack.drain("notices")


def _call_tools(stack: Stack, api: Parley) -> None:
    """Three calls that ask for a page: one is agreed to, one times out by its timer, one by
    cleanup."""
    secret = {"value": "upstream credential"}
    assert api.http("PUT", "/api/v1/secrets/acme-token", secret).status == 200
    server = {"name": "acme", "url": "https://acme.example/mcp", "credential": "acme-token"}
    assert api.http("POST", "/api/v1/mcp-servers", server).status == 201
    for settle in (_agree, _let_ring, _let_cleanup_find):
        session = api.open_session(hints={"url_elicitation": True})
        calls = [{"server": "acme", "tool": "pay", "arguments": {"amount": 3}}]
        message = {"role": "user", "content": [{"type": "text", "text": "Pay."}]}
        path = f"/api/v1/sessions/{session['id']}"
        posted = api.http("POST", f"{path}/messages", {"message": message, "calls": calls})
        assert posted.status == 201, posted.text
        assert stack.drain("turns")
        assert stack.drain("notices")
        (card,) = [e for e in api.events(session["id"]) if e["type"] == "tool.call_requested"]
        settle(stack, api, session["id"], card["data"]["tool_calls"][0]["id"])
        assert stack.drain("turns")
        assert api.http("DELETE", path).status < 300
    assert api.http("DELETE", "/api/v1/mcp-servers/acme").status < 300


def _ask_a_model(stack: Stack, api: Parley) -> None:
    """By two workers: the first runs out of time and hands over."""
    session = api.open_session(hints={"driver": "bedrock"})
    message = {"role": "user", "content": [{"type": "text", "text": "Pay."}]}
    body = {"message": message, "controls": {"model_id": MODEL}}
    assert api.http("POST", f"/api/v1/sessions/{session['id']}/messages", body).status == 201
    stack.hurry()
    assert stack.drain("turns")
    stack.parley.clock.turn(minutes=10)
    assert stack.drain("turns")
    assert "turn.completed" in [event["type"] for event in api.events(session["id"])]


def _agree(stack: Stack, api: Parley, session_id: str, call_id: str) -> None:
    body = {"tool_call_id": call_id, "action": "accept"}
    path = f"/api/v1/sessions/{session_id}/mcp-elicitation-consent"
    assert api.http("POST", path, body).status == 200


def _let_ring(stack: Stack, api: Parley, session_id: str, call_id: str) -> None:
    stack.parley.clock.turn(seconds=301)
    stack.ring(session_id=session_id, call_id=call_id)


def _let_cleanup_find(stack: Stack, api: Parley, session_id: str, call_id: str) -> None:
    stack.parley.clock.turn(seconds=301)
    cleanup.cleanup(stack.services["cleanup"])


def _browse(api: Parley, session: dict[str, Any]) -> None:
    assert api.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").status == 200
    assert api.http("GET", "/sign-in").status == 200
    form = {"content-type": "application/x-www-form-urlencoded"}
    api.http("POST", "/sign-in", raw=b"key=x", headers=form)
    assert "elicitations" in McpClient(api, api.key).told("list_elicitations")


@pytest.fixture
def stack(template: dict[str, Any], parley: Parley, aws: Clients) -> Stack:
    return Stack(template, parley, aws)


def test_every_call_is_in_its_functions_role_and_every_right_is_used(stack: Stack) -> None:
    _walk(stack)

    refused = {name: guard.refused for name, guard in stack.guards.items() if guard.refused}
    unused = {
        name: sorted(stack.policies.granted(name) - guard.used)
        for name, guard in stack.guards.items()
        if stack.policies.granted(name) - guard.used
    }
    assert not refused
    assert not unused


def test_every_function_runs_on_the_environment_of_the_template(stack: Stack) -> None:
    for name, services in stack.services.items():
        settings = services.settings
        assert settings.stage == "production", name
        assert settings.base_url == "https://ask.example", name
        assert settings.service == "parley", name
        assert settings.table, name


def test_askers_are_sent_to_the_poll_plane(stack: Stack) -> None:
    session = stack.client().open_session()

    assert session["env"]["ELICITATION_POLL_URL"].startswith(
        "https://pollapi.execute-api.us-east-1.amazonaws.com/parley/api/v1/elicitations/session/"
    )
    assert session["env"]["ELICITATION_REQUEST_URL"].startswith("https://ask.example/api/v1/")
