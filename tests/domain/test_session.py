"""A session's transitions: what is live, what is lost, and which events tell it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain import events
from chalicelib.domain.elicitation import Elicitation, Mode, Status
from chalicelib.domain.errors import SessionEnded, TooManyLive
from chalicelib.domain.events import Event
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
    step,
    strip_stale,
)

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
EMPTY = Session(id="s", owner="host", created_at=NOW, updated_at=NOW, secret="x", version=1)
RECORD = Lost(reason=LostReason.EXPIRED, at=NOW, request_id="old")
FLIPS = {events.SESSION_NEEDS_INPUT: True, events.SESSION_RUNNING: False}


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


def types(made: Step) -> list[str]:
    """What a step tells."""
    assert made.session.version - len(made.events) >= 0
    return [event.type for event in made.events]


ANSWERED = question(status=Status.ACCEPT, answered_at=NOW, answered_by=Actor("alice", Channel.LINK))
WITHDRAWN = question(status=Status.CANCEL, reason="withdrawn", answered_at=NOW)
WATCHED = question(status=Status.EXPIRED, last_seen_at=LATER - timedelta(minutes=3))
SILENT = question(status=Status.EXPIRED, last_seen_at=LATER - timedelta(minutes=3, seconds=1))


def test_a_question_marks_its_session_and_clears_an_older_record() -> None:
    """41, 51, 53."""
    made = ask(replace(EMPTY, lost=RECORD), question(), NOW)
    assert made.session.needs_input(NOW)
    assert made.session.lost is None
    assert types(made) == ["elicitation.created", "session.needs_input"]
    assert made.session.version == EMPTY.version + 2


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
    made = settle(session, ANSWERED, NOW)
    assert made.session.lost is None
    assert types(made) == ["elicitation.answered", "session.running"]
    assert made.events[0].data == {
        "request_id": "q",
        "action": "accept",
        "by": "alice",
        "channel": "link",
        "after_ms": 0,
    }


def test_a_withdrawal_leaves_an_older_record_alone() -> None:
    """Nobody answered; what was lost is still worth saying."""
    made = settle(replace(waiting("q"), lost=RECORD), WITHDRAWN, NOW)
    assert made.session.lost == RECORD
    assert types(made) == ["elicitation.withdrawn", "session.running"]


def test_an_expiry_with_the_asker_there_frees_the_session_with_a_record() -> None:
    """45, 46."""
    made = settle(waiting("q"), WATCHED, LATER)
    assert made.session.lost == Lost(
        reason=LostReason.EXPIRED, at=LATER, request_id="q", summary="deploy: Deploy?"
    )
    assert types(made) == ["elicitation.expired", "session.running"]


def test_an_expiry_with_the_asker_gone_strands_the_session() -> None:
    """D20: it goes on needing a person, so nothing tells that it runs."""
    made = settle(waiting("q"), SILENT, LATER)
    assert made.session.needs_input(LATER)
    assert made.session.lost is not None
    assert types(made) == ["elicitation.expired", "session.stranded"]


@pytest.mark.parametrize("status", [HostStatus.ARCHIVED, HostStatus.FAILED])
def test_an_expiry_in_an_ended_session_leaves_no_record(status: HostStatus) -> None:
    """50."""
    made = settle(replace(waiting("q"), status=status), SILENT, LATER)
    assert made.session.lost is None
    assert types(made) == ["elicitation.expired"]


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
    made = strip_stale(waiting("q"), frozenset({"q", "unrelated"}), question(), NOW)
    assert made is not None
    assert made.session.live == {}
    assert made.session.needs_input(NOW)
    assert types(made) == ["session.repaired", "session.stranded"]
    assert made.session.lost is not None
    assert made.session.lost.request_id == "q"


def test_a_stale_marker_whose_row_is_gone_for_good_strands_without_a_name() -> None:
    """176: what is unknown is left out."""
    made = strip_stale(waiting("q"), frozenset({"q"}), None, NOW)
    assert made is not None
    assert made.session.lost == Lost(reason=LostReason.STRANDED, at=NOW)


def test_a_stale_marker_that_shows_nothing_goes_without_a_banner() -> None:
    """175."""
    made = strip_stale(waiting("q"), frozenset({"q"}), None, LATER)
    assert made is not None
    assert made.session.lost is None
    assert types(made) == ["session.repaired", "session.running"]


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
    made = resume(replace(stranded, status=HostStatus.IDLE), LATER)
    assert made.session.shown_status(LATER) == "running"
    assert made.session.lost is None
    assert types(made) == ["session.resumed", "session.running"]


def test_a_question_is_told_without_its_words() -> None:
    """The journal is read by more people than the question is put to."""
    asked = question(mode=Mode.URL, url="https://pay.example/x", context="private")
    [created, flipped] = ask(EMPTY, asked, NOW).events
    assert created.data == {"request_id": "q", "mode": "url", "expires_at": LATER.isoformat()}
    assert flipped.data == {"status": "needs_input"}
    assert {created.at, flipped.at} == {NOW}


def test_a_question_changes_nothing_else_of_its_session() -> None:
    """42: the host's word and the turn in progress stay."""
    busy = replace(EMPTY, turn_id="t", title="Nightly", cards={"c": LATER})
    after = ask(busy, question(), LATER).session
    assert after == replace(
        busy, live={"q": LATER}, version=after.version, updated_at=LATER, lost=None
    )


