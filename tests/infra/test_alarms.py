"""Every alarm fires on what it is for, and is quiet on a calm day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chalicelib.observability import NAMESPACE, Observer
from infra.build import ROOT
from infra.checks.alarms import own_metrics
from infra.template import Resolver, functions, of_type
from tests.infra.alarm_evaluator import Metrics, is_firing

STACK = "parley"
OWN = {"service": STACK}


def _own(name: str, *values: float) -> Callable[[Metrics], None]:
    """Values of one of our metrics, the newest period first."""

    def record(metrics: Metrics) -> None:
        for period, value in enumerate(values):
            metrics.put(NAMESPACE, name, value, period=period, dimensions=OWN)

    return record


def _aws(
    service: str, name: str, dimensions: Mapping[str, str], *values: float
) -> Callable[[Metrics], None]:
    def record(metrics: Metrics) -> None:
        for period, value in enumerate(values):
            metrics.put(f"AWS/{service}", name, value, period=period, dimensions=dimensions)

    return record


def _dead(queue: str) -> Callable[[Metrics], None]:
    name = f"{queue}.QueueName"
    return _aws("SQS", "ApproximateNumberOfMessagesVisible", {"QueueName": name}, 1)


def _gateway_pending(metrics: Metrics) -> None:
    """The log filter's metric: it has no dimensions, so its name says which stack."""
    for period in (0, 1):
        metrics.put(NAMESPACE, f"PollGatewayPending-{STACK}", 21, period=period)


def _nothing(metrics: Metrics) -> None:
    """The calm day without its heartbeat."""
    for series in [s for s in metrics.points if s[1] in ("CleanupRan", "ProbeRan")]:
        del metrics.points[series]


FIRES: list[tuple[str, Callable[[Metrics], None]]] = [
    ("ApiServerErrors", _aws("ApiGateway", "5XXError", {"ApiName": STACK}, 5, 5)),
    ("ViewErrors", _own("ServerError", 1)),
    ("FunctionErrors", _aws("Lambda", "Errors", {"FunctionName": "Poll"}, 1)),
    ("FunctionErrors", _aws("Lambda", "Errors", {"FunctionName": "RunTurns"}, 1)),
    ("FunctionThrottles", _aws("Lambda", "Throttles", {"FunctionName": "Poll"}, 11)),
    ("PollsDegraded", _own("PollDegraded", 21, 21)),
    ("PollsDegraded", _gateway_pending),
    ("TimersDeadLettersAlarm", _dead("TimersDeadLetters")),
    ("NoticesDeadLettersAlarm", _dead("NoticesDeadLetters")),
    ("TurnsDeadLettersAlarm", _dead("TurnsDeadLetters")),
    ("ScheduleDeadLettersAlarm", _dead("ScheduleDeadLetters")),
    (
        "TurnsWaiting",
        _aws("SQS", "ApproximateAgeOfOldestMessage", {"QueueName": "TurnsQueue.QueueName"}, 601),
    ),
    ("ElicitationsOverdue", _own("OldestOverdueSeconds", 601)),
    ("NoticesUndelivered", _own("OldestUndeliveredNoticeSeconds", 601)),
    ("NoticesFailing", _own("NoticeFailed", 1, 1)),
    ("PagesFailing", _own("PageFailed", 1)),
    (
        "DeliveriesFailing",
        _aws("SNS", "NumberOfNotificationsFailed", {"TopicName": "NeedsInputTopic.TopicName"}, 1),
    ),
    ("CleanupHeartbeat", _nothing),
    ("ProbeHeartbeat", _nothing),
    ("OpenProtocolInUse", _own("OpenProtocolUsed", 1)),
    ("SubscriptionsUnconfirmed", _own("UnconfirmedSubscriptions", 1, 1, 1)),
]


@pytest.fixture(scope="module")
def alarms(template: dict[str, Any]) -> dict[str, Any]:
    """Every alarm with its intrinsics resolved; a resource stands for its own physical name."""
    names = {name: name for name in [*functions(template), "IncidentsTopic"]}
    queues = {f"{n}.QueueName": f"{n}.QueueName" for n in of_type(template, "AWS::SQS::Queue")}
    topics = {f"{n}.TopicName": f"{n}.TopicName" for n in of_type(template, "AWS::SNS::Topic")}
    resolver = Resolver(template, names | queues | topics)
    found: dict[str, Any] = resolver.resolve(of_type(template, "AWS::CloudWatch::Alarm"))
    return found


def calm_day() -> Metrics:
    """Some traffic, nothing late, every heartbeat there."""
    metrics = Metrics()
    for period in range(3):
        for name, value in (
            ("CleanupRan", 1),
            ("ProbeRan", 1),
            ("ElicitationCreated", 7),
            ("OldestOverdueSeconds", 45),
            ("OldestUndeliveredNoticeSeconds", 0),
            ("UnconfirmedSubscriptions", 0),
            ("PollDegraded", 1),
        ):
            metrics.put(NAMESPACE, name, value, period=period, dimensions=OWN)
        metrics.put("AWS/Lambda", "Errors", 0, period=period, dimensions={"FunctionName": "Poll"})
    return metrics


def test_every_alarm_is_made_to_fire(alarms: dict[str, Any]) -> None:
    assert {name for name, _ in FIRES} == set(alarms)


@pytest.mark.parametrize(("name", "trouble"), FIRES)
def test_an_alarm_fires_on_what_it_is_for(
    alarms: dict[str, Any], name: str, trouble: Callable[[Metrics], None]
) -> None:
    metrics = calm_day()
    assert not is_firing(alarms[name], metrics)

    trouble(metrics)

    assert is_firing(alarms[name], metrics)


def test_the_trouble_of_another_stack_fires_nothing(
    alarms: dict[str, Any], template: dict[str, Any]
) -> None:
    """Staging and production may share an account."""
    metrics = calm_day()
    for name in own_metrics(template):
        for period in range(3):
            metrics.put(NAMESPACE, name, 99, period=period, dimensions={"service": "other"})

    assert not [name for name, alarm in alarms.items() if is_firing(alarm, metrics)]


def test_every_metric_that_an_alarm_reads_is_written_somewhere(template: dict[str, Any]) -> None:
    """A name changed on one side only would make an alarm that never fires."""
    code = "".join(path.read_text() for path in (ROOT / "chalicelib").rglob("*.py"))

    assert own_metrics(template) == {n for n in own_metrics(template) if f'"{n}"' in code}


def test_one_slow_period_is_not_two(alarms: dict[str, Any]) -> None:
    metrics = calm_day()
    _own("NoticeFailed", 1)(metrics)

    assert not is_firing(alarms["NoticesFailing"], metrics)


def test_what_the_service_writes_is_what_the_alarms_read(
    alarms: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Namespace, dimension and value survive the way through the log."""
    observer = Observer(STACK)
    observer.count("ServerError")
    observer.seconds("OldestOverdueSeconds", 700)
    observer.flush()
    metrics = calm_day()
    metrics.put_emf(capsys.readouterr().out)

    assert is_firing(alarms["ViewErrors"], metrics)
    assert is_firing(alarms["ElicitationsOverdue"], metrics)
