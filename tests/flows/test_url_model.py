"""A turn that a model drives: it sees conversation and tools, and the engine keeps its consents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from chalicelib.outbound.drivers.bedrock import BedrockDriver
from tests.flows.url_host import UrlHost

USE = {"toolUse": {"toolUseId": "tooluse_1", "name": "mcp_acme__report", "input": {"month": "8"}}}
HINTS = {"url_elicitation": True, "driver": "bedrock"}
MODEL: dict[str, Any] = {"controls": {"model_id": "model_x"}}


@dataclass
class Model:
    """Stands where the Bedrock client stands; says one thing after the other."""

    says: list[list[dict[str, Any]]]
    asked: list[dict[str, Any]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def converse(self, **request: Any) -> dict[str, Any]:
        self.asked.append(request)
        self.before()
        content = self.says.pop(0)
        return {"output": {"message": {"role": "assistant", "content": content}}}


@pytest.fixture
def model(host: UrlHost) -> Model:
    made = Model([[{"text": "I look."}, USE], [{"text": "It was EUR 1,204,300."}]])
    services = host.parley.services
    drivers = {"bedrock": BedrockDriver(lambda: made)}
    services.__dict__["relay"] = replace(services.relay, drivers=drivers)
    return made


def paused(host: UrlHost) -> tuple[str, str]:
    session = host.session(hints=HINTS)
    assert host.post(session, text="Revenue?", **MODEL).status == 201
    host.work()
    assert host.status(session) == "waiting_for_tool_results"
    return session, str(host.asked(session)[0]["id"])


def test_a_consented_call_is_made_again_without_asking_the_model(
    host: UrlHost, model: Model
) -> None:
    session, card = paused(host)
    (tool,) = model.asked[0]["toolConfig"]["tools"]
    assert tool["toolSpec"]["name"] == "mcp_acme__report"
    host.acme.done = True
    host.consent(session, card)
    host.work()
    assert host.status(session) == "idle"
    assert len(model.asked) == 2
    messages = model.asked[1]["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "assistant", "user"]
    decision = messages[2]["content"][1]["text"]
    assert decision.startswith("I have finished the step at pay.acme.example")
    again = messages[3]["content"][0]["toolUse"]
    assert (again["name"], again["input"]) == ("mcp_acme__report", {"month": "8"})
    assert messages[4]["content"][0]["toolResult"]["content"] == [{"text": "the report"}]
    assert host.said(session)[-1] == ("assistant", "It was EUR 1,204,300.")


def test_a_model_that_insists_after_a_decline_gets_no_new_card(host: UrlHost, model: Model) -> None:
    """48: it is told once more that the person declined."""
    model.says.insert(1, [USE])
    session, card = paused(host)
    host.consent(session, card, "decline")
    host.work()
    assert host.status(session) == "idle"
    assert host.types(session).count("tool.call_requested") == 1
    last = model.asked[2]["messages"][-1]["content"][0]["toolResult"]
    assert '"declined": true' in last["content"][0]["text"]


def test_the_model_is_told_that_nobody_decided(host: UrlHost, model: Model) -> None:
    """105."""
    session, _ = paused(host)
    host.parley.clock.turn(seconds=301)
    host.parley.clean_up()
    host.work()
    note = model.asked[1]["messages"][-1]["content"][-1]["text"]
    assert note.startswith("[Parley] Nobody confirmed the step at pay.acme.example")
    assert host.status(session) == "idle"


def test_the_model_never_sees_request_state(host: UrlHost, model: Model) -> None:
    """21."""
    session, card = paused(host)
    host.consent(session, card)
    host.work()
    assert "state-1" not in repr(model.asked)


def test_a_model_that_never_ends_is_ended(host: UrlHost, model: Model) -> None:
    plain = {"toolUse": {"toolUseId": "t", "name": "mcp_acme__report", "input": {}}}
    model.says = [[plain] for _ in range(40)]
    session = host.session(hints={"driver": "bedrock"})
    host.post(session, **MODEL)
    host.work()
    assert host.status(session) == "idle"
    assert len(host.acme.calls) == 20
    assert "it took 20 steps" in host.said(session)[-1][1]


def test_a_cancel_while_the_model_thinks_ends_the_turn(host: UrlHost, model: Model) -> None:
    session = host.session(hints=HINTS)
    host.post(session, **MODEL)
    path = f"/api/v1/sessions/{session}/cancel"
    model.before = lambda: (host.parley.http("POST", path), None)[1]
    host.work()
    assert host.acme.calls == []
    assert host.types(session)[-1] == "session.idled"
    assert len(model.asked) == 1


def test_a_later_message_continues_the_conversation(host: UrlHost, model: Model) -> None:
    model.says = [[{"text": "Hello."}], [{"text": "Again."}]]
    session = host.session(hints={"driver": "bedrock"})
    for text in ("Hi", "And now?"):
        host.post(session, text=text, **MODEL)
        host.work()
    assert [m["content"][0]["text"] for m in model.asked[1]["messages"]] == [
        "Hi",
        "Hello.",
        "And now?",
    ]
