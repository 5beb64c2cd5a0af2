"""Any order of what askers, people, hosts, clocks and queues do leaves a session that tells the
truth.

The model below is the seed's rules written a second time, in the plainest way. The engine is real;
all examples share one table, each with a session of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from tests.parley import Answer, Parley

SILENT = timedelta(minutes=3)
MINUTE = timedelta(minutes=1)
OUTCOMES = {"elicitation.answered", "elicitation.expired", "elicitation.withdrawn"}


@dataclass
class Question:
    """What must be true of one elicitation. `seen` is the asker's last noted sign of life."""

    deadline: datetime
    seen: datetime
    status: str = "pending"
    content: dict[str, Any] | None = None
    withdrawn: bool = False

    @property
    def waits(self) -> bool:
        return self.status == "pending"

    def was_silent(self) -> bool:
        return self.deadline - self.seen > SILENT


class Session(RuleBasedStateMachine):
    """One session, driven at random."""

    parley: ClassVar[Parley]
    questions = Bundle("questions")

    def __init__(self) -> None:
        super().__init__()
        self.opened = self.parley.open_session()
        self.id = self.opened["id"]
        self.host_status = "running"
        self.known: dict[str, Question] = {}
        self.lost: set[str | None] = {None}  # more than one: the order of expiries is not ours
        self.told: set[tuple[str, str]] = set()

    @property
    def now(self) -> datetime:
        return self.parley.clock.now

    @property
    def ended(self) -> bool:
        return self.host_status in ("archived", "failed")

    def live(self) -> set[str]:
        return {key for key, q in self.known.items() if q.waits and q.deadline > self.now}

    def expire(self, *keys: str) -> None:
        """The clock answers what is due among the keys."""
        due = [self.known[key] for key in keys if self.known[key].waits]
        due = [question for question in due if question.deadline <= self.now]
        for question in due:
            question.status = "expired"
        if due and not self.live() and not self.ended:
            self.lost = {"stranded" if question.was_silent() else "expired" for question in due}

    @initialize(target=questions)
    def first_question(self) -> Any:
        return self.ask(45)

    @rule(target=questions, minutes=st.sampled_from([1, 5, 45]))
    def ask(self, minutes: int) -> Any:
        deadline = self.now + timedelta(minutes=minutes)
        meta = {"com.pulsemcp/expires-at": deadline.isoformat()}
        got = self.parley.ask(self.opened, meta=meta)
        if self.ended:
            assert (got.status, got.code) == (409, "session_ended")
            return multiple()
        assert got.status == 201, got.text
        key: str = got.json["requestId"]
        self.known[key] = Question(deadline, self.now)
        self.lost = {None}
        return key

    @rule(target=questions)
    def ask_another(self) -> Any:
        return self.ask(5)

    @rule(key=questions)
    def poll(self, key: str) -> None:
        question = self.known[key]
        noted = question.deadline <= self.now or self.now - question.seen >= MINUTE
        if question.waits and noted:
            question.seen = self.now
        self.expire(key)
        got = self.parley.poll(self.opened, key)
        assert got.status == 200
        assert got.json["action"] == question.status
        assert got.json.get("content") == question.content

    @rule(
        key=questions,
        action=st.sampled_from(["accept", "decline", "cancel"]),
        confirm=st.booleans(),
    )
    def answer(self, key: str, action: str, confirm: bool) -> None:
        question, content = self.known[key], {"confirm": confirm}
        if question.waits:
            self.expire(key)
        got = self.parley.respond(key, action, content)
        if question.waits:
            assert got.status == 200, got.text
            question.status = action
            question.content = content if action == "accept" else None
            self.lost = {None}
        else:
            self.too_late(got, question, action, content)

    def too_late(self, got: Answer, question: Question, action: str, content: Any) -> None:
        if question.status == "expired" or question.withdrawn:
            assert got.status == 410
        elif action == question.status and question.content in (None, content):
            assert got.status == 200
        else:
            assert got.status == 409
            assert got.json["error"]["details"]["action"] == question.status

    @rule(key=questions, times=st.integers(1, 3))
    def timer_rings(self, key: str, times: int) -> None:
        self.expire(key)
        self.parley.ring(key, times)

    @rule(key=questions, look=st.booleans())
    def deadline_passes(self, key: str, look: bool) -> None:
        if look:
            self.clock_nears_a_deadline(key, -170)
            self.poll(key)
        self.clock_nears_a_deadline(key, 0)
        self.timer_rings(key, 1)

    @rule(key=questions)
    def withdraw(self, key: str) -> None:
        question = self.known[key]
        got = self.parley.http("DELETE", f"/api/v1/elicitations/{key}")
        if question.waits:
            question.status, question.withdrawn = "cancel", True
        assert got.status == (200 if question.withdrawn else 409)

    @rule()
    def clean_up(self) -> None:
        self.expire(*self.known)
        summary = self.parley.clean_up()
        assert (summary["failed"], summary["repaired"]) == (0, 0)

    @rule()
    def host_reads(self) -> None:
        self.expire(*self.known)
        shown = self.parley.session(self.id)
        assert set(shown["live"]) == self.live()

    @rule(status=st.sampled_from(["running", "idle", "running", "archived", "failed"]))
    def host_patches(self, status: str) -> None:
        got = self.parley.http("PATCH", f"/api/v1/sessions/{self.id}", {"status": status})
        assert got.status == 200
        self.host_status = status
        if self.ended:
            for question in self.known.values():
                if question.waits:
                    question.status, question.withdrawn = "cancel", True

    @rule()
    def host_resumes(self) -> None:
        got = self.parley.http("POST", f"/api/v1/sessions/{self.id}/resume")
        assert got.status == 200
        self.host_status, self.lost = "running", {None}

    @rule(seconds=st.sampled_from([-20, 1, 61, 125, 3000]))
    def clock_jumps(self, seconds: int) -> None:
        self.parley.clock.turn(seconds=seconds)

    @rule(key=questions, seconds=st.sampled_from([-170, -0.001, 0, 1, 200]))
    def clock_nears_a_deadline(self, key: str, seconds: float) -> None:
        at = self.known[key].deadline + timedelta(seconds=seconds)
        self.parley.clock.now = max(self.now, at)

    @rule()
    def notices_are_delivered(self) -> None:
        """Everything on the queue, twice."""
        for body in self.parley.run_queue("notices"):
            self.parley.deliver(body)
        for mail in self.parley.mails():
            about = (mail["kind"], mail["request_id"])
            assert about not in self.told, "told twice"
            self.told.add(about)

    @invariant()
    def rows_tell_what_happened(self) -> None:
        store = self.parley.services.store
        session = store.session(self.id)
        assert session is not None
        assert set(session.live) == {key for key, q in self.known.items() if q.waits}
        reason = session.lost.reason.value if session.lost else None
        assert reason in self.lost
        self.lost = {reason}
        stranded = reason == "stranded"
        assert session.needs_input(self.now) == (not self.ended and bool(self.live() or stranded))
        shown = session.shown_status(self.now)
        assert shown == ("needs_input" if session.needs_input(self.now) else self.host_status)
        for row in store.elicitations(sorted(self.known)):
            question = self.known[row.key]
            assert (row.status.value, row.content) == (question.status, question.content)
        self.the_journal_has_no_gap_and_one_outcome_each(session.version)

    def the_journal_has_no_gap_and_one_outcome_each(self, version: int) -> None:
        told = self.parley.services.store.events(self.id, after=0, limit=1_000)
        assert [each.version for each in told] == list(range(1, version + 1))
        settled = [each.event.data["request_id"] for each in told if each.event.type in OUTCOMES]
        assert len(settled) == len(set(settled))
        assert set(settled) == {key for key, q in self.known.items() if not q.waits}

    def teardown(self) -> None:
        self.parley.http("DELETE", f"/api/v1/sessions/{self.id}")


def test_any_order_of_events_leaves_a_session_that_tells_the_truth(parley: Parley) -> None:
    """Issue 3, first of what must hold."""
    Session.parley = parley
    run_state_machine_as_test(
        Session,
        settings=settings(
            max_examples=14,
            stateful_step_count=26,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
