"""One session, with the names of its secrets."""

from __future__ import annotations

from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.secret import SecretState
from tests.mcp_server.support import HOST, NOW
from tests.mcp_server.tools.rig import Rig

TOOL = "get_session"


def test_secrets_are_told_by_name_only() -> None:
    rig = Rig()
    for name in ("B_KEY", "A_KEY"):
        started = rig.backend.start_secret(principal=HOST, session_id="s_host", name=name)
        rig.backend.set_secret_state(started.handle, SecretState.STORED)
    shown = rig.call(TOOL, {"session_id": "s_host"}, principal=HOST)["session"]
    assert shown["secret_names"] == ["A_KEY", "B_KEY"]
    assert "Secrets: A_KEY, B_KEY" in rig.text(TOOL, {"session_id": "s_host"}, principal=HOST)


def test_a_lost_question_is_told_with_its_summary_set_apart() -> None:
    rig = Rig()
    lost = Lost(reason=LostReason.STRANDED, at=NOW, request_id="e_9", summary="deploy: Really?")
    rig.backend.add_session("s_lost", HOST, lost=lost)
    shown = rig.call(TOOL, {"session_id": "s_lost"})["session"]
    assert shown["lost"] == {
        "reason": "stranded",
        "at": "2026-09-01T12:00:00Z",
        "request_id": "e_9",
    }
    assert shown["untrusted"] == {"lost_summary": "deploy: Really?"}
    assert shown["needs_input"] is True
    assert "lost_summary:\n| deploy: Really?" in rig.text(TOOL, {"session_id": "s_lost"})


def test_what_a_host_may_not_know_of_is_not_found() -> None:
    rig = Rig()
    unknown = rig.complaint(TOOL, {"session_id": "s_nope"}, principal=HOST)
    assert rig.complaint(TOOL, {"session_id": "s_ada"}, principal=HOST) == unknown
