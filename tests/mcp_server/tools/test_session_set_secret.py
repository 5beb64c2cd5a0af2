"""The exchange that stores a secret without its value ever passing through the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.domain.secret import SecretState
from chalicelib.mcp_server.tools.session_set_secret import MAX_ROUNDS
from tests.mcp_server.support import (
    EVERYTHING,
    HOST,
    URL_CAPABLE,
    Reply,
    initialize,
    legacy,
)
from tests.mcp_server.tools.rig import Rig

TOOL = "session_set_secret"
ARGUMENTS = {"session_id": "s_host", "name": "STRIPE_API_KEY"}
ACCEPT: Mapping[str, Any] = {"secret": {"action": "accept"}}
STORED = {"name": "STRIPE_API_KEY", "stored": True}
PENDING = {"name": "STRIPE_API_KEY", "stored": False, "status": "pending"}

CLIENT_ROUNDS = 10
"""What the SDKs' clients allow before they give up."""


@pytest.fixture
def rig() -> Rig:
    return Rig()


def send(rig: Rig, arguments: Mapping[str, Any] = ARGUMENTS, **rest: Any) -> Reply:
    return rig.send(TOOL, arguments, **{"principal": HOST, "capabilities": URL_CAPABLE} | rest)


def ask(rig: Rig) -> str:
    """The sealed state of a first call."""
    state: str = send(rig).result["requestState"]
    return state


def assert_state_refused(reply: Reply) -> None:
    assert reply.verdict == (400, -32602)
    assert reply.error["message"] == (
        "Invalid or expired requestState: call the tool again without it."
    )
    assert reply.error["data"] == {"reason": "invalid_request_state"}


def test_the_first_call_asks_for_one_page_and_seals_its_state(rig: Rig) -> None:
    result = send(rig).result
    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == {
        "secret": {
            "method": "elicitation/create",
            "params": {
                "mode": "url",
                "url": "https://parley.example/secrets/h0",
                "message": "Parley needs the value of 'STRIPE_API_KEY' for session s_host.",
            },
        }
    }
    assert isinstance(result["requestState"], str)


def test_a_value_typed_during_the_wait_completes_the_retry(rig: Rig) -> None:
    state = ask(rig)
    rig.backend.during_wait = lambda h: rig.backend.set_secret_state(h, SecretState.STORED)
    result = send(rig, state=state, responses=ACCEPT).result
    assert result["resultType"] == "complete"
    assert result["structuredContent"] == STORED


def test_a_value_typed_before_the_retry_completes_it_without_a_wait(rig: Rig) -> None:
    state = ask(rig)
    rig.backend.set_secret_state("h0", SecretState.STORED)
    assert send(rig, state=state, responses=ACCEPT).result["structuredContent"] == STORED
    assert rig.backend.waits == []


def test_a_retry_that_waited_in_vain_gets_a_new_state_and_no_question(rig: Rig) -> None:
    state = ask(rig)
    result = send(rig, state=state, responses=ACCEPT).result
    assert result["resultType"] == "input_required"
    assert "inputRequests" not in result
    assert result["requestState"] != state
    assert rig.backend.waits == [20]


def drive(rig: Rig) -> tuple[Any, int, int]:
    """A client as the SDKs are: accepts at once, echoes the state, counts rounds."""
    result, rounds, asked = send(rig).result, 0, 0
    while result["resultType"] == "input_required":
        rounds += 1
        asked += "inputRequests" in result
        responses = {"responses": ACCEPT} if "inputRequests" in result else {}
        result = send(rig, state=result["requestState"], **responses).result
    return result, rounds, asked


def test_a_call_ends_as_pending_before_clients_give_up(rig: Rig) -> None:
    result, rounds, asked = drive(rig)
    assert result["structuredContent"] == PENDING
    assert "isError" not in result
    assert rounds == MAX_ROUNDS < CLIENT_ROUNDS
    assert asked == 1
    assert rig.backend.waits == [20] * MAX_ROUNDS


