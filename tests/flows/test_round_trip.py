"""The main job: an asker asks, a person answers, the asker collects the answer."""

from __future__ import annotations

from tests.parley import Parley


def test_a_question_is_asked_told_answered_and_collected(parley: Parley) -> None:
    session = parley.open_session(title="Nightly release")
    created = parley.ask(session)
    assert created.status == 201
    request_id = created.json["requestId"]
    assert parley.session(session["id"])["status"] == "needs_input"
    assert parley.poll(session, request_id).json["action"] == "pending"

    parley.run_queue("notices")
    [mail] = parley.mails()
    assert mail["request_id"] == request_id
    assert "/a/" in mail["link"]

    answered = parley.respond(request_id, "accept", {"confirm": True})
    assert answered.status == 200

    polled = parley.poll(session, request_id).json
    assert polled["action"] == "accept"
    assert polled["content"] == {"confirm": True}
    assert parley.session(session["id"])["status"] == "running"
