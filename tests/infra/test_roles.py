"""The service with nothing but what the template gives: each function its variables and its role.

One walk through everything that a deployed stack does. A call outside a role is refused, and so
fails the walk; a right that the walk never uses has no reason to be there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import boto3
import pytest

from chalicelib.api.poll_plane import answer_poll
from chalicelib.bootstrap import Services
from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.jobs import cleanup, notices, probe, timers
from infra.local.pump import sqs_event
from infra.local.resources import Clients
from infra.template import Resolver, environment_of
from tests.infra.policy_simulator import Guard, Policies
from tests.parley import Parley, path_of, receive

ACCOUNT = "arn:aws:{}:us-east-1:123456789012:{}"

LOGICAL_IDS = {
    "api_handler": "APIHandler",
    "poll": "Poll",
    "run_timers": "RunTimers",
    "deliver_notices": "DeliverNotices",
    "cleanup": "Cleanup",
    "probe": "Probe",
}


class GuardedServices(Services):
    """One function's services: its environment, its role."""

    guard: Guard

    def _client(self, service: str, timeouts: Mapping[str, int]) -> Any:
        """Of one boto3 session for all, which is most of the cost of a client."""
        made = boto3.client(service, endpoint_url=self.settings.engine_url)  # type: ignore[call-overload]
        return self.guard.watch(made)

    def prober(self, url: str) -> ProbeResult:
        """The network is another test's."""
        return ProbeResult(kind=ProbeKind.REFUSED, detail="refused", url=url)


class Stack:
    """What a deployed stack is, on the engine."""

    def __init__(self, template: dict[str, Any], parley: Parley, aws: Clients) -> None:
        self.parley, self.aws = parley, aws
        settings = parley.services.settings
        key = aws.kms.create_key()["KeyMetadata"]["Arn"]
        incidents = aws.sns.create_topic(Name="parley-tests-incidents")["TopicArn"]
        values = {
            "Table": settings.table,
            "SigningSecret": settings.signing_secret_id,
            "NeedsInputTopic": settings.needs_input_topic_arn,
            "IncidentsTopic": incidents,
            "PollApi": "pollapi",
            "Key.Arn": key,
            "Table.Arn": ACCOUNT.format("dynamodb", f"table/{settings.table}"),
            "ScheduleDeadLetters.Arn": ACCOUNT.format("sqs", "schedule-dead-letters"),
        }
        self.arns = {
            settings.table: values["Table.Arn"],
            settings.signing_secret_id: settings.signing_secret_id,
            key: key,
        }
        for name in ("Timers", "Notices", "Turns"):
            url = str(getattr(settings, f"{name.lower()}_queue_url"))
            values[f"{name}Queue"] = url
            values[f"{name}Queue.Arn"] = self.arns[url] = ACCOUNT.format("sqs", name)
        parameters = {"PublicBaseUrl": "https://ask.example"}
        self.resolver = Resolver(template, values, parameters)
        self.policies = Policies(self.resolver)
        self.guards = {name: Guard(self.policies, name, self.arns) for name in LOGICAL_IDS}
        self.services = {name: self._services(template, name) for name in LOGICAL_IDS}

    def _services(self, template: dict[str, Any], function: str) -> Services:
        environ = self.resolver.resolve(environment_of(template, LOGICAL_IDS[function]))
        environ["PARLEY_ENGINE_URL"] = self.parley.services.settings.engine_url
        made = GuardedServices(environ, clock=self.parley.clock)
        made.guard = self.guards[function]
        return made

    def client(self) -> Parley:
        """The main API, as its function runs it."""
        made = Parley.__new__(Parley)
        made.__dict__.update(self.parley.__dict__)
        made.services = self.services["api_handler"]
        key = self.parley.key  # issued by an operator, not by the function
        made.new_key = lambda *_: key  # type: ignore[method-assign]
        made.__post_init__()
        return made

    def poll(self, session: Mapping[str, Any], request_id: str) -> Any:
        """A poll through the poll plane."""
        token = path_of(session["env"]["ELICITATION_POLL_URL"]).rpartition("/")[2]
        return self.poll_event({"token": token, "request_id": request_id}, {})

    def poll_event(self, parameters: dict[str, str], headers: dict[str, str]) -> Any:
        """A proxy event of the poll API."""
        event = {"httpMethod": "GET", "pathParameters": parameters, "headers": headers}
        got = answer_poll(event, self.services["poll"])
        assert got["statusCode"] == 200, got
        return json.loads(got["body"])

    def drain(self, queue: str) -> int:
        """Hand a queue's messages to their function; returns how many there were."""
        job, function = {
            "timers": (timers.run_timers, "run_timers"),
            "notices": (notices.deliver_notices, "deliver_notices"),
        }[queue]
        url = str(getattr(self.parley.services.settings, f"{queue}_queue_url"))
        messages = receive(self.aws, url)
        failed = job(sqs_event(messages, self.arns[url]), self.services[function])
        assert not failed["batchItemFailures"], self.guards[function].refused
        for message in messages:
            self.aws.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return len(messages)

    def ring(self, request_id: str) -> None:
        """A question's timer rings."""
        record = {"messageId": "m", "body": json.dumps({"key": request_id})}
        failed = timers.run_timers({"Records": [record]}, self.services["run_timers"])
        assert not failed["batchItemFailures"], self.guards["run_timers"].refused


