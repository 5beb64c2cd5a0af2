"""What every engine under the ports has to give (usecases/ports.py): one suite, two engines."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import Session, ask, resume, settle, step
from chalicelib.storage.lists import DynamoLists
from chalicelib.storage.outbox import DynamoNoticeBox
from chalicelib.storage.table import DynamoStore
from chalicelib.usecases.ports import (
    Change,
    Contended,
    ElicitationMoved,
    Needs,
    Outcome,
    SessionMoved,
)
from infra.local.resources import Clients, ensure_table
from tests.storage import second_engine

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
RETENTION = timedelta(days=30)
ALICE = Actor("alice", Channel.API)

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Table:
    """The three ports on one fresh table."""

    store: DynamoStore
    lists: DynamoLists
    box: DynamoNoticeBox


@pytest.fixture(scope="module", params=["embedded", pytest.param("second", marks=pytest.mark.slow)])
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """The engine that `make run` uses, and another one."""
    if request.param == "embedded":
        yield request.getfixturevalue("aws")
        return
    with second_engine.running() as other:
        yield other


@pytest.fixture
def on(clients: Clients) -> Iterator[Table]:
    """A table of the test's own."""
    name = f"ports-{uuid.uuid4().hex[:12]}"
    ensure_table(clients.dynamodb, name)
    client = clients.dynamodb
    yield Table(
        DynamoStore(client, name, RETENTION),
        DynamoLists(client, name),
        DynamoNoticeBox(client, name),
    )
    client.delete_table(TableName=name)


def attempt() -> str:
    """An attempt's id, never the same twice."""
    return f"a{next(_numbers)}"


def opened(on: Table, session_id: str = "s", at: datetime = NOW) -> Session:
    """A session as it stands after being opened."""
    fresh = Session(id=session_id, owner="host", created_at=at, updated_at=at, secret="x")
    taken = step(fresh, fresh, Event(type="session.opened", at=at), now=at)
    on.store.commit(
        Change(attempt=attempt(), before=None, after=taken.session, events=taken.events)
    )
    return taken.session


def question(key: str = "q", session_id: str = "s", **over: datetime) -> Elicitation:
    """A question that waits for an hour."""
    made = Elicitation(
        key=key,
        session_id=session_id,
        request_id=key,
        message="Deploy?",
        created_at=NOW,
        expires_at=NOW + HOUR,
    )
    return replace(made, **over)  # type: ignore[arg-type]


def asking(session: Session, asked: Elicitation) -> Change:
    """The change that asks it."""
    taken = ask(session, asked, NOW)
    return Change(
        attempt=attempt(),
        before=session,
        after=taken.session,
        events=taken.events,
        created=asked,
    )


def asked(on: Table, session: Session, row: Elicitation) -> Session:
    """The session after the question was asked."""
    change = asking(session, row)
    on.store.commit(change)
    assert change.after is not None
    return change.after


def settling(
    session: Session, row: Elicitation, status: Status, *, needs: Needs, now: datetime
) -> Change:
    """The change that gives the question this outcome."""
    name = attempt()
    by = None if status is Status.EXPIRED else ALICE
    after = replace(row, status=status, answered_at=now, answered_by=by, attempt=name)
    taken = settle(session, after, now)
    return Change(
        attempt=name,
        before=session,
        after=taken.session,
        events=taken.events,
        outcomes=(Outcome(after=after, needs=needs, now=now),),
    )


def versions(on: Table, session_id: str = "s") -> list[int]:
    """The numbers in the journal."""
    return [each.version for each in on.store.events(session_id, after=0, limit=100)]


def test_a_change_is_written_whole(on: Table) -> None:
    row = question()
    session = asked(on, opened(on), row)
    assert on.store.session("s") == session
    assert on.store.elicitation("q") == row
    assert on.store.elicitation("q", consistent=False) == row
    assert versions(on) == [1, 2, 3]
    assert on.store.elicitations(["q", "nope"]) == [row]
    assert on.store.sessions(["s", "nope"]) == [session]
    assert on.store.elicitation("nope") is None
    assert on.store.session("nope") is None


