"""Parley's tools over HTTP on the engine: who sees, asks, answers and takes back."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.principal import Scope
from tests.flows.mcp_client import McpClient, connected, meanwhile, secretive
from tests.mcp_server.support import BOTH_MODES
from tests.parley import Parley

CONFIRM = {"confirm": True}


@pytest.fixture
def served(parley: Parley, kms_key: str) -> Parley:
    return secretive(parley, kms_key)


def asked(parley: Parley, **over: Any) -> str:
    """A question in a session of the harness's own key ("tester")."""
    request_id: str = parley.ask(parley.open_session(title="Nightly"), **over).json["requestId"]
    return request_id


def answerer(parley: Parley) -> McpClient:
    return connected(parley, "ada", Scope.ANSWER)


def listed(client: McpClient, **arguments: Any) -> list[str]:
    found = client.told("list_elicitations", **arguments)["elicitations"]
    return [entry["request_id"] for entry in found]


def test_an_answer_through_mcp_reaches_the_asker_and_says_who_gave_it(served: Parley) -> None:
    session = served.open_session(title="Nightly")
    request_id = served.ask(session).json["requestId"]
    ada = answerer(served)
    assert listed(ada) == [request_id]
    shown = ada.told("get_elicitation", request_id=request_id)["elicitation"]
    assert shown["untrusted"]["message"] == "Deploy to production?"
    told = ada.told(
        "respond_to_elicitation", request_id=request_id, action="accept", content=CONFIRM
    )
    assert told["elicitation"]["status"] == "accept"
    assert told["elicitation"]["answered_by"] == "ada (mcp)"
    polled = served.poll(session, request_id).json
    assert (polled["action"], polled["content"]) == ("accept", CONFIRM)
    answered = next(e for e in served.events(session["id"]) if e["type"] == "elicitation.answered")
    assert answered["data"] | {"by": "ada", "channel": "mcp"} == answered["data"]
    assert listed(ada) == []


def test_looking_at_a_question_is_no_receipt(served: Parley) -> None:
    request_id = asked(served)
    ada = answerer(served)
    ada.told("respond_to_elicitation", request_id=request_id, action="decline")
    ada.told("get_elicitation", request_id=request_id, wait_seconds=20)
    row = served.services.store.elicitation(request_id)
    assert row is not None
    assert row.receipt_at is None


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"action": "accept", "content": {"confirm": "yes"}}, "invalid_content"),
        ({"action": "accept"}, "invalid_content"),
        ({"action": "decline", "content": CONFIRM}, "invalid_input"),
    ],
)
def test_an_answer_that_does_not_fit_changes_nothing(
    served: Parley, answer: dict[str, Any], code: str
) -> None:
    request_id = asked(served)
    ada = answerer(served)
    text = ada.failed("respond_to_elicitation", request_id=request_id, **answer)
    assert text.startswith(f"{code}: ")
    assert listed(ada) == [request_id]


def test_a_second_answer_is_told_that_it_lost_and_the_same_again_succeeds(served: Parley) -> None:
    request_id = asked(served)
    ada = answerer(served)
    for _ in range(2):
        ada.told("respond_to_elicitation", request_id=request_id, action="decline")
    bob = connected(served, "bob", Scope.ANSWER)
    text = bob.failed("respond_to_elicitation", request_id=request_id, action="cancel")
    assert text.startswith("already_answered: ")


def test_an_answer_after_the_deadline_is_late(served: Parley) -> None:
    request_id = asked(served)
    served.clock.turn(hours=2)
    ada = answerer(served)
    text = ada.failed("respond_to_elicitation", request_id=request_id, action="decline")
    assert text.startswith("deadline_passed: ")
    shown = ada.told("get_elicitation", request_id=request_id)["elicitation"]
    assert shown["status"] == "expired"


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_who_asks_may_not_answer(served: Parley, action: str) -> None:
    request_id = asked(served)
    asker = connected(served, "tester", *Scope)
    content = {"content": CONFIRM} if action == "accept" else {}
    text = asker.failed("respond_to_elicitation", request_id=request_id, action=action, **content)
    assert text.startswith("forbidden: Who asks may not answer")
    assert listed(asker) == [request_id]


def test_the_operator_may_let_askers_answer(parley: Parley, kms_key: str) -> None:
    served = secretive(parley, kms_key, PARLEY_ASKER_MAY_ANSWER="true")
    request_id = asked(served)
    asker = connected(served, "tester", *Scope)
    told = asker.told("respond_to_elicitation", request_id=request_id, action="decline")
    assert told["elicitation"]["status"] == "decline"