def test_of_two_questions_the_first_marks_and_the_last_answer_frees() -> None:
    """54."""
    second = ask(waiting("q"), question("r"), NOW)
    assert types(second) == ["elicitation.created"]
    first_answer = settle(second.session, ANSWERED, NOW)
    assert types(first_answer) == ["elicitation.answered"]
    assert first_answer.session.shown_status(NOW) == "needs_input"
    last_answer = settle(first_answer.session, replace(ANSWERED, key="r"), NOW)
    assert types(last_answer) == ["elicitation.answered", "session.running"]
    assert last_answer.events[-1].data == {"status": "running"}


@pytest.mark.parametrize("status", [Status.ACCEPT, Status.DECLINE, Status.CANCEL])
def test_every_answer_of_a_person_frees_the_session_without_a_record(status: Status) -> None:
    """43, 44, 47, 48."""
    moment = NOW + timedelta(milliseconds=1500)
    made = settle(waiting("q"), replace(ANSWERED, status=status), moment)
    assert types(made) == ["elicitation.answered", "session.running"]
    assert made.events[0].data["action"] == status.value
    assert made.events[0].data["after_ms"] == 1500
    assert (made.session.lost, made.session.live) == (None, {})


def test_what_nobody_answered_is_told_without_a_person_or_a_delay() -> None:
    """Each outcome has data of its own; an answer's content is never in it."""
    assert settle(waiting("q"), WITHDRAWN, NOW).events[0].data == {
        "request_id": "q",
        "action": "cancel",
        "reason": "withdrawn",
    }
    assert settle(waiting("q"), WATCHED, LATER).events[0].data == {"request_id": "q"}
    answered = settle(waiting("q"), replace(ANSWERED, content={"pin": "hunter2"}), NOW)
    assert "hunter2" not in repr(answered)


def test_an_idle_session_is_idle_again_after_the_answer() -> None:
    """55, 56: an answer frees a session, it does not resume one."""
    idle = replace(EMPTY, status=HostStatus.IDLE)
    asked = ask(idle, question(), NOW).session
    assert (asked.status, asked.shown_status(NOW)) == (HostStatus.IDLE, "needs_input")
    made = settle(asked, ANSWERED, NOW)
    assert made.session.shown_status(NOW) == "idle"
    assert made.events[-1].data == {"status": "idle"}


def test_an_outcome_without_a_marker_is_told_and_flips_nothing() -> None:
    """52, 56: the marker was stripped before the answer came."""
    made = settle(replace(EMPTY, lost=RECORD), ANSWERED, NOW)
    assert types(made) == ["elicitation.answered"]
    assert made.session.lost is None
    assert types(settle(EMPTY, WATCHED, LATER)) == ["elicitation.expired"]


def test_a_later_loss_replaces_an_earlier_one() -> None:
    """The banner tells of the last round trip."""
    made = settle(replace(waiting("q"), lost=RECORD), WATCHED, LATER)
    assert made.session.lost is not None
    assert made.session.lost.request_id == "q"


def test_an_expiry_that_leaves_an_older_record_tells_no_stranding_anew() -> None:
    """49: a question is still live, so the record is not this expiry's."""
    old = Lost(reason=LostReason.STRANDED, at=NOW)
    session = replace(EMPTY, live={"q": NOW, "r": LATER}, lost=old)
    made = settle(session, replace(SILENT, last_seen_at=None), NOW)
    assert made.session.lost == old
    assert types(made) == ["elicitation.expired"]


def test_a_stale_marker_beside_an_open_card_strands_nothing() -> None:
    """186: a person is needed all the same."""
    made = strip_stale(replace(waiting("q"), cards={"c": LATER}), frozenset({"q"}), None, NOW)
    assert made is not None
    assert types(made) == ["session.repaired"]
    assert made.session.lost is None


def test_a_repair_names_what_it_dropped_in_order() -> None:
    made = strip_stale(waiting("c", "a", "b"), frozenset("abcd"), None, NOW)
    assert made is not None
    assert made.events[0].data == {"request_ids": ["a", "b", "c"]}
    assert made.events[1].data == {"request_id": None}


