"""What fails ends in a retry, then in the right dead-letter queue, with an alarm behind it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chalicelib.bootstrap import Services
from chalicelib.jobs import cleanup, notices, timers
from chalicelib.storage.outbox import CLAIM_LASTS
from infra.local.pump import sqs_event
from infra.local.resources import Clients, ensure_queue, queue_arn
from infra.template import Resolver, functions
from tests.infra.alarm_evaluator import Metrics, is_firing
from tests.parley import Parley, SharedServices, receive

Job = Callable[[Mapping[str, Any], Services], dict[str, Any]]

_numbers = itertools.count(1)


class Alarms:
    """The template's alarms over what happened in one test."""

    def __init__(self, template: dict[str, Any]) -> None:
        self.template, self.metrics = template, Metrics()

    def dead_letters(self, queue: str, depth: int) -> None:
        """What SQS would report of a dead-letter queue."""
        name = "ApproximateNumberOfMessagesVisible"
        self.metrics.put("AWS/SQS", name, depth, dimensions={"QueueName": queue})

    def firing(self, name: str) -> bool:
        """Whether an alarm fires. A queue's name is its logical id here."""
        names = {f: f for f in functions(self.template)} | {"IncidentsTopic": "topic"}
        for queue in ("Timers", "Notices"):
            names[f"{queue}DeadLetters.QueueName"] = f"{queue}DeadLetters"
        alarm = self.template["Resources"][name]["Properties"]
        return is_firing(Resolver(self.template, names).resolve(alarm), self.metrics)


@pytest.fixture
def alarms(template: dict[str, Any]) -> Alarms:
    return Alarms(template)


def _until_dead(
    template: dict[str, Any], aws: Clients, body: str, job: Job, services: Services, kind: str
) -> list[str]:
    """Hand a message to a function until its queue gives up; returns the dead letters' bodies.

    The queue has the template's receive limit and shows a failed message again at once.
    """
    tries = template["Resources"][f"{kind}Queue"]["Properties"]["RedrivePolicy"]["maxReceiveCount"]
    name = f"dropped-{next(_numbers)}"
    url = ensure_queue(aws.sqs, name, visibility_seconds=0, max_receive_count=tries)
    aws.sqs.send_message(QueueUrl=url, MessageBody=body)
    arn = queue_arn(aws.sqs, url)
    handed = 0
    while messages := receive(aws, url):
        failed = job(sqs_event(messages, arn), services)["batchItemFailures"]
        assert [f["itemIdentifier"] for f in failed] == [m["MessageId"] for m in messages]
        handed += 1
    assert handed == tries
    dead = aws.sqs.get_queue_url(QueueName=f"{name}-dlq")["QueueUrl"]
    return [message["Body"] for message in receive(aws, dead)]


@pytest.mark.parametrize("body", ["not json", "[]", '{"key": null}', '{"kind": "needs_input"}'])
def test_a_poisoned_message_ends_in_the_dead_letters_and_pages(
    template: dict[str, Any], aws: Clients, parley: Parley, alarms: Alarms, body: str
) -> None:
    dead = _until_dead(template, aws, body, notices.deliver_notices, parley.services, "Notices")

    assert dead == [body]
    alarms.dead_letters("NoticesDeadLetters", len(dead))
    assert alarms.firing("NoticesDeadLettersAlarm")


def test_a_poisoned_message_does_not_take_its_batch_along(parley: Parley) -> None:
    asked = parley.ask(parley.open_session()).json["requestId"]
    good = {"messageId": "good", "body": json.dumps({"key": asked, "kind": "needs_input"})}
    event = {"Records": [{"messageId": "bad", "body": "{"}, good]}

    failed = notices.deliver_notices(event, parley.services)

    assert failed == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert [mail["request_id"] for mail in parley.mails()] == [asked]


def test_a_failing_sns_pages_and_the_notice_stays_due(
    template: dict[str, Any],
    aws: Clients,
    parley: Parley,
    alarms: Alarms,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = parley.ask(parley.open_session()).json["requestId"]
    aws.sqs.purge_queue(QueueUrl=parley.services.settings.notices_queue_url)
    gone = "arn:aws:sns:us-east-1:000000000000:gone"
    broken = _with(parley, PARLEY_NEEDS_INPUT_TOPIC_ARN=gone)
    # A claim keeps others off for a minute; on AWS each try comes three minutes after the last.
    deliver = _later(parley, notices.deliver_notices)
    body = json.dumps({"key": asked, "kind": "needs_input"})

    dead = _until_dead(template, aws, body, deliver, broken, "Notices")

    assert dead == [body]
    written = capsys.readouterr().out
    for period in (0, 1):
        alarms.metrics.put_emf(written, period=period)
    assert alarms.firing("NoticesFailing")
    parley.clock.turn(minutes=5)
    assert parley.clean_up()["resent"] == 1
    parley.run_queue("notices")
    assert [mail["request_id"] for mail in parley.mails()] == [asked]


def _with(parley: Parley, **environ: str) -> Services:
    return SharedServices({**parley.environ, **environ}, clock=parley.clock)


def _later(parley: Parley, job: Job) -> Job:
    def run(event: Mapping[str, Any], services: Services) -> dict[str, Any]:
        parley.clock.turn(minutes=2)
        return job(event, services)

    return run


def test_a_database_error_on_a_deadline_ends_in_the_dead_letters_and_pages(
    template: dict[str, Any], aws: Clients, parley: Parley, alarms: Alarms
) -> None:
    broken = _with(parley, PARLEY_TABLE="no-such-table")
    body = json.dumps({"key": "5b0c2f9e-7f0a-4d61-9c1e-000000000000"})

    dead = _until_dead(template, aws, body, timers.run_timers, broken, "Timers")

    assert dead == [body]
    alarms.dead_letters("TimersDeadLetters", len(dead))
    assert alarms.firing("TimersDeadLettersAlarm")


def test_a_database_error_in_cleanup_fails_the_tick_and_pages(
    parley: Parley, alarms: Alarms
) -> None:
    """Lambda counts the exception and tries again; the template keeps what failed three times."""
    broken = _with(parley, PARLEY_TABLE="no-such-table")

    with pytest.raises(Exception, match="ResourceNotFoundException"):
        cleanup.cleanup(broken)

    alarms.metrics.put("AWS/Lambda", "Errors", 1, dimensions={"FunctionName": "Cleanup"})
    assert alarms.firing("FunctionErrors")
    assert alarms.firing("CleanupHeartbeat")


def test_a_database_error_behind_the_api_is_an_answer_and_a_page(
    parley: Parley, alarms: Alarms, capsys: pytest.CaptureFixture[str]
) -> None:
    session = parley.open_session()
    parley.services.__dict__["world"] = _with(parley, PARLEY_TABLE="no-such-table").world

    answer = parley.ask(session)

    assert (answer.status, answer.code) == (500, "server_error")
    alarms.metrics.put_emf(capsys.readouterr().out)
    assert alarms.firing("ViewErrors")


def test_a_failed_delivery_is_tried_again_only_after_its_claim_lapsed(
    template: dict[str, Any],
) -> None:
    """Tried sooner, it would look done: another delivery seems to have it in hand."""
    queue = template["Resources"]["NoticesQueue"]["Properties"]["VisibilityTimeout"]
    function = template["Resources"]["DeliverNotices"]["Properties"]["Timeout"]

    assert function < CLAIM_LASTS.total_seconds() < queue
