"""One question in full."""

from __future__ import annotations

import json

import pytest

from chalicelib.domain.elicitation import Action, Mode
from tests.mcp_server.support import EVERYTHING, HOST
from tests.mcp_server.tools.rig import Rig

TOOL = "get_elicitation"
SCHEMA = {
    "type": "object",
    "properties": {"env": {"type": "string", "enum": ["dev", "prod"]}},
    "required": ["env"],
}


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.backend.add("e_1", "s_host", schema=SCHEMA, tool_name="deploy", context="release 7")
    return rig


def test_it_shows_the_question_with_all_that_the_asker_wrote_set_apart(rig: Rig) -> None:
    assert rig.call(TOOL, {"request_id": "e_1"})["elicitation"] == {
        "request_id": "e_1",
        "session_id": "s_host",
        "status": "pending",
        "mode": "form",
        "created_at": "2026-09-01T12:00:00Z",
        "expires_at": "2026-09-01T12:15:00Z",
        "untrusted": {
            "message": "Which environment?",
            "tool_name": "deploy",
            "context": "release 7",
            "schema": SCHEMA,
        },
    }


def test_the_text_says_the_same_with_every_line_of_the_asker_marked(rig: Rig) -> None:
    lines = rig.text(TOOL, {"request_id": "e_1"}).splitlines()
    assert lines[0] == (
        "Elicitation e_1 in session s_host: pending, form mode, deadline 2026-09-01T12:15:00Z"
    )
    assert lines[1:9] == [
        "tool_name:",
        "| deploy",
        "message:",
        "| Which environment?",
        "context:",
        "| release 7",
        "schema (JSON):",
        f"| {json.dumps(SCHEMA)}",
    ]


def test_the_outcome_names_who_gave_it_and_through_what(rig: Rig) -> None:
    content = {"env": "prod"}
    rig.backend.respond(
        principal=EVERYTHING, request_id="e_1", action=Action.ACCEPT, content=content
    )
    shown = rig.call(TOOL, {"request_id": "e_1"}, principal=HOST)["elicitation"]
    assert (shown["status"], shown["answered_by"]) == ("accept", "Ada (mcp)")
    assert shown["untrusted"]["content"] == content


def test_past_its_deadline_it_is_told_as_expired(rig: Rig) -> None:
    rig.pass_time(minutes=15)
    assert rig.call(TOOL, {"request_id": "e_1"})["elicitation"]["status"] == "expired"


def test_a_url_mode_question_shows_its_url_as_written_by_the_asker(rig: Rig) -> None:
    rig.backend.add("e_url", "s_host", mode=Mode.URL, url="https://acme.example/connect")
    shown = rig.call(TOOL, {"request_id": "e_url"})["elicitation"]
    assert (shown["mode"], shown["untrusted"]["url"]) == ("url", "https://acme.example/connect")


def test_it_waits_for_an_answer_when_asked_to(rig: Rig) -> None:
    def answer(request_id: str) -> None:
        rig.backend.respond(
            principal=EVERYTHING, request_id=request_id, action=Action.DECLINE, content=None
        )

    rig.backend.during_wait = answer
    shown = rig.call(TOOL, {"request_id": "e_1", "wait_seconds": 20})["elicitation"]
    assert shown["status"] == "decline"
    assert rig.backend.waits == [20]


def test_a_wait_that_the_gateway_would_cut_off_is_refused(rig: Rig) -> None:
    text = rig.complaint(TOOL, {"request_id": "e_1", "wait_seconds": 21})
    assert "wait_seconds: must be at most 20" in text


def test_what_a_host_may_not_know_of_is_not_found(rig: Rig) -> None:
    rig.backend.add("e_ada", "s_ada")
    unknown = rig.complaint(TOOL, {"request_id": "e_nope"}, principal=HOST)
    assert rig.complaint(TOOL, {"request_id": "e_ada"}, principal=HOST) == unknown
