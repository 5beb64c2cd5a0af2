"""What askers and answerers were told, and whether what is stored agrees with all of it."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.infra.local.running import Service

CREATED = "elicitation.created"
OUTCOME = "elicitation.answered"


@dataclass
class Question:
    """One question as its asker and its answerers know it."""

    body: dict[str, Any]
    is_created: bool = False
    recorded: dict[str, Any] | None = None
    """The outcome that somebody was told is recorded."""
    answers: list[dict[str, Any]] = field(default_factory=list)
    """Every answer that was sent, acknowledged or not."""

    @property
    def request_id(self) -> str:
        """The asker's id, which is also the row's key."""
        return str(self.body["_meta"]["com.pulsemcp/request-id"])


class Ledger:
    """The questions of one session. Threads add to it; `check` reads it alone."""

    def __init__(self, session_id: str, request_path: str) -> None:
        self.session_id = session_id
        self.request_path = request_path
        self.questions: list[Question] = []
        self._lock = threading.Lock()

    def new(self, number: int) -> Question:
        """A question that is about to be asked."""
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        meta = {"com.pulsemcp/request-id": f"0b5ff0a1-0000-4000-8000-{number:012d}"}
        body = {"message": f"Which of {number}?", "requestedSchema": schema, "_meta": meta}
        question = Question(body)
        with self._lock:
            self.questions.append(question)
        return question

    def create(self, service: Service, question: Question) -> None:
        """Ask, or ask again after no acknowledgement came."""
        status, told = service.call("POST", self.request_path, question.body)
        assert status in (200, 201), told
        assert told["requestId"] == question.request_id
        question.is_created = True

    def answer(self, service: Service, question: Question, answer: dict[str, Any]) -> None:
        """Answer, or answer again; whatever is acknowledged must be what was recorded before."""
        if answer not in question.answers:
            question.answers.append(answer)
        path = f"/api/v1/elicitations/{question.request_id}/respond"
        status, told = service.call("PATCH", path, answer)
        assert status in (200, 409), told
        found = told if status == 200 else told["error"]["details"]
        recorded = {"action": found["action"], "content": found["content"]}
        if status == 200:
            sent = {"action": answer["action_type"], "content": answer["content"]}
            assert recorded == sent
        assert question.recorded in (None, recorded)
        question.recorded = recorded

    def check(self, service: Service) -> None:
        """Nothing acknowledged is lost, nothing is torn, every outcome happened exactly once."""
        polls = {q.request_id: self._poll(service, q) for q in self.questions}
        stored = {key: poll for key, poll in polls.items() if poll is not None}
        pending = {key for key, poll in stored.items() if poll["action"] == "pending"}
        status, session = service.call("GET", f"/api/v1/sessions/{self.session_id}")
        assert status == 200
        assert set(session["live"]) == pending
        assert session["needs_input"] == bool(pending)
        events = self._events(service)
        assert [event["sequence"] for event in events] == [*range(1, session["version"] + 1)]
        told = Counter((e["type"], e["data"].get("request_id")) for e in events)
        for key in stored:
            assert told[(CREATED, key)] == 1
            assert told[(OUTCOME, key)] == (key not in pending)
        created = {e["data"]["request_id"] for e in events if e["type"] == CREATED}
        assert created == stored.keys()

    def _poll(self, service: Service, question: Question) -> dict[str, Any] | None:
        status, told = service.call("GET", f"{self.request_path}/{question.request_id}")
        if status == 404:
            assert not question.is_created
            return None
        assert status == 200, told
        outcome = {"action": told["action"], "content": told.get("content")}
        if question.recorded is not None:
            assert outcome == question.recorded
        elif told["action"] != "pending":
            sent = [{"action": a["action_type"], "content": a["content"]} for a in question.answers]
            assert outcome in sent
        return told

    def _events(self, service: Service) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        while True:
            after = events[-1]["sequence"] if events else 0
            path = f"/api/v1/sessions/{self.session_id}/events?limit=100&after={after}"
            page = service.call("GET", path)[1]["events"]
            if not page:
                return events
            events += page