def test_after_pending_the_same_call_finds_the_same_page(rig: Rig) -> None:
    drive(rig)
    assert send(rig).result["inputRequests"]["secret"]["params"]["url"].endswith("/h0")
    assert len(rig.backend.secrets) == 1


def test_a_value_typed_after_pending_is_reported_by_the_next_call(rig: Rig) -> None:
    drive(rig)
    rig.backend.set_secret_state("h0", SecretState.STORED)
    assert rig.call(TOOL, ARGUMENTS, principal=HOST) == STORED


def test_replacing_a_stored_secret_needs_the_page_again(rig: Rig) -> None:
    state = ask(rig)
    rig.backend.set_secret_state("h0", SecretState.STORED)
    send(rig, state=state, responses=ACCEPT)
    result = send(rig).result
    assert result["inputRequests"]["secret"]["params"]["url"].endswith("/h1")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_in_the_client_ends_the_call_and_closes_the_page(rig: Rig, action: str) -> None:
    state = ask(rig)
    responses = {"secret": {"action": action}}
    text = rig.complaint(TOOL, ARGUMENTS, principal=HOST, state=state, responses=responses)
    assert action in text
    assert rig.backend.secrets["h0"].is_closed
    assert_state_refused(send(rig, state=state, responses=ACCEPT))


@pytest.mark.parametrize("outcome", [SecretState.DECLINED, SecretState.EXPIRED])
def test_a_page_that_ended_without_a_value_ends_the_call(rig: Rig, outcome: SecretState) -> None:
    state = ask(rig)
    rig.backend.set_secret_state("h0", outcome)
    rig.complaint(TOOL, ARGUMENTS, principal=HOST, state=state, responses=ACCEPT)
    assert send(rig).result["inputRequests"]["secret"]["params"]["url"].endswith("/h1")


@pytest.mark.parametrize("responses", [None, {}, {"other": {"action": "accept"}}])
def test_a_missing_answer_is_asked_for_again(rig: Rig, responses: Any) -> None:
    state = ask(rig)
    rest = {} if responses is None else {"responses": responses}
    result = send(rig, state=state, **rest).result
    assert result["inputRequests"]["secret"]["params"]["url"].endswith("/h0")
    assert result["requestState"] != state


def test_a_client_that_never_answers_is_not_asked_for_ever(rig: Rig) -> None:
    result = send(rig).result
    for _ in range(MAX_ROUNDS - 1):
        result = send(rig, state=result["requestState"]).result
        assert result["resultType"] == "input_required"
    assert send(rig, state=result["requestState"]).result["structuredContent"] == PENDING


def test_unknown_answers_beside_the_right_one_and_content_are_ignored(rig: Rig) -> None:
    state = ask(rig)
    rig.backend.set_secret_state("h0", SecretState.STORED)
    responses = {
        "secret": {"action": "accept", "content": {"value": "sk_live_1"}},
        "other": {"action": "decline"},
    }
    reply = send(rig, state=state, responses=responses)
    assert reply.result["structuredContent"] == STORED
    assert "sk_live_1" not in reply.answer.body


def test_an_answer_without_a_state_completes_nothing(rig: Rig) -> None:
    assert "inputRequests" in send(rig, responses=ACCEPT).result
    assert rig.backend.waits == []


