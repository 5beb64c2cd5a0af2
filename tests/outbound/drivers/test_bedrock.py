"""The agent on Bedrock, against recorded shapes: the SDK's stubber checks each request and answer
against the Converse API's own model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from chalicelib.domain.transcript import Utterance
from chalicelib.domain.turn import ToolCall, Turn
from chalicelib.domain.upstream import ToolSpec
from chalicelib.outbound.drivers.bedrock import SYSTEM, BedrockDriver
from chalicelib.usecases.turn_ports import DriverFailed, Move, Situation

MODEL = "anthropic.claude-sonnet-4-20250514-v1:0"
TURN = Turn(
    id="turn_1",
    session_id="session_1",
    message_id="message_1",
    created_at=datetime(2026, 11, 3, tzinfo=UTC),
    driver="bedrock",
    controls={"model_id": MODEL},
)
TOOL = ToolSpec("acme", "report", "Revenue of a month.", {"type": "object"})
ASKED = Utterance(role="user", version=2, text="Revenue?")
CALLED = Utterance(
    role="assistant",
    version=6,
    text="I will look.",
    calls=({"id": "call_1", "name": "mcp_acme__report", "arguments": {"month": "8"}},),
)
USED = {"toolUse": {"toolUseId": "call_1", "name": "mcp_acme__report", "input": {"month": "8"}}}


def answer(*content: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    """A recorded answer of Converse."""
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop,
        "usage": {"inputTokens": 321, "outputTokens": 42, "totalTokens": 363},
        "metrics": {"latencyMs": 1234},
    }


@contextmanager
def stubbed() -> Iterator[tuple[BedrockDriver, Stubber]]:
    client = boto3.client("bedrock-runtime", region_name="us-east-1")
    with Stubber(client) as stubber:
        yield BedrockDriver(lambda: client), stubber
        stubber.assert_no_pending_responses()


def asked_with(*utterances: Utterance, tools: tuple[ToolSpec, ...] = (TOOL,)) -> list[Any]:
    """The messages that the model is sent for a conversation."""
    with stubbed() as (driver, stubber):
        seen: list[Any] = []

        def note(params: dict[str, Any], **_: Any) -> None:
            seen.append(params["messages"])

        stubber.client.meta.events.register("provide-client-params.bedrock-runtime.Converse", note)
        stubber.add_response("converse", answer({"text": "ok"}))
        driver.next(Situation(TURN, utterances, tools))
    found: list[Any] = seen[0]
    return found


def test_the_request_names_model_tools_and_conversation() -> None:
    with stubbed() as (driver, stubber):
        expected = {
            "modelId": MODEL,
            "system": [{"text": SYSTEM}],
            "messages": [{"role": "user", "content": [{"text": "Revenue?"}]}],
            "inferenceConfig": {"maxTokens": 4096},
            "toolConfig": {
                "tools": [
                    {
                        "toolSpec": {
                            "name": "mcp_acme__report",
                            "description": "Revenue of a month.",
                            "inputSchema": {"json": {"type": "object"}},
                        }
                    }
                ]
            },
        }
        stubber.add_response("converse", answer({"text": "Hello."}), expected)
        assert driver.next(Situation(TURN, [ASKED], [TOOL])) == Move("Hello.")


def test_a_tool_use_becomes_a_call() -> None:
    with stubbed() as (driver, stubber):
        use = {"toolUse": {"toolUseId": "tooluse_x", "name": "mcp_acme__report", "input": {"m": 8}}}
        stubber.add_response("converse", answer({"text": "Let me."}, use, stop="tool_use"))
        move = driver.next(Situation(TURN, [ASKED], [TOOL]))
    assert move == Move("Let me.", (ToolCall("acme", "report", {"m": 8}),))


def test_a_result_follows_its_call_and_a_decision_joins_it() -> None:
    result = Utterance(role="tool", version=10, call_id="call_1", text="url_elicitation_required")
    decision = Utterance(role="user", version=14, text="I have finished.")
    assert asked_with(ASKED, CALLED, result, decision) == [
        {"role": "user", "content": [{"text": "Revenue?"}]},
        {"role": "assistant", "content": [{"text": "I will look."}, USED]},
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "call_1",
                        "content": [{"text": "url_elicitation_required"}],
                        "status": "success",
                    }
                },
                {"text": "I have finished."},
            ],
        },
    ]


def test_a_timeout_is_a_note_in_the_users_message() -> None:
    result = Utterance(role="tool", version=10, call_id="call_1", text="wanted")
    note = Utterance(role="note", version=14, text="Nobody confirmed.")
    last = asked_with(ASKED, CALLED, result, note)[-1]
    assert last["role"] == "user"
    assert last["content"][-1] == {"text": "[Parley] Nobody confirmed."}


def test_a_call_without_a_result_is_answered_as_cancelled() -> None:
    """Bedrock refuses a conversation in which a tool use has no result."""
    later = Utterance(role="user", version=12, text="Never mind.")
    for conversation in ([ASKED, CALLED, later], [ASKED, CALLED]):
        message = asked_with(*conversation)[2]
        assert message["content"][0]["toolResult"] == {
            "toolUseId": "call_1",
            "content": [{"text": "The call was cancelled."}],
            "status": "error",
        }


def test_a_conversation_begins_with_the_user_and_alternates() -> None:
    """What is older than the part looked back on may begin in the middle."""
    result = Utterance(role="tool", version=1, call_id="call_0", text="old")
    said = Utterance(role="assistant", version=7, text="Done.")
    more = Utterance(role="user", version=8, text="And July?")
    roles = [m["role"] for m in asked_with(CALLED, result, ASKED, said, more)]
    assert roles == ["user", "assistant", "user"]


def test_names_that_bedrock_does_not_take_are_mapped_and_stay_apart() -> None:
    long = "x" * 80
    tools = [ToolSpec("acme", name, "", {"type": "object"}) for name in ("a.b", "a/b", long)]
    with stubbed() as (driver, stubber):
        names = ["mcp_acme__a_b", "mcp_acme__a_b_2", f"mcp_acme__{long}"[:64]]
        specs = [
            {"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}}
            for name in names
        ]
        expected = {
            "modelId": ANY,
            "system": ANY,
            "messages": ANY,
            "inferenceConfig": ANY,
            "toolConfig": {"tools": specs},
        }
        use = {"toolUse": {"toolUseId": "t", "name": "mcp_acme__a_b_2", "input": {}}}
        stubber.add_response("converse", answer(use), expected)
        move = driver.next(Situation(TURN, [ASKED], tools))
    assert move.calls == (ToolCall("acme", "a/b", {}),)


def test_a_tool_that_was_not_offered_ends_the_turn() -> None:
    with stubbed() as (driver, stubber):
        use = {"toolUse": {"toolUseId": "t", "name": "mcp_acme__other", "input": {}}}
        stubber.add_response("converse", answer(use))
        with pytest.raises(DriverFailed, match="not given"):
            driver.next(Situation(TURN, [ASKED], [TOOL]))


def test_a_model_that_cannot_be_asked_ends_the_turn_with_its_code() -> None:
    with stubbed() as (driver, stubber):
        stubber.add_client_error("converse", "AccessDeniedException", "secret details")
        with pytest.raises(DriverFailed) as failed:
            driver.next(Situation(TURN, [ASKED], [TOOL]))
    assert "AccessDeniedException" in str(failed.value)
    assert "secret details" not in str(failed.value)


def test_a_message_without_a_model_ends_the_turn() -> None:
    with stubbed() as (driver, _), pytest.raises(DriverFailed, match="names no model"):
        driver.next(Situation(replace(TURN, controls={}), [ASKED], [TOOL]))
