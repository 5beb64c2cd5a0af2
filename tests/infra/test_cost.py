from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from infra import cost
from infra.cost import Model, Pattern, load_prices
from infra.local.engine import Engine
from infra.measured_run import Steps, measure

FREE = {
    "per_unit": dict.fromkeys(load_prices()["per_unit"], 0.0),
    "per_month": load_prices()["per_month"],
    "assumptions": load_prices()["assumptions"],
}
EMPTY: dict[str, dict[str, float]] = {
    name: {}
    for name in (
        "create",
        "first poll of a minute",
        "poll",
        "notice",
        "timer",
        "answer",
        "collect",
    )
}


def _priced(unit: str, price: float = 1.0) -> dict[str, Any]:
    return {**FREE, "per_unit": {**FREE["per_unit"], unit: price}}


@pytest.fixture(scope="module")
def steps(engine: Engine) -> Steps:
    """A real run (the session's engine is only there so that two do not start at once)."""
    assert engine.alive
    return measure()


def test_a_run_counts_what_the_design_allows(steps: Steps) -> None:
    """Design 15: a poll is one read of half a unit and nothing else."""
    assert steps["poll"] == {"read_unit": 0.5}
    assert steps["create"]["sqs_request"] <= 2
    assert steps["answer"]["read_unit"] <= 3, "question, session, and the API key once a minute"
    assert steps["notice"]["sns_publish"] == 1
    assert steps["first poll of a minute"]["write_unit"] > 0


def test_every_step_is_there(steps: Steps) -> None:
    assert steps.keys() == EMPTY.keys()


def test_polls_are_counted_by_their_interval() -> None:
    model = Model(EMPTY, _priced("api_request"))

    assert model.waiting(Pattern(5), 3600) == pytest.approx(720)
    assert model.waiting(Pattern(2), 3600) == pytest.approx(1800)
    assert model.waiting(Pattern(1, hold=20), 3600) == pytest.approx(180)


def test_a_question_is_asked_answered_and_collected_once_beside_its_polls() -> None:
    model = Model(EMPTY, _priced("api_request"))

    assert model.question(Pattern(10), open_seconds=600) == pytest.approx(60 + 3)


def test_a_held_poll_pays_for_the_time_and_for_looking() -> None:
    seconds = Model(EMPTY, _priced("lambda_gb_second"))
    looks = Model(EMPTY | {"poll": {"read_unit": 0.5}}, _priced("read_unit"))

    assert seconds.waiting(Pattern(1, hold=20), 20) == pytest.approx(20.02 * 0.5)
    assert looks.waiting(Pattern(1, hold=20), 200) > 10 * 50 * 0.5


def test_a_timer_is_sent_again_every_quarter_of_an_hour() -> None:
    """Once too often at the end: the last message comes when the answer is there."""
    model = Model(EMPTY | {"timer": {"sqs_request": 0}}, _priced("lambda_request"))
    short, long = (model.question(Pattern(1e9), open_seconds=s) for s in (60, 3600))

    assert long - short == pytest.approx(3, abs=0.01)


def test_the_row_is_noted_once_a_minute() -> None:
    steps = EMPTY | {"first poll of a minute": {"write_unit": 1.0}}

    assert Model(steps, _priced("write_unit")).waiting(Pattern(5), 600) == pytest.approx(10)


def test_an_idle_stack_costs_what_it_keeps() -> None:
    month = FREE["per_month"]

    assert Model(EMPTY, FREE).fixed(alarms=2, metrics=1, queues=3) == pytest.approx(
        2 * month["alarm"] + month["custom_metric"] + month["kms_key"] + month["secret"]
    )


def test_alarms_are_billed_by_the_metrics_they_watch() -> None:
    plain: dict[str, Any] = {"MetricName": "x"}
    math: dict[str, Any] = {
        "Metrics": [{"Expression": "a+b"}, {"MetricStat": 1}, {"MetricStat": 2}]
    }
    kind = "AWS::CloudWatch::Alarm"
    alarms = {"A": {"Type": kind, "Properties": plain}, "B": {"Type": kind, "Properties": math}}

    assert cost.alarmed_metrics({"Resources": alarms}) == 3


def test_the_prices_say_of_when_they_are() -> None:
    assert date.fromisoformat(load_prices()["as_of"])


def test_holding_costs_more_than_polling_every_five_seconds(steps: Steps) -> None:
    """The reason for short polls : one execution is held all the while."""
    model = Model(steps, load_prices())

    assert model.waiting(Pattern(1, hold=20), 3600) > 4 * model.waiting(Pattern(5), 3600)


def test_the_tables_have_a_line_for_each_pattern_and_step(steps: Steps) -> None:
    model = Model(steps, load_prices())
    patterns = [Pattern(2), Pattern(1, 20)]

    assert len(cost.table(model, patterns, open_minutes=10).splitlines()) == 2 + len(patterns)
    assert len(cost.units_table(steps).splitlines()) == 2 + len(steps)