def test_a_refused_change_leaves_nothing(on: Table) -> None:
    first = opened(on)
    session = asked(on, first, question())
    with pytest.raises(SessionMoved) as moved:
        on.store.commit(asking(first, question("other")))
    assert moved.value.current == session
    assert on.store.elicitation("other") is None
    assert on.store.session("s") == session
    assert versions(on) == [1, 2, 3]


def test_the_loser_is_handed_the_row_that_won(on: Table) -> None:
    row = question()
    session = asked(on, opened(on), row)
    with pytest.raises(ElicitationMoved) as moved:
        on.store.commit(asking(session, question(created_at=NOW + MINUTE)))
    assert moved.value.current == row
    answer = settling(session, row, Status.ACCEPT, needs=Needs.LIVE, now=NOW + MINUTE)
    on.store.commit(answer)
    assert answer.after is not None
    late = settling(answer.after, row, Status.DECLINE, needs=Needs.LIVE, now=NOW + MINUTE)
    with pytest.raises(ElicitationMoved) as moved:
        on.store.commit(late)
    assert moved.value.current == answer.outcomes[0].after


def test_a_session_is_opened_once(on: Table) -> None:
    session = opened(on)
    with pytest.raises(SessionMoved) as moved:
        opened(on)
    assert moved.value.current == session


@pytest.mark.parametrize(
    ("needs", "milliseconds", "fits"),
    [
        (Needs.LIVE, -1, True),
        (Needs.LIVE, 0, False),
        (Needs.LIVE, 1, False),
        (Needs.DUE, -1, False),
        (Needs.DUE, 0, True),
        (Needs.PENDING, -1, True),
        (Needs.PENDING, 1, True),
    ],
)
def test_an_outcome_fits_one_side_of_the_deadline(
    on: Table, needs: Needs, milliseconds: int, fits: bool
) -> None:
    row = question()
    session = asked(on, opened(on), row)
    now = row.expires_at + timedelta(milliseconds=milliseconds)
    change = settling(session, row, Status.CANCEL, needs=needs, now=now)
    if fits:
        on.store.commit(change)
        assert on.store.elicitation("q") == change.outcomes[0].after
    else:
        with pytest.raises(ElicitationMoved) as moved:
            on.store.commit(change)
        assert moved.value.current == row


def test_a_repeated_attempt_succeeds_silently_and_changes_nothing(on: Table) -> None:
    """The SDK retries after a lost acknowledgement, and no engine's token is leant on."""
    row = question()
    create = asking(opened(on), row)
    on.store.commit(create)
    on.store.commit(create)
    assert create.after is not None
    answer = settling(create.after, row, Status.ACCEPT, needs=Needs.LIVE, now=NOW)
    on.store.commit(answer)
    on.store.commit(answer)
    assert answer.after is not None
    taken = resume(answer.after, NOW)
    patch = Change(attempt=attempt(), before=answer.after, after=taken.session, events=taken.events)
    on.store.commit(patch)
    beside = asking(taken.session, question("later"))
    on.store.commit(beside)
    on.store.commit(patch)  # also when others have written since
    assert on.store.session("s") == beside.after
    assert versions(on) == list(range(1, len(versions(on)) + 1))


def at_once(*deeds: Callable[[], None]) -> list[BaseException | None]:
    """What each deed raised when all were done together."""

    def do(deed: Callable[[], None]) -> BaseException | None:
        try:
            deed()
        except (SessionMoved, ElicitationMoved, Contended) as refused:
            return refused
        return None

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(do, deeds))


def test_of_many_changes_at_once_one_is_written(on: Table) -> None:
    session = opened(on)
    changes = [asking(session, question(f"q{number}")) for number in range(12)]
    told = at_once(*(lambda c=change: on.store.commit(c) for change in changes))
    assert told.count(None) == 1
    [won] = [change for change, refused in zip(changes, told, strict=True) if refused is None]
    assert on.store.session("s") == won.after
    assert [row.key for row in on.store.elicitations([f"q{n}" for n in range(12)])] == [
        won.created.key if won.created else ""
    ]


