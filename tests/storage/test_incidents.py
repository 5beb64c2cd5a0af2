"""The probe's state on the embedded engine: what is written is read back, and one writer wins."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.domain.gate import ProbeResult
from chalicelib.domain.incident import ProbeState, Thresholds, observe
from chalicelib.storage.incidents import DynamoIncidents
from chalicelib.usecases.page_incident import deliver_pages
from chalicelib.usecases.probe_endpoint import Probing, probe_endpoint
from infra.local.resources import Clients
from tests.usecases.fake_incidents import DOWN, LETTERS, START, TICK, FakePager, TestClock

pytestmark = pytest.mark.engine

RETENTION = timedelta(days=30)


@pytest.fixture
def store(aws: Clients, table: str) -> DynamoIncidents:
    return DynamoIncidents(aws.dynamodb, table, RETENTION)


def after(letters: str) -> ProbeState:
    state = ProbeState()
    for number, letter in enumerate(letters):
        state, _ = observe(state, LETTERS[letter], START + number * TICK, Thresholds(bad=2, good=2))
    return state


def test_before_the_first_probe_there_is_an_empty_state(store: DynamoIncidents) -> None:
    assert store.load() == ProbeState()
    assert store.history(limit=10) == []


@pytest.mark.parametrize("letters", ["u", "g", "d", "dd", "ddud", "dduu", "dduudd"])
def test_a_state_is_read_back_as_it_was_written(store: DynamoIncidents, letters: str) -> None:
    state = after(letters)
    stored = store.save(ProbeState(), state)
    assert stored == replace(state, version=1)
    assert store.load() == stored


def test_only_one_of_two_writers_of_the_same_version_wins(store: DynamoIncidents) -> None:
    first = store.save(ProbeState(), after("u"))
    assert first is not None
    assert store.save(ProbeState(), after("dd")) is None
    assert store.save(first, after("dd")) is not None
    assert store.save(first, after("u")) is None
    assert store.load().version == 2
    assert len(store.history(limit=10)) == 1


def test_a_whole_series_pages_once_for_each_incident_and_keeps_the_history(
    store: DynamoIncidents,
) -> None:
    clock, pager = TestClock(), FakePager()
    results = (LETTERS[letter] for letter in "dduuuduu")
    probing = Probing(
        prober=lambda _: next(results), incidents=store, clock=clock, thresholds=Thresholds()
    )
    for _ in range(8):
        clock.now += TICK
        probe_endpoint(["https://p.example"], probing=probing)
        deliver_pages(incidents=store, pager=pager, clock=clock)
    assert [kind for kind, _ in pager.sent] == ["page", "recovery"] * 2
    newest, oldest = store.history(limit=10)
    assert (oldest.started_at, newest.started_at) == (START + TICK, START + 6 * TICK)
    assert newest.is_settled
    assert oldest.is_settled
    assert newest.claimed_at is None
    assert store.history(limit=1) == [newest]


def test_two_probers_and_two_senders_at_once_page_once(store: DynamoIncidents) -> None:
    pager, loaded = FakePager(), threading.Barrier(2, timeout=10)

    def prober(_: str) -> ProbeResult:
        loaded.wait()  # both have read the state, neither has written
        return DOWN

    def tick() -> None:
        probing = Probing(
            prober=prober, incidents=store, clock=TestClock(), thresholds=Thresholds()
        )
        probe_endpoint(["https://p.example"], probing=probing)
        deliver_pages(incidents=store, pager=pager, clock=TestClock())

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(tick), pool.submit(tick)]:
            done.result()
    assert (store.load().bad_count, pager.count("page")) == (1, 1)


def test_history_rows_are_dropped_after_the_retention(
    store: DynamoIncidents, aws: Clients, table: str
) -> None:
    state, _ = observe(ProbeState(), DOWN, START, Thresholds())
    store.save(ProbeState(), state)
    rows = aws.dynamodb.scan(TableName=table)["Items"]
    ends = {row["kind"]["S"]: row.get("ttl") for row in rows}
    assert ends == {
        "probe_state": None,
        "incident": {"N": str(int((START + RETENTION).timestamp()))},
    }
