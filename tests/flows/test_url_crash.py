"""The worker dies at each of its steps, and messages come twice: no doubled call after consent, no
lost card, no session that seems to run for ever.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.domain.errors import TryAgain
from chalicelib.domain.turn import LEASE
from chalicelib.usecases.run_turn import UNKNOWN
from tests.flows.url_host import UrlHost


class Killed(BaseException):
    """The process ends here: nothing that catches exceptions sees it."""


class Fault:
    """Lets a number of things happen outside, then kills, before or after the next one."""

    def __init__(self, after_steps: int, *, done: bool) -> None:
        self.left = after_steps
        self.done = done
        self.steps = 0

    def __call__(self, action: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.steps += 1
            dies = self.left == 0
            self.left -= 1
            if dies and not self.done:
                raise Killed
            value = action(*args, **kwargs)
            if dies:
                raise Killed
            return value

        return wrapped


class DiesInCall(Fault):
    """Only calls of the server count as steps."""

    def __call__(self, action: Callable[..., Any]) -> Callable[..., Any]:
        if getattr(action, "__name__", "") == "call":
            return super().__call__(action)
        return action


class Through:
    """An object whose named methods pass through a fault."""

    def __init__(self, inner: Any, fault: Fault, *names: str) -> None:
        self._inner = inner
        self._fault = fault
        self._names = names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._fault(found) if name in self._names else found


def with_fault(host: UrlHost, fault: Fault | None) -> None:
    """The worker's writes, sends, seals and calls go through the fault; None takes it out."""
    services = host.parley.services
    services.__dict__.pop("relay", None)
    if fault is None:
        return
    relay = services.relay
    world = replace(relay.world, store=Through(relay.world.store, fault, "commit"))
    sends = ("queue_turn", "wake_card", "wake_turn", "queue_notice")

    def connect(*args: Any, **kwargs: Any) -> Any:
        return Through(relay.connect(*args, **kwargs), fault, "call")

    services.__dict__["relay"] = replace(
        relay,
        world=world,
        messenger=Through(relay.messenger, fault, *sends),
        sealer=Through(relay.sealer, fault, "seal", "open"),
        connect=connect,
    )


def turn_of(host: UrlHost, session: str) -> str:
    return str(host.events(session, "session.activated")[0]["data"]["turn_id"])


def run_dying(host: UrlHost, session: str, fault: Fault) -> bool:
    """One worker's run into the fault; whether it died of it."""
    with_fault(host, fault)
    try:
        host.run_turn(session, turn_of(host, session))
    except Killed:
        return True
    finally:
        with_fault(host, None)
    return False


def recover(host: UrlHost, session: str) -> None:
    """What brings a turn back: the lease's timer, the queue's redelivery, cleanup."""
    for _ in range(3):
        host.parley.clock.turn(seconds=LEASE.total_seconds() + 61)
        host.parley.clean_up()
        host.work()


def steps_of(host: UrlHost, tools: tuple[str, ...]) -> int:
    """How many steps the worker takes from message to pause or end."""
    session = host.session()
    host.post(session, *tools)
    fault = Fault(-1, done=False)
    assert not run_dying(host, session, fault)
    host.work()
    return fault.steps


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_a_worker_that_dies_on_the_way_to_the_card_loses_none(host: UrlHost, done: bool) -> None:
    """43, 104: killed before and after each of its steps."""
    steps = steps_of(host, ("plain", "report"))
    assert steps >= 8
    for step in range(steps):
        session = host.session()
        host.post(session, "plain", "report")
        host.parley.aws.sqs.purge_queue(QueueUrl=host.parley.services.settings.turns_queue_url)
        assert run_dying(host, session, Fault(step, done=done)), step
        redeliver(host, session)
        assert host.status(session) == "waiting_for_tool_results", step
        assert host.types(session).count("tool.call_requested") == 1, step
        assert len(host.results(session)) == 1, step
        assert len(host.results(session, "mcp_acme__plain")) == 1, step
        assert host.types(session).count("turn.started") == 1, step
        (card,) = host.asked(session)
        assert host.consent(session, card["id"], "decline").status == 200
        host.work()
        assert host.status(session) == "idle", step