def test_a_page_is_accepted_on_the_page_only(served: Parley) -> None:
    url = "https://bank.example/consent"
    request_id = asked(served, mode="url", url=url)
    ada = answerer(served)
    text = ada.failed("respond_to_elicitation", request_id=request_id, action="accept")
    assert text.startswith("forbidden: ")
    told = ada.told("respond_to_elicitation", request_id=request_id, action="decline")
    assert told["elicitation"]["status"] == "decline"


def test_a_host_asks_waits_and_reads_the_answer(served: Parley) -> None:
    host = connected(served, "runner", Scope.HOST)
    session = served.http("POST", "/api/v1/sessions", {}, key=host.key).json
    created = host.told(
        "create_elicitation",
        session_id=session["id"],
        message="Go on?",
        expires_in_minutes=5,
        context="Nightly run",
    )["elicitation"]
    request_id = created["request_id"]
    ada = answerer(served)
    meanwhile(
        served,
        lambda: ada.told("respond_to_elicitation", request_id=request_id, action="accept"),
    )
    told = host.told("get_elicitation", request_id=request_id, wait_seconds=20)["elicitation"]
    assert told["status"] == "accept"
    row = served.services.store.elicitation(request_id)
    assert row is not None
    assert row.receipt_at is not None


def test_a_wait_ends_by_itself_and_tells_that_somebody_still_waits(served: Parley) -> None:
    host = connected(served, "runner", Scope.HOST)
    session = served.http("POST", "/api/v1/sessions", {}, key=host.key).json
    arguments = {"session_id": session["id"], "message": "Go on?"}
    request_id = host.told("create_elicitation", **arguments)["elicitation"]["request_id"]
    served.clock.turn(minutes=2)
    waited_from = served.clock.now
    told = host.told("get_elicitation", request_id=request_id, wait_seconds=3)["elicitation"]
    assert told["status"] == "pending"
    assert 3 <= (served.clock.now - waited_from).total_seconds() < 4
    row = served.services.store.elicitation(request_id)
    assert row is not None
    assert row.last_seen_at == waited_from


def test_the_same_question_sent_twice_is_asked_once(served: Parley) -> None:
    host = connected(served, "runner", Scope.HOST)
    session = served.http("POST", "/api/v1/sessions", {}, key=host.key).json
    arguments = {"session_id": session["id"], "message": "Go on?", "request_id": "step-7"}
    first, second = (host.told("create_elicitation", **arguments) for _ in range(2))
    assert first["elicitation"]["request_id"] == second["elicitation"]["request_id"]
    text = host.failed("create_elicitation", **arguments | {"message": "Stop?"})
    assert text.startswith("request_id_reused: ")


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"message": " \n"}, "invalid_input"),
        ({"requested_schema": {"type": "array"}}, "invalid_schema"),
        ({"session_id": "session_nowhere"}, "not_found"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    served: Parley, over: dict[str, Any], code: str
) -> None:
    host = connected(served, "runner", Scope.HOST)
    session = served.http("POST", "/api/v1/sessions", {}, key=host.key).json
    arguments = {"session_id": session["id"], "message": "Go on?"} | over
    assert host.failed("create_elicitation", **arguments).startswith(f"{code}: ")


def test_only_the_sessions_own_host_takes_a_question_back(served: Parley) -> None:
    session = served.open_session()
    request_id = served.ask(session).json["requestId"]
    other = connected(served, "runner", Scope.HOST, Scope.READ)
    assert other.failed("withdraw_elicitation", request_id=request_id).startswith("not_found: ")
    own = connected(served, "tester", Scope.HOST)
    for _ in range(2):
        told = own.told("withdraw_elicitation", request_id=request_id)["elicitation"]
        assert told["status"] == "cancel"
    assert served.poll(session, request_id).json["_meta"]["com.parley/reason"] == "withdrawn"


def test_a_host_knows_of_its_own_sessions_only(served: Parley) -> None:
    request_id = asked(served)
    other = connected(served, "runner", Scope.HOST)
    own = served.http("POST", "/api/v1/sessions", {}, key=other.key).json["id"]
    assert listed(other) == []
    assert other.failed("get_elicitation", request_id=request_id).startswith("not_found: ")
    found = other.told("list_sessions")["sessions"]
    assert [entry["session_id"] for entry in found] == [own]
    row = served.services.store.elicitation(request_id)
    assert row is not None
    for tool, arguments in (
        ("get_session", {}),
        ("list_elicitations", {}),
        ("create_elicitation", {"message": "Go on?"}),
    ):
        text = other.failed(tool, session_id=row.session_id, **arguments)
        assert text.startswith("not_found: "), tool