def _walk(stack: Stack) -> None:
    api, clock = stack.client(), stack.parley.clock
    session = api.open_session(title="Release")
    _ask_and_answer(stack, api, session)
    _expire(stack, api, session)
    api.http("GET", "/api/v1/sessions")
    api.events(session["id"])
    _browse(api, session)
    assert api.http("PUT", "/api/v1/secrets/token", {"value": "x"}).status == 200
    assert api.ask(session).status == 201
    clock.turn(minutes=5)
    cleanup.cleanup(stack.services["cleanup"])
    for _ in range(2):
        probe.probe(stack.services["probe"])
    api.http("GET", "/api/v1/gate")
    assert api.http("DELETE", f"/api/v1/sessions/{session['id']}").status < 300


def _ask_and_answer(stack: Stack, api: Parley, session: dict[str, Any]) -> None:
    asked = api.ask(session).json["requestId"]
    assert stack.poll(session, asked)["action"] == "pending"
    assert stack.drain("notices") == 1
    stack.ring(asked)
    assert api.respond(asked, "accept", {"confirm": True}).status == 200
    assert stack.poll(session, asked)["action"] == "accept"
    bare = {"x-api-key": stack.parley.key}
    assert stack.poll_event({"request_id": asked}, bare)["action"] == "accept"
    withdrawn = api.ask(session).json["requestId"]
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    assert api.http("DELETE", f"{path}/{withdrawn}", key=None).status == 200


def _expire(stack: Stack, api: Parley, session: dict[str, Any]) -> None:
    """Once by poll, once by timer, once by cleanup; and once with a reminder before."""
    by_poll, by_timer, by_cleanup = (api.ask(session).json["requestId"] for _ in range(3))
    stack.parley.clock.turn(minutes=40)
    stack.ring(by_poll)
    stack.parley.clock.turn(minutes=25)
    assert stack.poll(session, by_poll)["action"] != "pending"
    stack.ring(by_timer)
    cleanup.cleanup(stack.services["cleanup"])
    assert stack.poll(session, by_cleanup)["action"] != "pending"
    assert stack.drain("notices")


def _browse(api: Parley, session: dict[str, Any]) -> None:
    assert api.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").status == 200
    assert api.http("GET", "/sign-in").status == 200
    form = {"content-type": "application/x-www-form-urlencoded"}
    api.http("POST", "/sign-in", raw=b"key=x", headers=form)


@pytest.fixture
def stack(template: dict[str, Any], parley: Parley, aws: Clients) -> Stack:
    return Stack(template, parley, aws)


def test_every_call_is_in_its_functions_role_and_every_right_is_used(stack: Stack) -> None:
    _walk(stack)

    refused = {name: guard.refused for name, guard in stack.guards.items() if guard.refused}
    unused = {
        name: sorted(stack.policies.granted(name) - guard.used)
        for name, guard in stack.guards.items()
        if stack.policies.granted(name) - guard.used
    }
    assert not refused
    assert not unused


def test_every_function_runs_on_the_environment_of_the_template(stack: Stack) -> None:
    for name, services in stack.services.items():
        settings = services.settings
        assert settings.stage == "production", name
        assert settings.base_url == "https://ask.example", name
        assert settings.service == "parley", name
        assert settings.table, name


def test_askers_are_sent_to_the_poll_plane(stack: Stack) -> None:
    session = stack.client().open_session()

    assert session["env"]["ELICITATION_POLL_URL"].startswith(
        "https://pollapi.execute-api.us-east-1.amazonaws.com/parley/api/v1/elicitations/session/"
    )
    assert session["env"]["ELICITATION_REQUEST_URL"].startswith("https://ask.example/api/v1/")