def redeliver(host: UrlHost, session: str) -> None:
    """The dead worker's message comes back when its lease is over."""
    host.parley.clock.turn(seconds=LEASE.total_seconds() + 1)
    assert host.run_turn(session, turn_of(host, session))
    host.work()


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_a_worker_that_dies_after_consent_never_doubles_the_call(host: UrlHost, done: bool) -> None:
    """43, 79: the consented call reaches the server once at most, and the turn ends."""
    host.acme.done = True
    step = 0
    while True:
        session, (card,) = host.paused()
        before = len(host.acme.calls)
        host.consent(session, card)
        host.parley.aws.sqs.purge_queue(QueueUrl=host.parley.services.settings.turns_queue_url)
        died = run_dying(host, session, Fault(step, done=done))
        redeliver(host, session)
        accepts = [call for call in host.acme.calls[before:] if "inputResponses" in call]
        assert len(accepts) <= 1, step
        assert host.status(session) == "idle", step
        assert host.consent_rows(session) == [], step
        last = host.results(session)[-1]
        assert last["success"] is True or last["error"] == UNKNOWN, step
        assert host.types(session).count("turn.completed") == 1, step
        if not died:
            break
        step += 1
    assert step >= 5


def test_a_call_without_consent_is_repeated_once_and_then_given_up(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain")
    host.parley.aws.sqs.purge_queue(QueueUrl=host.parley.services.settings.turns_queue_url)

    for _ in range(2):
        assert run_dying(host, session, DiesInCall(0, done=True))
        host.parley.clock.turn(seconds=LEASE.total_seconds() + 1)
    assert host.run_turn(session, turn_of(host, session))
    assert len(host.acme.calls) == 2
    assert host.results(session, "mcp_acme__plain")[0]["error"] == UNKNOWN
    assert host.status(session) == "idle"


def test_a_turn_that_kills_every_worker_fails(host: UrlHost) -> None:
    """104: no session runs for ever."""
    session = host.session()
    host.post(session, "plain")
    for _ in range(8):
        with_fault(host, Fault(1, done=True))
        with contextlib.suppress(Killed):
            host.run_turn(session, turn_of(host, session))
        with_fault(host, None)
        host.parley.clock.turn(seconds=LEASE.total_seconds() + 1)
    assert host.status(session) == "idle"


def test_the_decision_survives_a_process_that_dies_after_it(host: UrlHost) -> None:
    """42, 43: only the queue's message is missing; the card's timer and cleanup send it."""
    session, (card,) = host.paused()
    host.acme.done = True
    with_fault(host, Fault(1, done=False))  # the commit is made, the message is not sent
    with pytest.raises(Killed):
        host.consent(session, card)
    with_fault(host, None)
    assert host.status(session) == "active"
    assert host.consent(session, card).status == 409
    host.ring(session, card)
    host.work()
    assert host.status(session) == "idle"
    assert len(host.confirmations(session)) == 1
    assert host.results(session)[-1]["success"] is True


def test_the_message_survives_a_process_that_dies_after_it(host: UrlHost) -> None:
    session = host.session()
    with_fault(host, Fault(1, done=False))
    with pytest.raises(Killed):
        host.post(session, "plain")
    with_fault(host, None)
    assert host.status(session) == "active"
    recover(host, session)
    assert host.status(session) == "idle"
    assert len(host.acme.calls) == 1


def test_storage_that_is_down_is_never_a_yes(host: UrlHost) -> None:
    """78."""
    session, (card,) = host.paused()
    host.consent(session, card)
    relay = host.parley.services.relay

    class Down(Through):
        def consent(self, *_: Any) -> None:
            raise TryAgain("down")

    broken = replace(relay, rows=Down(relay.rows, Fault(-1, done=False)))
    host.parley.services.__dict__["relay"] = broken
    assert not host.run_turn(session, turn_of(host, session))
    assert len(host.acme.calls) == 1
    with_fault(host, None)
    redeliver(host, session)
    assert "inputResponses" in host.acme.calls[1]


def test_a_message_that_comes_twice_runs_once(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain", "plain")
    turn = turn_of(host, session)
    for _ in range(2):
        assert host.run_turn(session, turn)
    host.work()
    assert len(host.acme.calls) == 2
    assert host.types(session).count("turn.completed") == 1


def test_workers_that_meet_do_the_work_once(host: UrlHost) -> None:
    """51, 79."""
    session, (card,) = host.paused()
    host.acme.done = True
    host.consent(session, card)
    turn = turn_of(host, session)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: host.run_turn(session, turn), range(8)))
    accepts = [call for call in host.acme.calls if "inputResponses" in call]
    assert len(accepts) == 1
    assert host.types(session).count("turn.completed") == 1
    assert host.status(session) == "idle"


