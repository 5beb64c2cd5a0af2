"""The cleanup, every five minutes: the net under timers, notices and markers (zimmer 179-191)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.domain.errors import TryAgain
from chalicelib.storage.table import DynamoStore
from chalicelib.usecases.ports import Change
from tests.parley import Parley

if TYPE_CHECKING:
    import pytest


def asked(parley: Parley, session: dict[str, Any], **wish: float) -> str:
    """Ask in the session, with a deadline so far ahead; the question's id."""
    at = parley.clock.now + timedelta(**(wish or {"minutes": 60}))
    meta = {"com.pulsemcp/expires-at": at.isoformat()}
    request_id: str = parley.ask(session, meta=meta).json["requestId"]
    return request_id


def status(parley: Parley, request_id: str) -> str:
    """What is stored, without a look that would expire it."""
    found = parley.services.store.elicitation(request_id)
    assert found is not None
    return found.status.value


def test_the_sweep_expires_what_is_due_and_nothing_else(parley: Parley) -> None:
    """10, 179, 180, 182: whatever its session's state."""
    session, ended = parley.open_session(), parley.open_session()
    due, answered = asked(parley, session), asked(parley, session)
    late = asked(parley, session, minutes=120)
    ending = asked(parley, ended)
    parley.respond(answered, "accept", {"confirm": True})
    parley.http("PATCH", f"/api/v1/sessions/{ended['id']}", {"status": "failed"})
    parley.clock.turn(minutes=61)
    summary = parley.clean_up()
    assert summary["expired"] == 1
    assert summary["failed"] == 0
    assert summary["overdue_seconds"] == 60
    found = [status(parley, key) for key in (due, answered, late, ending)]
    assert found == ["expired", "accept", "pending", "cancel"]
    assert parley.clean_up()["expired"] == 0


def test_the_sweep_at_the_deadline_is_not_early(parley: Parley) -> None:
    """9, 10."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=60, milliseconds=-1)
    assert parley.clean_up()["expired"] == 0
    parley.clock.turn(milliseconds=1)
    assert parley.clean_up()["expired"] == 1
    assert status(parley, request_id) == "expired"


def test_the_last_expiry_frees_the_session_and_records_it(parley: Parley) -> None:
    """181, 185: an asker that looked until the end went on without an answer."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=59)
    parley.poll(session, request_id)
    parley.clock.turn(minutes=4)
    parley.clean_up()
    stored = parley.services.store.session(session["id"])
    assert stored is not None
    assert stored.live == {}
    shown = parley.session(session["id"])
    assert (shown["status"], shown["lost"]["reason"]) == ("running", "expired")


def test_a_legitimate_wait_is_not_touched(parley: Parley) -> None:
    """186."""
    session = parley.open_session()
    request_id = asked(parley, session, days=7)
    version = parley.session(session["id"])["version"]
    for _ in range(3):
        parley.clock.turn(minutes=5)
        parley.clean_up()
    shown = parley.session(session["id"])
    assert (shown["status"], shown["live"], shown["version"]) == (
        "needs_input",
        [request_id],
        version,
    )


def test_a_question_whose_session_is_gone_expires_too(parley: Parley) -> None:
    """Pass A does not depend on the session."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.aws.dynamodb.delete_item(
        TableName=parley.services.settings.table,
        Key={"pk": {"S": f"S#{session['id']}"}, "sk": {"S": "META"}},
    )
    parley.clock.turn(minutes=61)
    assert parley.clean_up()["expired"] == 1
    assert status(parley, request_id) == "expired"


def test_trouble_with_one_row_does_not_stop_the_others(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3.4: one bad row is counted, logged and left for the next run."""
    sessions = [parley.open_session() for _ in range(3)]
    keys = [asked(parley, session) for session in sessions]
    parley.clock.turn(minutes=61)
    sound = DynamoStore.commit

    def commit(store: DynamoStore, change: Change) -> None:
        if any(outcome.after.key == keys[1] for outcome in change.outcomes):
            raise TryAgain("busy")
        sound(store, change)

    with monkeypatch.context() as broken:
        broken.setattr(DynamoStore, "commit", commit)
        summary = parley.clean_up()
    assert (summary["expired"], summary["failed"]) == (2, 1)
    assert [status(parley, key) for key in keys] == ["expired", "pending", "expired"]
    assert parley.clean_up()["expired"] == 1


def test_a_defect_in_one_row_does_not_stop_the_others(parley: Parley) -> None:
    """The same for what is no trouble of storage: a row that cannot be read as a session."""
    sessions = [parley.open_session() for _ in range(3)]
    keys = [asked(parley, session) for session in sessions]
    parley.aws.dynamodb.update_item(
        TableName=parley.services.settings.table,
        Key={"pk": {"S": f"S#{sessions[0]['id']}"}, "sk": {"S": "META"}},
        UpdateExpression="SET #status = :bad",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":bad": {"S": "no such word"}},
    )
    parley.clock.turn(minutes=61)
    summary = parley.clean_up()
    assert (summary["expired"], summary["failed"]) == (2, 2), "not expired, and not repaired"
    assert [status(parley, key) for key in keys[1:]] == ["expired", "expired"]


def test_poll_timer_and_sweep_agree_on_one_expiry(parley: Parley) -> None:
    """All three are the same conditional write; whoever comes later changes nothing."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=60)
    parley.ring(request_id)
    first = parley.poll(session, request_id).json
    parley.clock.turn(minutes=5)
    parley.clean_up()
    parley.ring(request_id)
    assert parley.poll(session, request_id).json == first
    types = [event["type"] for event in parley.events(session["id"])]
    assert types.count("elicitation.expired") == 1


def test_every_marked_session_gets_its_turn(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run looks at a bounded number of sessions; healthy ones must not keep others out."""
    monkeypatch.setattr("chalicelib.usecases.clean_up.MAX_MARKED", 2)
    healthy = [parley.open_session() for _ in range(3)]
    for session in healthy:
        asked(parley, session, days=7)
    parley.clock.turn(seconds=1)
    broken = parley.open_session()
    parley.aws.dynamodb.delete_item(
        TableName=parley.services.settings.table,
        Key={"pk": {"S": f"E#{asked(parley, broken, days=7)}"}, "sk": {"S": "META"}},
    )
    repaired = 0
    for _ in range(3):
        parley.clock.turn(minutes=5)
        repaired += parley.clean_up()["repaired"]
    assert repaired == 1
    assert parley.session(broken["id"])["lost"]["reason"] == "stranded"


def test_stranded_sessions_do_not_keep_the_sweep_busy(parley: Parley) -> None:
    """Only a marker with something behind it is worth a look; a stranded one waits for a host."""
    session = parley.open_session()
    asked(parley, session)
    parley.clock.turn(minutes=61)
    parley.clean_up()
    assert parley.session(session["id"])["lost"]["reason"] == "stranded"
    parley.clock.turn(minutes=5)
    assert parley.services.lists.marked_sessions(parley.clock.now, limit=10) == []
