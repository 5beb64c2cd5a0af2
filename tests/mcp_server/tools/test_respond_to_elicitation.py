"""The one answer, through MCP."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.elicitation import Status
from tests.mcp_server.support import EVERYTHING, HOST, READER, modern
from tests.mcp_server.tools.rig import Rig

TOOL = "respond_to_elicitation"
SCHEMA = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.backend.add("e_1", "s_host", schema=SCHEMA)
    return rig


def answer(action: str, **rest: Any) -> dict[str, Any]:
    return {"request_id": "e_1", "action": action, **rest}


def test_an_accept_records_its_content_and_who_gave_it(rig: Rig) -> None:
    content = {"env": "dev", "count": 3, "share": 0.1, "sure": True}
    shown = rig.call(TOOL, answer("accept", content=content))["elicitation"]
    assert (shown["status"], shown["answered_by"]) == ("accept", "Ada (mcp)")
    recorded = rig.backend.elicitations["e_1"].content
    assert recorded == content
    assert recorded is not None
    assert [type(value) for value in recorded.values()] == [str, int, float, bool]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_carries_no_content(rig: Rig, action: str) -> None:
    text = rig.complaint(TOOL, answer(action, content={"env": "dev"}))
    assert f"- content: must be left out with {action}" in text
    assert rig.backend.elicitations["e_1"].status is Status.PENDING
    assert rig.call(TOOL, answer(action))["elicitation"]["status"] == action


def test_content_that_does_not_fit_names_the_field(rig: Rig) -> None:
    text = rig.complaint(TOOL, answer("accept", content={}))
    assert text.splitlines() == [
        "invalid_content: The content does not fit the question.",
        "- env: is required",
    ]


def test_a_second_answer_is_a_tool_error(rig: Rig) -> None:
    rig.call(TOOL, answer("decline"))
    assert rig.complaint(TOOL, answer("cancel")).startswith("already_answered: ")


@pytest.mark.parametrize("action", ["expired", "pending", "Accept", "", None, 1])
def test_only_the_three_actions_are_answers(rig: Rig, action: Any) -> None:
    assert "- action: must be" in rig.complaint(TOOL, answer(action))


@pytest.mark.parametrize("principal", [HOST, READER])
def test_without_the_scope_the_tool_is_not_there(rig: Rig, principal: Any) -> None:
    listed = modern("tools/list", server=rig.server, principal=principal).result["tools"]
    assert TOOL not in [tool["name"] for tool in listed]
    assert rig.send(TOOL, answer("accept"), principal=principal).verdict == (400, -32602)


def test_who_asked_may_not_answer_unless_the_operator_allows_it(rig: Rig) -> None:
    rig.backend.add("e_own", "s_ada")
    arguments = {"request_id": "e_own", "action": "accept"}
    assert rig.complaint(TOOL, arguments, principal=EVERYTHING).startswith("forbidden: ")
    rig.backend.asker_may_answer = True
    assert rig.call(TOOL, arguments, principal=EVERYTHING)["elicitation"]["status"] == "accept"
