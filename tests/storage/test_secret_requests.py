"""Secret requests in the table: one latest, nonces once, one value once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import TypeVar

import pytest

from chalicelib.domain.events import Event
from chalicelib.domain.secret import SecretRequest, SecretState
from chalicelib.domain.session import Session, step
from chalicelib.storage.secret_requests import DynamoSecretRequests
from chalicelib.storage.table import DynamoStore
from chalicelib.usecases.ports import Change, Contended, SessionMoved
from chalicelib.usecases.secret_requests import RequestClosed
from infra.local.resources import Clients

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
RETENTION = timedelta(days=30)
RACERS = 4
T = TypeVar("T")


@pytest.fixture
def store(aws: Clients, table: str) -> DynamoStore:
    made = DynamoStore(aws.dynamodb, table, RETENTION)
    session = Session(id="s", owner="ada", created_at=NOW, updated_at=NOW, secret="x", version=1)
    opened = Event(type="session.opened", at=NOW)
    made.commit(Change(attempt="a", before=None, after=session, events=(opened,)))
    return made


@pytest.fixture
def requests(store: DynamoStore) -> DynamoSecretRequests:
    return DynamoSecretRequests(store.client, store.table, RETENTION)


def request(handle: str = "h1", **over: object) -> SecretRequest:
    made = SecretRequest(
        handle=handle,
        principal="ada",
        session_id="s",
        name="A",
        expires_at=NOW + timedelta(minutes=15),
    )
    return replace(made, **over)  # type: ignore[arg-type]


def change(store: DynamoStore, attempt: str = "typed") -> Change:
    session = store.session("s")
    assert session is not None
    told = Event(type="secret.stored", at=NOW, data={"name": "A", "by": "ada"})
    taken = step(session, session, told, now=NOW)
    return Change(attempt=attempt, before=session, after=taken.session, events=taken.events)


def spend(
    requests: DynamoSecretRequests, nonce: str, attempt: str = "1", principal: str = "ada"
) -> bool:
    return requests.spend("h1", principal=principal, nonce=nonce, attempt=attempt, now=NOW)


def race(act: Callable[[int], T]) -> list[T]:
    """What each of several gets that act at the same moment."""
    barrier = Barrier(RACERS)

    def run(number: int) -> T:
        barrier.wait()
        return act(number)

    with ThreadPoolExecutor(RACERS) as pool:
        return list(pool.map(run, range(RACERS)))


def test_of_several_first_requests_one_becomes_the_latest(requests: DynamoSecretRequests) -> None:
    added = race(lambda number: requests.add(request(f"h{number}"), instead_of=None))
    assert added.count(True) == 1
    assert requests.latest("ada", "s", "A") == f"h{added.index(True)}"
    assert requests.latest("bob", "s", "A") is None


def test_a_new_request_takes_the_place_of_the_one_it_knows(requests: DynamoSecretRequests) -> None:
    assert requests.add(request("h1"), instead_of=None)
    assert not requests.add(request("h2"), instead_of="h0")
    assert requests.add(request("h3"), instead_of="h1")
    assert requests.latest("ada", "s", "A") == "h3"
    assert requests.find("h2") is None


def test_a_nonce_is_spent_once_whoever_comes_at_the_same_moment(
    requests: DynamoSecretRequests,
) -> None:
    requests.add(request(), instead_of=None)
    assert race(lambda number: spend(requests, "n1", str(number))).count(True) == 1
    assert spend(requests, "n2")
    assert not spend(requests, "n1", "later")


def test_a_repeat_after_a_lost_acknowledgement_is_the_same_success(
    requests: DynamoSecretRequests,
) -> None:
    requests.add(request(), instead_of=None)
    assert spend(requests, "n1", "attempt")
    assert spend(requests, "n1", "attempt")


def test_nothing_is_spent_on_a_request_that_is_not_open_or_anothers(
    requests: DynamoSecretRequests,
) -> None:
    assert not spend(requests, "n")
    requests.add(request(), instead_of=None)
    assert not spend(requests, "n", principal="bob")
    requests.close("h1", principal="bob")
    assert spend(requests, "n")
    requests.close("h1", principal="ada")
    assert not spend(requests, "m", "another attempt")
    late = NOW + timedelta(minutes=15)
    requests.add(request("h2"), instead_of="h1")
    assert not requests.spend("h2", principal="ada", nonce="n", attempt="1", now=late)


def test_a_value_is_kept_with_its_event_in_one_write(
    requests: DynamoSecretRequests, store: DynamoStore
) -> None:
    requests.add(request(), instead_of=None)
    typed = change(store)
    for _ in ("once", "again after a lost acknowledgement"):
        requests.keep(request(), b"sealed", typed)
    found = requests.find("h1")
    assert found is not None
    assert found.recorded is SecretState.STORED
    events = store.events("s", after=0, limit=10)
    assert [(e.version, e.event.type) for e in events] == [
        (1, "session.opened"),
        (2, "secret.stored"),
    ]


@pytest.mark.parametrize("how", ["declined", "closed", "stored", "late", "unknown"])
def test_a_page_that_is_over_keeps_nothing(
    requests: DynamoSecretRequests, store: DynamoStore, how: str
) -> None:
    if how != "unknown":
        until = NOW if how == "late" else NOW + timedelta(minutes=15)
        requests.add(request(expires_at=until), instead_of=None)
    if how == "declined":
        assert requests.decline("h1", NOW)
        assert not requests.decline("h1", NOW)
    if how == "closed":
        requests.close("h1", principal="ada")
    if how == "stored":
        requests.keep(request(), b"first", change(store, "first"))
    before = store.events("s", after=0, limit=10)
    with pytest.raises(RequestClosed):
        requests.keep(request(), b"second", change(store, "second"))
    assert store.events("s", after=0, limit=10) == before


def test_a_session_that_moved_meanwhile_keeps_nothing_yet(
    requests: DynamoSecretRequests, store: DynamoStore
) -> None:
    requests.add(request(), instead_of=None)
    stale = change(store)
    store.commit(change(store, "other"))
    with pytest.raises((SessionMoved, Contended)):
        requests.keep(request(), b"sealed", stale)
    found = requests.find("h1")
    assert found is not None
    assert found.recorded is SecretState.PENDING
    requests.keep(request(), b"sealed", change(store))


def test_of_several_posts_one_is_kept(requests: DynamoSecretRequests, store: DynamoStore) -> None:
    requests.add(request(), instead_of=None)
    seen = change(store)

    def keep(number: int) -> bool:
        try:
            requests.keep(request(), b"sealed", replace(seen, attempt=str(number)))
        except (RequestClosed, SessionMoved, Contended):
            return False
        return True

    assert race(keep).count(True) == 1