def test_of_many_outcomes_at_once_one_is_written(on: Table) -> None:
    row = question()
    session = asked(on, opened(on), row)
    changes = [
        settling(session, row, status, needs=Needs.PENDING, now=NOW)
        for status in (Status.ACCEPT, Status.DECLINE, Status.CANCEL)
        for _ in range(4)
    ]
    told = at_once(*(lambda c=change: on.store.commit(c) for change in changes))
    assert told.count(None) == 1
    won = changes[told.index(None)]
    assert on.store.elicitation("q") == won.outcomes[0].after


def test_notes_change_only_what_they_note(on: Table) -> None:
    row = question()
    session = asked(on, opened(on), row)
    on.store.note_receipt("q", NOW)
    assert on.store.elicitation("q") == row, "nothing to receive yet"
    on.store.note_seen("q", NOW + MINUTE)
    assert on.store.elicitation("q") == replace(row, last_seen_at=NOW + MINUTE)
    on.store.commit(settling(session, row, Status.ACCEPT, needs=Needs.LIVE, now=NOW))
    on.store.note_seen("q", NOW + HOUR)
    on.store.note_receipt("q", NOW + MINUTE)
    on.store.note_receipt("q", NOW + HOUR)
    settled = on.store.elicitation("q")
    assert settled is not None
    assert (settled.last_seen_at, settled.receipt_at) == (NOW + MINUTE, NOW + MINUTE)
    for note in (on.store.note_seen, on.store.note_receipt, on.store.note_checked):
        note("gone", NOW)
    assert on.store.elicitation("gone") is None
    assert on.store.session("gone") is None


def test_the_journal_is_read_in_order_and_in_parts(on: Table) -> None:
    session = opened(on)
    for number in range(5):
        session = asked(on, session, question(f"q{number}"))
    assert versions(on) == list(range(1, 8))
    part = on.store.events("s", after=2, limit=3)
    assert [each.version for each in part] == [3, 4, 5]
    assert on.store.events("s", after=7, limit=3) == []
    assert on.store.events("s", after=10**12 - 1, limit=3) == []
    assert on.store.events("nope", after=0, limit=3) == []


def test_a_deleted_session_leaves_nothing(on: Table) -> None:
    session = opened(on)
    for number in range(30):
        session = asked(on, session, question(f"q{number}"))
    on.store.commit(Change(attempt=attempt(), before=session, after=None))
    on.store.purge("s")
    assert on.store.session("s") is None
    assert versions(on) == []


def test_what_is_due_comes_longest_overdue_first(on: Table) -> None:
    session = opened(on)
    rows = [question(f"q{n}", expires_at=NOW + (n + 1) * MINUTE) for n in range(10)]
    for row in reversed(rows):
        session = asked(on, session, row)
    due = on.lists.due(NOW + 6 * MINUTE, limit=100)
    assert [row.key for row in due] == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert [row.key for row in on.lists.due(NOW + 6 * MINUTE, limit=2)] == ["q0", "q1"]
    assert [row.key for row in on.lists.live(limit=3)] == ["q0", "q1", "q2"]
    on.store.commit(settling(session, rows[0], Status.ACCEPT, needs=Needs.PENDING, now=NOW))
    assert [row.key for row in on.lists.live(limit=2)] == ["q1", "q2"]


def test_questions_of_a_session_come_newest_first_in_any_state(on: Table) -> None:
    session, other = opened(on), opened(on, "t")
    rows = [question(f"q{n}", created_at=NOW + n * MINUTE) for n in range(3)]
    for row in rows:
        session = asked(on, session, row)
    asked(on, other, question("foreign", "t"))
    on.store.commit(settling(session, rows[1], Status.DECLINE, needs=Needs.LIVE, now=NOW))
    assert [row.key for row in on.lists.of_session("s", limit=10)] == ["q2", "q1", "q0"]
    assert [row.key for row in on.lists.of_session("s", limit=1)] == ["q2"]


