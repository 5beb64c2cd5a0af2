"""The composition root: lazy, read once, and one of each."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest

from chalicelib.bootstrap import Services, new_id, utc_now
from chalicelib.settings import MissingSetting

NAMES = {
    "PARLEY_ENGINE_URL": "http://127.0.0.1:9",
    "PARLEY_TABLE": "parley",
    "PARLEY_TIMERS_QUEUE_URL": "http://127.0.0.1:9/1/timers",
    "PARLEY_NOTICES_QUEUE_URL": "http://127.0.0.1:9/1/notices",
}


def test_making_services_reads_no_environment_and_makes_no_client() -> None:
    made = Services({})
    assert made.settings.table == ""
    with pytest.raises(MissingSetting, match="PARLEY_TABLE"):
        _ = made.store


def test_warming_needs_names_but_no_answer_from_aws() -> None:
    """Nothing listens at the address: clients are made, none is used."""
    made = Services(NAMES)
    made.warm()
    assert {"store", "messenger", "authenticator"} <= vars(made).keys()
    assert "publisher" not in vars(made)


def test_every_store_shares_one_client() -> None:
    made = Services(NAMES)
    assert made.store.client is made.lists.client is made.box.client is made.api_keys.client


def test_threads_that_come_at_once_get_working_clients() -> None:
    made, together = Services(NAMES), threading.Barrier(4)

    def take(name: str) -> object:
        together.wait(10)
        return getattr(made, name)

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(take, ("store", "messenger", "lists", "messenger"))]
    assert all(part is not None for part in found)


def test_clients_give_up_soon_enough_for_a_poll() -> None:
    config = Services(NAMES).dynamodb.meta.config
    worst = (config.connect_timeout + config.read_timeout) * config.retries["total_max_attempts"]
    assert worst <= 10


def test_the_clock_is_aware_utc_in_whole_milliseconds() -> None:
    now = utc_now()
    assert now.tzinfo is UTC
    assert now.microsecond % 1000 == 0


def test_ids_are_long_url_safe_and_new_each_time() -> None:
    assert len({new_id() for _ in range(100)}) == 100
    assert new_id().isalnum()
    assert len(new_id()) == 32