def test_of_workers_that_meet_over_a_dead_ones_call_one_repeats_it(host: UrlHost) -> None:
    """The claim tells nothing, so the session does not move: the turn's own version decides."""
    session = host.session()
    host.post(session, "plain")
    host.parley.aws.sqs.purge_queue(QueueUrl=host.parley.services.settings.turns_queue_url)
    turn = turn_of(host, session)
    assert run_dying(host, session, DiesInCall(0, done=True))
    host.parley.clock.turn(seconds=LEASE.total_seconds() + 1)
    relay = host.parley.services.relay
    store = relay.world.store
    met: list[bool] = []

    class Meeting(Through):
        def commit(self, change: Any) -> None:
            if not met:
                met.append(run_dying(host, session, Fault(0, done=True)))  # claims, and no more
            store.commit(change)

    slow = replace(relay.world, store=Meeting(store, Fault(-1, done=False)))
    host.parley.services.__dict__["relay"] = replace(relay, world=slow)
    assert host.run_turn(session, turn)
    assert met == [True]
    assert len(host.acme.calls) == 1, "the other worker has the turn"


def test_a_worker_that_was_given_up_cannot_write_any_more(host: UrlHost) -> None:
    """Its call took longer than its lease; another worker went on meanwhile."""
    session, (card,) = host.paused()
    host.acme.done = True
    host.consent(session, card)
    turn = turn_of(host, session)

    def meanwhile(_: Any) -> None:
        host.acme.before = lambda asked: None
        host.parley.clock.turn(seconds=LEASE.total_seconds() + 1)
        assert host.run_turn(session, turn)

    host.acme.before = meanwhile
    assert host.run_turn(session, turn)
    accepts = [call for call in host.acme.calls if "inputResponses" in call]
    assert len(accepts) == 1
    assert host.results(session)[-1]["error"] == UNKNOWN
    assert host.types(session).count("turn.completed") == 1


def test_a_lease_that_is_held_is_waited_for(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain")
    host.acme.before = lambda asked: (host.run_turn(session, turn_of(host, session)), None)[1]
    host.work()
    assert len(host.acme.calls) == 1
    assert host.status(session) == "idle"


def test_the_workers_function_ends_before_its_time(host: UrlHost) -> None:
    """A long act is handed over between two calls."""
    relay = host.parley.services.relay
    seconds = iter(range(0, 10_000, 31))
    slow = replace(relay, monotonic=lambda: float(next(seconds)))
    host.parley.services.__dict__["relay"] = slow
    session = host.session()
    host.post(session, *["plain"] * 4)
    assert host.work() > 1
    assert len(host.acme.calls) == 4
    assert host.status(session) == "idle"
    assert json.dumps(host.said(session)[-1]).count("mcp_acme__plain") == 4