def test_sessions_come_newest_first_each_once_in_pages_of_any_size(on: Table) -> None:
    for number in range(9):
        opened(on, f"s{number}", NOW + number * MINUTE)
    wanted = [f"s{number}" for number in reversed(range(9))]
    for size in (1, 2, 4, 9, 50):
        found: list[str] = []
        after = None
        while True:
            page = on.lists.sessions(owner=None, limit=size, after=after)
            found += [session.id for session in page.sessions]
            after = page.next
            if after is None:
                break
        assert found == wanted, size
    assert on.lists.sessions(owner="nobody", limit=5, after=None).sessions == []
    assert len(on.lists.sessions(owner="host", limit=5, after=None).sessions) == 5


def test_marked_sessions_come_after_a_while_and_again_after_a_check(on: Table) -> None:
    session = asked(on, opened(on), question())
    opened(on, "unmarked")
    soon, later = NOW + 3 * MINUTE, NOW + 5 * MINUTE
    assert on.lists.marked_sessions(soon, limit=9) == []
    assert on.lists.marked_sessions(later, limit=9) == ["s"]
    on.store.note_checked("s", later)
    on.store.note_checked("unmarked", later)
    assert on.lists.marked_sessions(later, limit=9) == []
    assert on.lists.marked_sessions(later + 5 * MINUTE, limit=9) == ["s"]
    assert on.store.session("s") == session


def test_a_notice_is_due_claimed_delivered_and_gone(on: Table) -> None:
    row = question()
    asked(on, opened(on), row)
    assert on.box.undelivered(NOW - MINUTE, limit=9) == []
    [due] = on.box.undelivered(NOW + MINUTE, limit=9)
    assert (due.key, due.kind, due.since) == ("q", "needs_input", NOW)
    assert on.box.claim("q", "needs_input", NOW) == row
    assert on.box.claim("q", "needs_input", NOW + MINUTE) is None, "another one is at it"
    assert on.box.claim("q", "needs_input", NOW + 2 * MINUTE) == row, "which must have died"
    on.box.delivered("q", "needs_input", NOW + 2 * MINUTE)
    assert on.box.undelivered(NOW + HOUR, limit=9) == []
    assert on.box.claim("q", "needs_input", NOW + 9 * MINUTE) is None
    assert on.box.claim("gone", "needs_input", NOW) is None


def test_of_many_claims_at_once_one_is_granted(on: Table) -> None:
    asked(on, opened(on), question())
    with ThreadPoolExecutor(10) as pool:
        got = list(pool.map(lambda _: on.box.claim("q", "needs_input", NOW), range(10)))
    assert len([claimed for claimed in got if claimed is not None]) == 1


def test_a_later_notice_survives_the_delivery_of_an_earlier_one(on: Table) -> None:
    """A row has one flag: the reminder fell due while the first notice was on its way."""
    asked(on, opened(on), question())
    on.box.claim("q", "needs_input", NOW)
    assert on.box.flag("q", "reminder", NOW + MINUTE)
    on.box.delivered("q", "needs_input", NOW + MINUTE)
    [due] = on.box.undelivered(NOW + HOUR, limit=9)
    assert due.kind == "reminder"
    on.box.delivered("q", "reminder", NOW + MINUTE)
    assert on.box.undelivered(NOW + HOUR, limit=9) == []


def test_an_outcome_voids_notices_and_an_expiry_makes_one(on: Table) -> None:
    first, second = question("q1"), question("q2")
    session = asked(on, asked(on, opened(on), first), second)
    answer = settling(session, first, Status.ACCEPT, needs=Needs.LIVE, now=NOW)
    on.store.commit(answer)
    assert on.box.claim("q1", "needs_input", NOW) is None
    assert on.box.claim("q1", "lost", NOW) is None
    assert not on.box.flag("q1", "reminder", NOW)
    assert on.box.claim("q2", "needs_input", second.expires_at) is None, "too late to answer"
    assert answer.after is not None
    end = second.expires_at
    on.store.commit(settling(answer.after, second, Status.EXPIRED, needs=Needs.DUE, now=end))
    [due] = on.box.undelivered(end + HOUR, limit=9)
    assert (due.key, due.kind) == ("q2", "lost")
    assert on.box.claim("q2", "lost", end) is not None
