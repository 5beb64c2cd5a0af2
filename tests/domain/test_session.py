"""A session's transitions: what is live, what is lost, and which events tell it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.errors import SessionEnded, TooManyLive
from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import (
    MAX_LIVE,
    HostStatus,
    Session,
    Step,
    ask,
    resume,
    settle,
    strip_stale,
)

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
EMPTY = Session(id="s", owner="host", created_at=NOW, updated_at=NOW, secret="x", version=1)
RECORD = Lost(reason=LostReason.EXPIRED, at=NOW, request_id="old")


def question(key: str = "q", **over: object) -> Elicitation:
    """A question asked now, open for an hour."""
    made = Elicitation(
        key=key,
        session_id="s",
        request_id=key,
        message="Deploy?",
        tool_name="deploy",
        created_at=NOW,
        expires_at=LATER,
    )
    return replace(made, **over)  # type: ignore[arg-type]


def waiting(*keys: str) -> Session:
    """A session with these questions live."""
    session = EMPTY
    for key in keys:
        session = ask(session, question(key), NOW).session
    return session


def types(step: Step) -> list[str]:
    """What a step tells."""
    assert step.session.version - len(step.events) >= 0
    return [event.type for event in step.events]


ANSWERED = question(status=Status.ACCEPT, answered_at=NOW, answered_by=Actor("alice", Channel.LINK))
WITHDRAWN = question(status=Status.CANCEL, reason="withdrawn", answered_at=NOW)
WATCHED = question(status=Status.EXPIRED, last_seen_at=LATER - timedelta(minutes=3))
SILENT = question(status=Status.EXPIRED, last_seen_at=LATER - timedelta(minutes=3, seconds=1))


def test_a_question_marks_its_session_and_clears_an_older_record() -> None:
    """41, 51, 53."""
    step = ask(replace(EMPTY, lost=RECORD), question(), NOW)
    assert step.session.needs_input(NOW)
    assert step.session.lost is None
    assert types(step) == ["elicitation.created", "session.needs_input"]
    assert step.session.version == EMPTY.version + 2


@pytest.mark.parametrize("status", [HostStatus.ARCHIVED, HostStatus.FAILED])
def test_an_ended_session_takes_no_question_and_needs_no_input(status: HostStatus) -> None:
    """D15."""
    with pytest.raises(SessionEnded, match=status.value):
        ask(replace(EMPTY, status=status), question(), NOW)
    ended = replace(waiting("q"), status=status, lost=Lost(reason=LostReason.STRANDED, at=NOW))
    assert not ended.needs_input(NOW)
    assert ended.shown_status(NOW) == status.value


def test_the_number_of_live_questions_has_a_limit() -> None:
    full = waiting(*(f"q{number}" for number in range(MAX_LIVE)))
    with pytest.raises(TooManyLive, match=str(MAX_LIVE)):
        ask(full, question(), NOW)


def test_a_real_answer_clears_an_older_record() -> None:
    """52."""
    session = replace(waiting("q"), lost=RECORD)
    step = settle(session, ANSWERED, NOW)
    assert step.session.lost is None
    assert types(step) == ["elicitation.answered", "session.running"]
    assert step.events[0].data == {
        "request_id": "q",
        "action": "accept",
        "by": "alice",
        "channel": "link",
        "after_ms": 0,
    }


def test_a_withdrawal_leaves_an_older_record_alone() -> None:
    """Nobody answered; what was lost is still worth saying."""
    step = settle(replace(waiting("q"), lost=RECORD), WITHDRAWN, NOW)
    assert step.session.lost == RECORD
    assert types(step) == ["elicitation.withdrawn", "session.running"]


def test_an_expiry_with_the_asker_there_frees_the_session_with_a_record() -> None:
    """45, 46."""
    step = settle(waiting("q"), WATCHED, LATER)
    assert step.session.lost == Lost(
        reason=LostReason.EXPIRED, at=LATER, request_id="q", summary="deploy: Deploy?"
    )
    assert types(step) == ["elicitation.expired", "session.running"]


def test_an_expiry_with_the_asker_gone_strands_the_session() -> None:
    """D20: it goes on needing a person, so nothing tells that it runs."""
    step = settle(waiting("q"), SILENT, LATER)
    assert step.session.needs_input(LATER)
    assert step.session.lost is not None
    assert types(step) == ["elicitation.expired", "session.stranded"]


@pytest.mark.parametrize("status", [HostStatus.ARCHIVED, HostStatus.FAILED])
def test_an_expiry_in_an_ended_session_leaves_no_record(status: HostStatus) -> None:
    """50."""
    step = settle(replace(waiting("q"), status=status), SILENT, LATER)
    assert step.session.lost is None
    assert types(step) == ["elicitation.expired"]


def test_an_expiry_beside_a_live_question_leaves_no_record() -> None:
    """49; one beside another that is due as well does."""
    session = replace(waiting("q"), live={"q": LATER, "r": LATER + timedelta(seconds=1)})
    assert settle(session, WATCHED, LATER).session.lost is None
    session = replace(session, live={"q": LATER, "r": LATER})
    assert settle(session, WATCHED, LATER).session.lost is not None


def test_between_deadline_and_record_the_marker_stays_but_nothing_is_shown() -> None:
    """The journal tells of the flip once, with the record; the status never lies meanwhile."""
    session = waiting("q")
    assert session.is_marked
    assert session.shown_status(LATER) == "running"
    assert session.overdue_keys(LATER) == ("q",)
    assert session.live_keys(LATER) == ()


def test_an_open_card_shows_that_tool_results_are_waited_for() -> None:
    session = replace(EMPTY, cards={"c": LATER})
    assert session.shown_status(NOW) == "waiting_for_tool_results"
    assert session.needs_input(NOW)


def test_live_keys_come_soonest_first() -> None:
    live = {"b": LATER, "a": LATER - timedelta(minutes=1), "c": NOW}
    assert replace(EMPTY, live=live).live_keys(NOW) == ("a", "b")


def test_a_stale_marker_strands_what_showed_needs_input_only_for_it() -> None:
    """170, 174, 183."""
    step = strip_stale(waiting("q"), frozenset({"q", "unrelated"}), question(), NOW)
    assert step is not None
    assert step.session.live == {}
    assert step.session.needs_input(NOW)
    assert types(step) == ["session.repaired", "session.stranded"]
    assert step.session.lost is not None
    assert step.session.lost.request_id == "q"


def test_a_stale_marker_whose_row_is_gone_for_good_strands_without_a_name() -> None:
    """176: what is unknown is left out."""
    step = strip_stale(waiting("q"), frozenset({"q"}), None, NOW)
    assert step is not None
    assert step.session.lost == Lost(reason=LostReason.STRANDED, at=NOW)


def test_a_stale_marker_that_shows_nothing_goes_without_a_banner() -> None:
    """175."""
    step = strip_stale(waiting("q"), frozenset({"q"}), None, LATER)
    assert step is not None
    assert step.session.lost is None
    assert types(step) == ["session.repaired", "session.running"]


def test_there_is_nothing_to_strip_without_a_marker() -> None:
    """172, 173."""
    assert strip_stale(waiting("q"), frozenset(), question(), NOW) is None
    assert strip_stale(EMPTY, frozenset({"q"}), None, NOW) is None
    beside = strip_stale(waiting("q", "r"), frozenset({"q"}), None, NOW)
    assert beside is not None
    assert (beside.session.lost, set(beside.session.live)) == (None, {"r"})


def test_a_resume_runs_again_and_clears_the_record() -> None:
    """177."""
    stranded = settle(waiting("q"), SILENT, LATER).session
    step = resume(replace(stranded, status=HostStatus.IDLE), LATER)
    assert step.session.shown_status(LATER) == "running"
    assert step.session.lost is None
    assert types(step) == ["session.resumed", "session.running"]