def test_live_questions_come_page_by_page_soonest_first(served: Parley) -> None:
    now = served.clock.now
    session = served.open_session()
    minutes = [50, 10, 40, 20, 30]
    keys = {}
    for minute in minutes:
        until = (now.replace(microsecond=0)).timestamp() + minute * 60
        text = now.fromtimestamp(until, now.tzinfo).isoformat()
        created = served.ask(session, meta={"com.pulsemcp/expires-at": text})
        keys[minute] = created.json["requestId"]
    ada = answerer(served)
    for arguments in ({}, {"session_id": session["id"]}):
        seen: list[str] = []
        page = ada.told("list_elicitations", limit=2, **arguments)
        seen += [entry["request_id"] for entry in page["elicitations"]]
        while "next_cursor" in page:
            page = ada.told("list_elicitations", limit=2, cursor=page["next_cursor"], **arguments)
            seen += [entry["request_id"] for entry in page["elicitations"]]
        assert seen == [keys[minute] for minute in sorted(minutes)]


@pytest.mark.parametrize("tool", ["list_elicitations", "list_sessions"])
@pytest.mark.parametrize(
    "cursor", ["x", "1.a b", "9" * 15 + "." + "k" * 129, "12#", "0" * 15 + "."]
)
def test_a_cursor_of_another_list_is_refused(served: Parley, tool: str, cursor: str) -> None:
    assert answerer(served).failed(tool, cursor=cursor).startswith("invalid_input: ")


def test_sessions_that_wait_are_found_among_the_others(served: Parley) -> None:
    waiting = served.open_session(title="Waits")
    served.ask(waiting)
    for _ in range(3):
        served.clock.turn(seconds=1)
        served.open_session()
    reader = connected(served, "rob", Scope.READ)
    page = reader.told("list_sessions", needs_input=True, limit=1)
    assert [entry["session_id"] for entry in page["sessions"]] == [waiting["id"]]
    seen: list[str] = []
    page = reader.told("list_sessions", limit=3)
    seen += [entry["session_id"] for entry in page["sessions"]]
    page = reader.told("list_sessions", limit=3, cursor=page["next_cursor"])
    seen += [entry["session_id"] for entry in page["sessions"]]
    assert len(set(seen)) == 4
    assert seen[-1] == waiting["id"]


@pytest.mark.parametrize(
    ("scope", "tools"),
    [
        (Scope.READ, {"list_elicitations", "get_elicitation", "list_sessions", "get_session"}),
        (
            Scope.ANSWER,
            {
                "list_elicitations",
                "get_elicitation",
                "list_sessions",
                "get_session",
                "respond_to_elicitation",
            },
        ),
    ],
)
def test_a_key_sees_the_tools_of_its_scopes_only(
    served: Parley, scope: Scope, tools: set[str]
) -> None:
    client = connected(served, "somebody", scope)
    found = client.send("tools/list").json["result"]["tools"]
    assert {tool["name"] for tool in found} == tools
    answer = client.call("create_elicitation", {"session_id": "s", "message": "?"})
    assert (answer.status, answer.json["error"]["code"]) == (400, -32602)


def test_a_client_of_2025_shakes_hands_calls_and_is_sent_to_the_page(served: Parley) -> None:
    host = connected(served, "runner", Scope.HOST)
    session = served.http("POST", "/api/v1/sessions", {}, key=host.key).json["id"]

    def post(method: str, params: Any, **headers: str) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return served.http("POST", "/mcp", body, key=host.key, headers=headers)

    greeting = {
        "protocolVersion": "2025-11-25",
        "capabilities": BOTH_MODES,
        "clientInfo": {"name": "old", "version": "1"},
    }
    shaken = post("initialize", greeting)
    agreed = {
        "mcp-session-id": shaken.headers["mcp-session-id"],
        "mcp-protocol-version": "2025-11-25",
    }
    call = {
        "name": "session_set_secret",
        "arguments": {"session_id": session, "name": "GITHUB_TOKEN"},
    }
    told = post("tools/call", call, **agreed).json["error"]
    assert told["code"] == -32042
    [entry] = told["data"]["elicitations"]
    assert entry["url"] == f"http://localhost:8000/secrets/{entry['elicitationId']}"
    assert post("tools/call", call, **agreed).json["error"]["data"] == told["data"]
    unable = post("tools/call", call)
    assert unable.json["result"]["isError"] is True
