"""What waits for a person, in brief."""

from __future__ import annotations

from datetime import timedelta

import pytest

from chalicelib.domain.elicitation import Status
from tests.mcp_server.support import EVERYTHING, HOST, NOW, READER
from tests.mcp_server.tools.rig import Rig

TOOL = "list_elicitations"


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.backend.add("e_late", "s_host", expires_at=NOW + timedelta(hours=2))
    rig.backend.add("e_soon", "s_host", expires_at=NOW + timedelta(minutes=2))
    rig.backend.add("e_ada", "s_ada", expires_at=NOW + timedelta(hours=1))
    rig.backend.add("e_done", "s_host", status=Status.ACCEPT)
    return rig


def ids(listed: dict[str, list[dict[str, object]]]) -> list[object]:
    return [asked["request_id"] for asked in listed["elicitations"]]


def test_live_ones_come_soonest_deadline_first(rig: Rig) -> None:
    assert ids(rig.call(TOOL)) == ["e_soon", "e_ada", "e_late"]
    rig.pass_time(minutes=2)
    assert ids(rig.call(TOOL)) == ["e_ada", "e_late"]


def test_a_host_sees_its_own_and_a_reader_sees_all(rig: Rig) -> None:
    assert ids(rig.call(TOOL, principal=HOST)) == ["e_soon", "e_late"]
    assert ids(rig.call(TOOL, principal=READER)) == ["e_soon", "e_ada", "e_late"]


def test_a_session_and_a_page_can_be_asked_for(rig: Rig) -> None:
    assert ids(rig.call(TOOL, {"session_id": "s_ada"})) == ["e_ada"]
    first = rig.call(TOOL, {"limit": 2})
    second = rig.call(TOOL, {"limit": 2, "cursor": first["next_cursor"]})
    assert ids(first) + ids(second) == ["e_soon", "e_ada", "e_late"]
    assert "next_cursor" not in second
    assert f"cursor {first['next_cursor']}" in rig.text(TOOL, {"limit": 2})


def test_a_cursor_of_somebody_elses_making_is_a_tool_error(rig: Rig) -> None:
    assert rig.complaint(TOOL, {"cursor": "forged"}).startswith("invalid_input: ")


def test_nothing_waiting_is_said_in_words(rig: Rig) -> None:
    rig.pass_time(hours=3)
    assert rig.text(TOOL, principal=EVERYTHING) == "Nothing waits for a person."


def test_long_messages_are_summed_up_on_one_line(rig: Rig) -> None:
    rig.backend.add("e_long", "s_host", message="first\n" + "x" * 5000 + " the end")
    listed = rig.call(TOOL)["elicitations"]
    (asked,) = [entry["untrusted"] for entry in listed if entry["request_id"] == "e_long"]
    assert len(asked["message"]) <= 200
    assert "\n" not in asked["message"]
    assert asked["message"].endswith("the end")
    assert "schema" not in asked
