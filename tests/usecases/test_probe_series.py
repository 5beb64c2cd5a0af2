"""Whole series of probes: pages and recoveries are counted exactly."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.gate import Health, ProbeResult, worst
from chalicelib.domain.incident import STALE_AFTER, PageKind, Thresholds, gate_state
from chalicelib.usecases.page_incident import deliver_pages
from chalicelib.usecases.probe_endpoint import Probing, probe_endpoint
from tests.usecases.fake_incidents import (
    DEGRADED,
    DOWN,
    LETTERS,
    OK,
    START,
    TICK,
    FakeIncidents,
    FakePager,
    TestClock,
)

URL = "https://p.example/probe"


class Run:
    """Ticks of probe and delivery, as the schedule makes them."""

    def __init__(self, bad: int = 1, good: int = 2) -> None:
        self.store, self.pager, self.clock = FakeIncidents(), FakePager(), TestClock()
        self.thresholds = Thresholds(bad, good)
        self.facts: list[str] = []

    def probe(self, result: ProbeResult) -> bool:
        probing = Probing(
            prober=lambda _: result,
            incidents=self.store,
            clock=self.clock,
            thresholds=self.thresholds,
        )
        done = probe_endpoint([URL], probing=probing)
        self.facts += [fact.type for fact in done.facts]
        return bool(done.value["recorded"])

    def deliver(self) -> dict[str, int]:
        done = deliver_pages(incidents=self.store, pager=self.pager, clock=self.clock)
        return dict(done.value)

    def tick(self, letter: str) -> None:
        self.clock.now += TICK
        self.probe(LETTERS[letter])
        self.deliver()

    def series(self, letters: str) -> Run:
        for letter in letters:
            self.tick(letter)
        return self

    @property
    def told(self) -> tuple[int, int]:
        return self.pager.count("page"), self.pager.count("recovery")

    @property
    def health(self) -> Health:
        return gate_state(self.store.state, self.clock.now).health


@pytest.mark.parametrize(
    ("letters", "pages", "recoveries", "health"),
    [
        ("", 0, 0, Health.UNKNOWN),
        ("uuuuuu", 0, 0, Health.OK),
        ("dddddd", 1, 0, Health.DOWN),
        ("dudududu", 1, 0, Health.DOWN),
        ("dududuu", 1, 1, Health.OK),
        ("uddduu", 1, 1, Health.OK),
        ("du", 1, 0, Health.DOWN),
        ("duu", 1, 1, Health.OK),
        ("duuduu", 2, 2, Health.OK),
        ("duud", 2, 1, Health.DOWN),
        ("gggg", 0, 0, Health.DEGRADED),
        ("dgg", 1, 1, Health.DEGRADED),
        ("dgdg", 1, 0, Health.DOWN),
    ],
)
def test_one_page_and_one_recovery_for_each_incident(
    letters: str, pages: int, recoveries: int, health: Health
) -> None:
    run = Run().series(letters)
    assert run.told == (pages, recoveries)
    assert run.health is health
    assert len(run.store.history(limit=100)) == pages


@pytest.mark.parametrize(
    ("bad", "good", "letters", "pages", "recoveries"),
    [
        (2, 2, "dudududu", 0, 0),
        (2, 2, "ddu", 1, 0),
        (3, 1, "ddudddu", 1, 1),
        (1, 1, "dudu", 2, 2),
        (1, 3, "duudduuu", 1, 1),
    ],
)
def test_thresholds_count_probes_in_a_row(
    bad: int, good: int, letters: str, pages: int, recoveries: int
) -> None:
    assert Run(bad, good).series(letters).told == (pages, recoveries)


def test_every_down_tick_warns_and_every_degraded_one_too() -> None:
    run = Run().series("ddgd")
    assert run.facts.count("probe.down") == 3
    assert run.facts.count("probe.degraded") == 1
    assert run.facts.count("incident.opened") == 1


def test_an_incident_counts_its_probes_and_flaps_and_keeps_its_key() -> None:
    run = Run().series("dududduu")
    [incident] = run.store.history(limit=10)
    assert (incident.probes, incident.bad_probes, incident.flaps) == (8, 4, 2)
    assert incident.started_at == START + TICK
    assert incident.ended_at == START + 8 * TICK
    assert {key for _, key in run.pager.sent} == {incident.key}
    assert incident.key == "gate-unreachable-20260504T090500.000Z"


def test_an_incident_starts_at_the_first_of_the_bad_probes_that_opened_it() -> None:
    [incident] = Run(bad=3).series("uddd").store.history(limit=1)
    assert incident.started_at == START + 2 * TICK
    assert incident.bad_probes == 3


def test_messages_say_kind_url_duration_and_counts() -> None:
    run = Run().series("dduduu")
    page, recovery = run.pager.messages
    assert page.startswith("Parley: gate unreachable (refused)\n")
    assert "the connection was refused" in page
    assert "URL: https://p.example" in page
    assert recovery.startswith("Parley: gate reachable again after 25 min 0 s\n")
    assert "3 of 6 probes failed; it went down again once" in recovery


def test_no_result_at_all_leaves_the_health_unknown_and_the_incident_open() -> None:
    run = Run().series("d")
    run.clock.now += STALE_AFTER + timedelta(seconds=1)
    state = gate_state(run.store.state, run.clock.now)
    assert (state.health, state.is_broken) == (Health.UNKNOWN, True)


@pytest.mark.parametrize("failures", [1, 2, 5])
def test_a_page_that_was_not_delivered_is_sent_by_a_later_tick(failures: int) -> None:
    run = Run()
    run.pager.failures = failures
    run.series("d" * (failures + 2) + "uu")
    assert run.told == (1, 1)


def test_a_page_still_goes_out_when_the_incident_ended_before_it_could() -> None:
    run = Run()
    run.pager.failures = 3
    run.series("duu")
    assert run.told == (0, 0)
    run.tick("u")
    assert [kind for kind, _ in run.pager.sent] == ["page", "recovery"]
    assert "was unreachable (it is over)" in run.pager.messages[0]


def test_incidents_that_piled_up_undelivered_are_each_told_once_in_order() -> None:
    run = Run()
    run.pager.failures = 9
    run.series("duuduuduu")
    run.tick("u")
    keys = [incident.key for incident in reversed(run.store.history(limit=10))]
    told = [(kind, key) for key in keys for kind in ("page", "recovery")]
    assert run.pager.sent == told


def test_what_piles_up_for_ever_is_bounded_and_stays_in_the_history() -> None:
    run = Run()
    run.pager.failures = 10_000
    run.series("duu" * 25)
    assert len(run.store.state.incidents) == 20
    assert len(run.store.history(limit=100)) == 25
    assert "incident.forgotten" in run.facts


def test_a_restart_in_the_middle_changes_nothing() -> None:
    first = Run().series("ud")
    second = Run()
    second.store, second.pager, second.clock = first.store, first.pager, first.clock
    assert second.series("dduu").told == (1, 1)


class RacingIncidents(FakeIncidents):
    """Lets something else happen just before the next save."""

    def __init__(self, run: Run, meanwhile: str) -> None:
        super().__init__()
        self.run, self.meanwhile = run, meanwhile

    def save(self, before: object, after: object) -> object:  # type: ignore[override]
        if self.meanwhile:
            self.meanwhile, meanwhile = "", self.meanwhile
            getattr(self, meanwhile)()
        return super().save(before, after)  # type: ignore[arg-type]

    def other_prober(self) -> None:
        assert self.run.probe(DOWN)
        self.run.deliver()

    def other_sender(self) -> None:
        self.run.deliver()


def racing(meanwhile: str, *, bad: int = 1) -> Run:
    run = Run(bad=bad)
    run.store = RacingIncidents(run, meanwhile)
    return run


@pytest.mark.parametrize("bad", [1, 2])
def test_two_probers_at_once_are_one_tick_and_one_page(bad: int) -> None:
    run = racing("other_prober", bad=bad)
    assert not run.probe(DOWN)
    run.deliver()
    assert run.told == ((1, 0) if bad == 1 else (0, 0))
    assert run.store.state.bad_count == 1


def test_a_probe_that_lost_to_a_stamp_is_applied_on_top_of_it() -> None:
    run = racing("")
    run.probe(DOWN)
    assert isinstance(run.store, RacingIncidents)
    run.store.meanwhile = "other_sender"
    run.clock.now += TICK
    assert run.probe(DOWN)
    run.deliver()
    assert run.told == (1, 0)
    assert run.store.state.bad_count == 2


def test_two_senders_at_once_page_once() -> None:
    run = racing("")
    run.probe(DOWN)
    assert isinstance(run.store, RacingIncidents)
    run.store.meanwhile = "other_sender"
    assert run.deliver() == {"sent": 0, "failed": 0}
    assert run.told == (1, 0)


def test_a_second_sender_leaves_a_page_that_is_in_hand() -> None:
    run = Run()
    run.probe(DOWN)

    class Sender(FakePager):
        def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
            assert run.deliver() == {"sent": 0, "failed": 0}
            super().page(subject, message, key=key, kind=kind)

    sender = Sender()
    done = deliver_pages(incidents=run.store, pager=sender, clock=run.clock)
    assert (done.value["sent"], run.told) == (1, (0, 0))


def test_a_sender_that_died_with_its_claim_holds_the_page_back_for_a_minute_only() -> None:
    run = Run()
    run.probe(DOWN)

    class Dying(FakePager):
        def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deliver_pages(incidents=run.store, pager=Dying(), clock=run.clock)
    run.clock.now += timedelta(seconds=59)
    assert run.deliver() == {"sent": 0, "failed": 0}
    run.clock.now += timedelta(seconds=1)
    assert run.deliver() == {"sent": 1, "failed": 0}


@pytest.mark.parametrize("jump", [timedelta(days=-3), timedelta(days=3)], ids=["back", "forward"])
def test_a_jumping_clock_makes_no_extra_page_and_no_negative_duration(jump: timedelta) -> None:
    run = Run().series("ud")
    run.clock.now += jump
    run.series("dduu")
    [incident] = run.store.history(limit=10)
    assert run.told == (1, 1)
    assert incident.lasted(run.clock.now) >= timedelta()


def test_a_claim_from_the_future_is_void_after_the_clock_was_set_back() -> None:
    run = Run()
    run.probe(DOWN)
    state = run.store.state
    claimed = replace(state.incidents[0], claimed_at=START + timedelta(days=1))
    run.store.state = replace(state, incidents=(claimed,))
    assert run.deliver() == {"sent": 1, "failed": 0}


def test_a_result_from_the_future_leaves_the_health_unknown() -> None:
    run = Run().series("u")
    run.clock.now -= timedelta(days=1)
    assert run.health is Health.UNKNOWN


def test_development_probes_nothing() -> None:
    run = Run()
    probing = Probing(
        prober=lambda _: pytest.fail("probed"),
        incidents=run.store,
        clock=run.clock,
        thresholds=run.thresholds,
    )
    done = probe_endpoint([URL], probing=probing, active=False)
    assert (done.value, done.facts, run.store.state.version) == ({"probed": False}, (), 0)


def test_the_worst_of_several_urls_counts() -> None:
    assert worst([OK, DOWN, DEGRADED]) is DOWN
    assert worst([OK, DEGRADED]) is DEGRADED
    assert worst([OK, OK]) is OK


@given(st.text("udg", max_size=40), st.integers(1, 3), st.integers(1, 3))
def test_pages_and_recoveries_always_match_the_incidents(letters: str, bad: int, good: int) -> None:
    run = Run(bad, good).series(letters)
    history = run.store.history(limit=100)
    ended = sum(incident.ended_at is not None for incident in history)
    assert run.told == (len(history), ended)
    assert run.facts.count("incident.opened") == len(history)
    assert run.facts.count("incident.closed") == ended


def test_a_closed_incident_needs_nothing_more_once_both_messages_are_out() -> None:
    [incident] = Run().series("duu").store.history(limit=1)
    assert incident.is_settled
    assert replace(incident, recovery_paged_at=None).due is PageKind.RECOVERY
