"""Sessions, and which of them wait for a person."""

from __future__ import annotations

import pytest

from tests.mcp_server.support import HOST
from tests.mcp_server.tools.rig import LATER, Rig

TOOL = "list_sessions"


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.backend.add_session("s_waits", HOST, live={"e_1": LATER}, title="Nightly\nrelease")
    return rig


def test_each_says_whether_it_waits_and_for_what(rig: Rig) -> None:
    listed = rig.call(TOOL, principal=HOST)["sessions"]
    assert [(entry["session_id"], entry["needs_input"]) for entry in listed] == [
        ("s_host", False),
        ("s_waits", True),
    ]
    assert listed[1]["live_request_ids"] == ["e_1"]
    assert listed[1]["status"] == "needs_input"


def test_only_those_that_wait_can_be_asked_for(rig: Rig) -> None:
    (entry,) = rig.call(TOOL, {"needs_input": True})["sessions"]
    assert entry["session_id"] == "s_waits"
    rig.time = LATER
    assert rig.text(TOOL, {"needs_input": True}) == "There are no such sessions."


def test_the_list_has_pages(rig: Rig) -> None:
    first = rig.call(TOOL, {"limit": 2})
    assert len(first["sessions"]) == 2
    assert "next_cursor" not in rig.call(TOOL, {"limit": 2, "cursor": first["next_cursor"]})
    assert f"cursor {first['next_cursor']}" in rig.text(TOOL, {"limit": 2})


def test_titles_are_marked_as_written_by_others(rig: Rig) -> None:
    text = rig.text(TOOL, {"needs_input": True})
    assert "title:\n| Nightly\n| release" in text
