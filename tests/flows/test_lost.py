"""Round trips that ended with nobody having decided (zimmer 3.3, 46-53, 170-178; design 8)."""

from __future__ import annotations

from typing import Any

from tests.parley import Parley, instant

SOON = "com.pulsemcp/expires-at"


def asked(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """Ask in the session; the question's id."""
    request_id: str = parley.ask(session, **over).json["requestId"]
    return request_id


def expired_unseen(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """A question whose asker died at once and whose deadline passed."""
    request_id = asked(parley, session, **over)
    parley.clock.turn(minutes=60)
    parley.ring(request_id)
    return request_id


def expired_watched(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """A question whose asker looked until the deadline passed."""
    request_id = asked(parley, session, **over)
    parley.clock.turn(minutes=59)
    parley.poll(session, request_id)
    parley.clock.turn(minutes=1)
    parley.ring(request_id)
    return request_id


def lost(parley: Parley, session: dict[str, Any]) -> tuple[str, str | None]:
    """The session's status and the reason of its lost record."""
    shown = parley.session(session["id"])
    return shown["status"], shown.get("lost", {}).get("reason")


def forget(parley: Parley, request_id: str) -> None:
    """Take the question's row away under its session's marker, as a crash or a bug might."""
    parley.aws.dynamodb.delete_item(
        TableName=parley.services.settings.table,
        Key={"pk": {"S": f"E#{request_id}"}, "sk": {"S": "META"}},
    )


def test_nobody_answered_and_the_agent_went_on(parley: Parley) -> None:
    """45, 46, 185: running again, with a record that names tool and message."""
    session = parley.open_session()
    request_id = expired_watched(parley, session)
    assert lost(parley, session) == ("running", "expired")
    record = parley.session(session["id"])["lost"]
    assert record["request_id"] == request_id
    assert record["summary"] == "deploy: Deploy to production?"
    assert instant(record["at"]) == parley.clock.now


def test_an_asker_gone_silent_strands_its_session(parley: Parley) -> None:
    """D20 and 13 of the weaknesses: no phantom running session; it says why it waits."""
    session = parley.open_session()
    request_id = expired_unseen(parley, session)
    assert lost(parley, session) == ("needs_input", "stranded")
    assert parley.session(session["id"])["lost"]["request_id"] == request_id
    types = [event["type"] for event in parley.events(session["id"])]
    assert types[-2:] == ["elicitation.expired", "session.stranded"]
    assert "session.running" not in types, "it never stopped needing a person"


def test_an_asker_that_stopped_more_than_three_minutes_early_was_silent(parley: Parley) -> None:
    """Design 8: seen lately is 3 minutes, well over what clients take between polls."""
    for early, reason in ((3, "expired"), (3.02, "stranded")):
        session = parley.open_session()
        request_id = asked(parley, session)
        parley.clock.turn(minutes=60 - early)
        parley.poll(session, request_id)
        parley.clock.turn(minutes=early)
        parley.ring(request_id)
        assert lost(parley, session)[1] == reason, early


def test_a_window_too_short_to_be_silent_in_only_expires(parley: Parley) -> None:
    """D8: created within the last 3 minutes is seen lately."""
    session = parley.open_session()
    request_id = asked(parley, session, meta={SOON: "2001-01-01T00:00:00Z"})
    parley.clock.turn(minutes=1)
    parley.ring(request_id)
    assert lost(parley, session) == ("running", "expired")


def test_the_poll_that_finds_the_deadline_passed_is_itself_a_sign_of_life(parley: Parley) -> None:
    """Lazy expiry: whoever polls is not gone."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=60)
    assert parley.poll(session, request_id).json["action"] == "expired"
    assert lost(parley, session) == ("running", "expired")


def test_an_answer_leaves_no_record_and_clears_an_older_one(parley: Parley) -> None:
    """47, 48, 52: an answer of any kind."""
    session = parley.open_session()
    for action in ("accept", "decline", "cancel"):
        both = [asked(parley, session), asked(parley, session, meta={SOON: "2001-01-01T00:00:00Z"})]
        parley.clock.turn(minutes=1)
        parley.ring(both[1])
        assert lost(parley, session) == ("needs_input", None), "another one is still live"
        parley.respond(both[0], action, {"confirm": True} if action == "accept" else None)
        assert lost(parley, session) == ("running", None)


def test_a_new_question_clears_the_record(parley: Parley) -> None:
    """51, 53: of a running, an idle and a stranded session."""
    for status, expire in (
        ("running", expired_watched),
        ("idle", expired_watched),
        ("running", expired_unseen),
    ):
        session = parley.open_session()
        parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": status})
        expire(parley, session)
        assert lost(parley, session)[1] is not None
        request_id = asked(parley, session)
        assert lost(parley, session) == ("needs_input", None)
        parley.respond(request_id, "decline")
        assert lost(parley, session) == (status, None)


def test_a_resume_clears_the_record_and_can_be_repeated(parley: Parley) -> None:
    """177."""
    for expire in (expired_watched, expired_unseen):
        session = parley.open_session()
        expire(parley, session)
        path = f"/api/v1/sessions/{session['id']}/resume"
        assert parley.http("POST", path).json["status"] == "running"
        version = parley.session(session["id"])["version"]
        assert lost(parley, session) == ("running", None)
        assert parley.http("POST", path).status == 200
        assert parley.session(session["id"])["version"] == version


def test_a_resume_leaves_a_waiting_question_alone(parley: Parley) -> None:
    """D19: the host went on while a question is open; it may still be answered."""
    session = parley.open_session()
    request_id = asked(parley, session)
    assert parley.http("POST", f"/api/v1/sessions/{session['id']}/resume").status == 200
    assert parley.session(session["id"])["status"] == "needs_input"
    assert parley.respond(request_id, "accept", {"confirm": True}).status == 200
    assert parley.session(session["id"])["status"] == "running"


def test_an_ended_session_gets_no_record(parley: Parley) -> None:
    """50: neither for what expires as it ends nor for what is withdrawn by it."""
    for status in ("archived", "failed"):
        session = parley.open_session()
        request_id = asked(parley, session)
        parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": status})
        parley.clock.turn(minutes=61)
        parley.ring(request_id)
        parley.clean_up()
        assert lost(parley, session) == (status, None)


def test_a_record_outlives_the_end_of_its_session_unchanged(parley: Parley) -> None:
    """3.2: archiving leaves it in place, and shows nothing of it as needing input."""
    session = parley.open_session()
    expired_unseen(parley, session)
    parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": "archived"})
    assert lost(parley, session) == ("archived", "stranded")
    assert parley.session(session["id"])["needs_input"] is False


def test_two_questions_expiring_together_leave_one_record(parley: Parley) -> None:
    """49: the last one to go writes it."""
    session = parley.open_session()
    both = [asked(parley, session), asked(parley, session)]
    parley.clock.turn(minutes=60)
    parley.ring(both[0])
    parley.ring(both[1])
    types = [event["type"] for event in parley.events(session["id"])]
    assert types.count("elicitation.expired") == 2
    assert parley.session(session["id"])["lost"]["request_id"] in both
    assert lost(parley, session) == ("needs_input", "stranded")


def test_a_withdrawn_question_is_not_lost(parley: Parley) -> None:
    """3.3: somebody decided, though not a person."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.http("DELETE", f"/api/v1/elicitations/{request_id}")
    assert lost(parley, session) == ("running", None)


def test_the_summary_has_at_most_300_characters_and_hides_nothing(parley: Parley) -> None:
    """31, 46: sanitised, since a stranger wrote it and our pages show it."""
    session = parley.open_session()
    expired_unseen(
        parley, session, message="\u202eevil\n" * 1_000, meta={"com.pulsemcp/tool-name": "t" * 200}
    )
    summary = parley.session(session["id"])["lost"]["summary"]
    assert len(summary) <= 300
    assert "\u202e" not in summary
    assert "\n" not in summary


def test_a_marker_whose_question_is_gone_strands_its_session(parley: Parley) -> None:
    """170, 174, 183, 184: the marker goes, `needs_input` stays with the explanation."""
    session = parley.open_session()
    gone = asked(parley, session)
    forget(parley, gone)
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["repaired"] == 1
    assert lost(parley, session) == ("needs_input", "stranded")
    assert parley.session(session["id"])["live"] == []
    types = [event["type"] for event in parley.events(session["id"])]
    assert types[-2:] == ["session.repaired", "session.stranded"]
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["repaired"] == 0


def test_a_marker_beside_a_live_question_is_left_alone(parley: Parley) -> None:
    """172, 186: no banner while somebody can still answer."""
    session = parley.open_session()
    gone, live = asked(parley, session), asked(parley, session)
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["repaired"] == 0
    forget(parley, gone)
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["repaired"] == 1
    assert lost(parley, session) == ("needs_input", None)
    assert parley.session(session["id"])["live"] == [live]
    parley.respond(live, "decline")
    assert lost(parley, session) == ("running", None)


def test_a_stale_marker_on_a_session_that_runs_again_goes_without_a_banner(parley: Parley) -> None:
    """175: its deadline passed long ago, so it shows as running; the agent never stopped."""
    session = parley.open_session()
    gone = asked(parley, session)
    forget(parley, gone)
    parley.clock.turn(minutes=61)
    assert parley.session(session["id"])["status"] == "running"
    assert parley.clean_up()["repaired"] == 1
    assert lost(parley, session) == ("running", None)


def test_a_repair_keeps_what_others_wrote_meanwhile(parley: Parley) -> None:
    """171: decided again on the row as it is, never on the one read first."""
    session = parley.open_session()
    gone = asked(parley, session)
    forget(parley, gone)
    parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"metadata": {"kept": True}})
    parley.clock.turn(minutes=5)
    parley.clean_up()
    assert parley.session(session["id"])["metadata"] == {"kept": True}
    assert lost(parley, session) == ("needs_input", "stranded")


def test_sessions_without_a_marker_are_not_looked_at(parley: Parley) -> None:
    """173, 178."""
    session = parley.open_session()
    parley.respond(asked(parley, session), "decline")
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["repaired"] == 0
    assert parley.services.lists.marked_sessions(parley.clock.now, limit=10) == []