@pytest.mark.parametrize("status", [HostStatus.ARCHIVED, HostStatus.FAILED])
def test_a_stale_marker_in_an_ended_session_goes_in_silence(status: HostStatus) -> None:
    """50, 175."""
    made = strip_stale(replace(waiting("q"), status=status), frozenset({"q"}), question(), NOW)
    assert made is not None
    assert (types(made), made.session.lost) == (["session.repaired"], None)


def test_a_resume_with_a_question_open_still_needs_input() -> None:
    """D19."""
    made = resume(replace(waiting("q"), lost=RECORD), NOW)
    assert types(made) == ["session.resumed"]
    assert (made.session.shown_status(NOW), made.session.lost) == ("needs_input", None)


@pytest.mark.parametrize("status", HostStatus)
def test_the_shown_status_is_the_first_of_these_that_holds(status: HostStatus) -> None:
    """Ended; a card; a person is needed; a turn runs here; the host's word."""
    session = replace(EMPTY, status=status)
    for over, shown in (
        ({}, status.value),
        ({"turn_id": "t"}, "active"),
        ({"turn_id": "t", "live": {"q": LATER}}, "needs_input"),
        ({"turn_id": "t", "lost": Lost(reason=LostReason.STRANDED, at=NOW)}, "needs_input"),
        ({"turn_id": "t", "lost": RECORD}, "active"),
        ({"live": {"q": LATER}, "cards": {"c": LATER}}, "waiting_for_tool_results"),
    ):
        made = replace(session, **over)
        assert made.shown_status(NOW) == (status.value if made.is_ended else shown), over


@pytest.mark.parametrize(
    ("over", "marked"),
    [
        ({}, False),
        ({"live": {"q": NOW}}, True),
        ({"cards": {"c": LATER}}, True),
        ({"lost": Lost(reason=LostReason.STRANDED, at=NOW)}, True),
        ({"lost": RECORD}, False),
    ],
)
def test_a_session_is_marked_until_an_outcome_is_recorded(
    over: dict[str, object], marked: bool
) -> None:
    """178: a deadline alone changes no marker; an expiry on record asks for nobody."""
    session = replace(EMPTY, **over)  # type: ignore[arg-type]
    assert session.is_marked is marked
    assert not replace(session, status=HostStatus.ARCHIVED).is_marked


def test_a_deadline_is_overdue_at_its_instant() -> None:
    session = waiting("q")
    just_before = LATER - timedelta(microseconds=1)
    assert (session.live_keys(just_before), session.overdue_keys(just_before)) == (("q",), ())
    assert (session.live_keys(LATER), session.overdue_keys(LATER)) == ((), ("q",))


def test_a_step_counts_what_it_tells_and_knows_when() -> None:
    """Nothing told is nothing counted; an end of the session is told by its own event alone."""
    quiet = step(EMPTY, EMPTY, now=LATER)
    assert (quiet.events, quiet.session) == ((), replace(EMPTY, updated_at=LATER))
    changed = Event(type=events.SESSION_CHANGED, at=LATER)
    before = waiting("q")
    ended = step(before, replace(before, status=HostStatus.ARCHIVED), changed, now=LATER)
    assert types(ended) == ["session.changed"]
    assert ended.session.version == before.version + 1
    revived = step(ended.session, replace(ended.session, status=HostStatus.IDLE), now=NOW)
    assert types(revived) == ["session.needs_input"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ask", "answer", "expire", "strand", "withdraw", "strip", "resume"]),
            st.sampled_from("abc"),
        ),
        max_size=12,
    )
)
def test_the_journal_is_without_gaps_and_its_last_flip_is_the_marker(
    moves: list[tuple[str, str]],
) -> None:
    """Whatever happens in whatever order, a reader of events alone knows who waits."""
    session, marked = EMPTY, False
    outcomes = {"answer": ANSWERED, "expire": WATCHED, "strand": SILENT, "withdraw": WITHDRAWN}
    for move, key in moves:
        made: Step | None
        if move == "ask":
            made = ask(session, question(key), NOW)
        elif move == "strip":
            made = strip_stale(session, frozenset(key), None, NOW)
        elif move == "resume":
            made = resume(session, NOW)
        else:
            made = settle(session, replace(outcomes[move], key=key), NOW)
        if made is None:
            continue
        assert made.session.version == session.version + len(made.events)
        flips = [name for name in types(made) if name in FLIPS]
        marked = FLIPS[flips[-1]] if flips else marked
        assert len(flips) <= 1
        assert made.session.is_marked is made.session.needs_input(NOW) is marked
        session = made.session
