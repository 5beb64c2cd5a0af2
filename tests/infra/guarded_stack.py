"""A deployed stack on the engine: each function on its own variables and in its own role."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import boto3
from botocore.stub import Stubber

from chalicelib.api.poll_plane import answer_poll
from chalicelib.bootstrap import Services
from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.domain.upstream import (
    Accepted,
    Answered,
    Asks,
    Outcome,
    ToolSpec,
    UpstreamRecord,
    WantedUrl,
)
from chalicelib.jobs import notices, timers, turns
from chalicelib.usecases.turn_ports import Relay
from infra.local.pump import sqs_event
from infra.local.resources import Clients
from infra.template import Resolver, environment_of
from tests.infra.policy_simulator import Guard, Policies
from tests.parley import Parley, path_of, receive

ACCOUNT = "arn:aws:{}:us-east-1:123456789012:{}"

MODEL = "arn:aws:bedrock:us-east-1::foundation-model/of-a-test"

LOGICAL_IDS = {
    "api_handler": "APIHandler",
    "poll": "Poll",
    "run_timers": "RunTimers",
    "deliver_notices": "DeliverNotices",
    "run_turns": "RunTurns",
    "cleanup": "Cleanup",
    "probe": "Probe",
}


@dataclass
class Upstream:
    """A server in the place of the network: asks for a page first, then answers."""

    record: UpstreamRecord
    read_credential: Any
    known: Mapping[str, Any] | None = None

    def call(self, tool: str, arguments: Mapping[str, Any], accepted: Accepted | None) -> Outcome:
        """What a call of any tool gets."""
        self.read_credential(self.record.credential)
        self.known = {"era": "modern"}
        if accepted is None:
            wanted = WantedUrl("page", "https://pay.example/connect", "Connect your account")
            return Asks((wanted,), state="opaque")
        return Answered({"content": [{"type": "text", "text": f"{tool} done"}]})

    def tools(self) -> list[ToolSpec]:
        """None."""
        return []


class GuardedServices(Services):
    """One function's services: its environment, its role."""

    guard: Guard

    def _client(self, service: str, timeouts: Mapping[str, int]) -> Any:
        """Of one boto3 session for all, which is most of the cost of a client."""
        made = boto3.client(service, endpoint_url=self.settings.engine_url)  # type: ignore[call-overload]
        return self.guard.watch(made)

    def bedrock(self) -> Any:
        """A model that has one thing to say."""
        client = super().bedrock()
        stubber = Stubber(client)
        message = {"role": "assistant", "content": [{"text": "Done."}]}
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        answer = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}
        stubber.add_response("converse", answer | {"metrics": {"latencyMs": 1}})
        stubber.activate()
        return client

    @cached_property
    def relay(self) -> Relay:
        """With a server that is not on the network."""
        made = super().relay
        credential = made.connect.credential  # type: ignore[attr-defined]
        return replace(made, connect=lambda record, **_: Upstream(record, credential))

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
        parameters = {"PublicBaseUrl": "https://ask.example", "BedrockModels": MODEL}
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
            "turns": (turns.run_turns, "run_turns"),
        }[queue]
        url = str(getattr(self.parley.services.settings, f"{queue}_queue_url"))
        messages = receive(self.aws, url)
        failed = job(sqs_event(messages, self.arns[url]), self.services[function])
        assert not failed["batchItemFailures"], self.guards[function].refused
        for message in messages:
            self.aws.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return len(messages)

    def hurry(self) -> None:
        """The next worker has no time left when it looks at its clock for the second time."""
        services = self.services["run_turns"]
        relay = services.relay
        times = itertools.chain([0.0, 1e6], itertools.repeat(0.0))
        services.__dict__["relay"] = replace(relay, monotonic=lambda: next(times))

    def ring(self, **body: str) -> None:
        """A timer rings: of a question (`key`) or of a card (`session_id`, `call_id`)."""
        record = {"messageId": "m", "body": json.dumps(body)}
        failed = timers.run_timers({"Records": [record]}, self.services["run_timers"])
        assert not failed["batchItemFailures"], self.guards["run_timers"].refused