@pytest.mark.parametrize("response", [{}, {"action": "agree"}, {"action": 1}, {"action": []}])
def test_an_answer_that_cannot_be_read_changes_nothing(rig: Rig, response: Any) -> None:
    state = ask(rig)
    reply = send(rig, state=state, responses={"secret": response})
    assert reply.verdict == (400, -32602)
    rig.backend.set_secret_state("h0", SecretState.STORED)
    assert send(rig, state=state, responses=ACCEPT).result["structuredContent"] == STORED


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}, {"elicitation": {"url": None}}],
)
def test_a_client_that_opens_no_pages_is_told_what_it_lacks(rig: Rig, capabilities: Any) -> None:
    reply = send(rig, capabilities=capabilities)
    assert reply.verdict == (400, -32021)
    assert reply.error["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert rig.backend.secrets == {}


def test_a_state_is_good_once(rig: Rig) -> None:
    state = ask(rig)
    second = send(rig, state=state, responses=ACCEPT).result["requestState"]
    assert_state_refused(send(rig, state=state, responses=ACCEPT))
    assert_state_refused(send(rig, state=state, responses={"secret": {"action": "decline"}}))
    rig.backend.set_secret_state("h0", SecretState.STORED)
    assert send(rig, state=second).result["structuredContent"] == STORED
    assert_state_refused(send(rig, state=second))


def test_a_forged_state_is_refused(rig: Rig) -> None:
    state = ask(rig)
    for forged in ("", "x", state + "x", state[1:], "." + state, state.replace(".", "..", 1)):
        assert_state_refused(send(rig, state=forged, responses=ACCEPT))
    assert rig.backend.secrets["h0"].spent == set()


def test_a_state_taken_elsewhere_is_refused_in_the_same_words(rig: Rig) -> None:
    rig.backend.add_session("s_2", HOST)
    state = ask(rig)
    elsewhere: list[dict[str, Any]] = [
        {"principal": EVERYTHING},
        {"arguments": {**ARGUMENTS, "name": "OTHER"}},
        {"arguments": {**ARGUMENTS, "session_id": "s_2"}},
    ]
    for change in elsewhere:
        assert_state_refused(send(rig, **{"state": state, "responses": ACCEPT} | change))
    assert rig.backend.secrets["h0"].spent == set()


def test_a_state_dies_with_its_page(rig: Rig) -> None:
    state = ask(rig)
    rig.pass_time(minutes=15)
    assert_state_refused(send(rig, state=state, responses=ACCEPT))


@pytest.mark.parametrize("name", ["", "1ST", "A B", "A\n", "x" * 256, "ключ", "A'; --"])
def test_names_are_plain(rig: Rig, name: str) -> None:
    text = rig.complaint(TOOL, {**ARGUMENTS, "name": name}, principal=HOST)
    assert "- name: " in text
    assert rig.backend.secrets == {}


def test_there_is_no_argument_for_the_value(rig: Rig) -> None:
    text = rig.complaint(TOOL, {**ARGUMENTS, "value": "sk_live_1"}, principal=HOST)
    assert "value: is not an argument of this tool" in text
    assert "sk_live_1" not in text


def test_a_session_of_another_key_is_not_found(rig: Rig) -> None:
    text = rig.complaint(TOOL, {**ARGUMENTS, "session_id": "s_ada"}, principal=HOST)
    assert text.startswith("not_found: ")


def legacy_call(rig: Rig, headers: Mapping[str, str]) -> Reply:
    params = {"name": TOOL, "arguments": ARGUMENTS}
    return legacy("tools/call", params, headers=headers, server=rig.server, principal=HOST)


def handshake(rig: Rig, capabilities: Any) -> dict[str, str]:
    reply = initialize(capabilities, server=rig.server, principal=HOST)
    return {"Mcp-Session-Id": reply.headers["Mcp-Session-Id"]}


def test_an_older_client_that_opens_pages_is_sent_to_the_page_by_error(rig: Rig) -> None:
    headers = handshake(rig, URL_CAPABLE)
    reply = legacy_call(rig, headers)
    assert reply.error["code"] == -32042
    assert reply.error["data"]["elicitations"] == [
        {
            "mode": "url",
            "elicitationId": "h0",
            "url": "https://parley.example/secrets/h0",
            "message": "Parley needs the value of 'STRIPE_API_KEY' for session s_host.",
        }
    ]
    assert legacy_call(rig, headers).body == reply.body
    rig.backend.set_secret_state("h0", SecretState.STORED)
    assert legacy_call(rig, headers).result["structuredContent"] == STORED


def test_an_older_client_that_opens_no_pages_gets_a_tool_error(rig: Rig) -> None:
    for headers in (handshake(rig, {"elicitation": {}}), {}):
        result = legacy_call(rig, headers).result
        assert result["isError"] is True
        assert "elicitation.url" in result["content"][0]["text"]
    assert rig.backend.secrets == {}
