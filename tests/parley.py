"""The whole service in process, on the real engine: what flow and surface tests talk to."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from app import create_app
from chalicelib.bootstrap import Services, utc_now
from chalicelib.domain.principal import Scope
from chalicelib.jobs import cleanup, notices, timers
from chalicelib.keys import issue
from infra.local.gateway import Gateway
from infra.local.pump import sqs_event
from infra.local.resources import Clients, ensure_queue, queue_arn
from infra.local.server import make_thread_safe
from infra.local.wire import HttpRequest

_numbers = itertools.count(1)

JSON = "application/json"


class ManualClock:
    """A clock that tests turn. Starts at the real time, in whole milliseconds."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **amount: float) -> None:
        """Go on by a timedelta, or back with a negative one."""
        self.now += timedelta(**amount)


class SharedServices(Services):
    """Services with AWS clients that the whole run shares: making four costs more than a test."""

    _made: ClassVar[dict[tuple[str | None, str], Any]] = {}

    def _client(self, service: str, timeouts: Mapping[str, int]) -> Any:
        key = (self.settings.engine_url, service)
        if key not in self._made:
            self._made[key] = super()._client(service, timeouts)
        return self._made[key]


@dataclass
class Answer:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body, which must be JSON and say so."""
        assert self.headers["content-type"].startswith(JSON), self.text
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """The error's code, of an answer in the envelope."""
        return str(self.json["error"]["code"])


@dataclass
class Parley:
    """A service of its own: table, queues, topic with a mailbox, clock."""

    services: Services
    aws: Clients
    clock: ManualClock
    mailbox: str
    environ: Mapping[str, str]
    gateway: Gateway = field(init=False)

    def __post_init__(self) -> None:
        app = create_app(self.services)
        make_thread_safe(app)
        self.gateway = Gateway(app)
        self.key = self.new_key("tester", *Scope)

    def configured(self, **environ: str) -> Parley:
        """The same deployment as an operator who sets these variables runs it."""
        both = {**self.environ, **environ}
        services = SharedServices(both, clock=self.clock)
        return Parley(services, self.aws, self.clock, self.mailbox, both)

    def new_key(self, name: str, *scopes: Scope) -> str:
        """A fresh API key."""
        return issue(self.services, name=name, scopes=frozenset(scopes))

    def http(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = "default",
        raw: bytes | None = None,
    ) -> Answer:
        """One request as it would come through API Gateway. `key=None` sends none."""
        sent = {"host": "parley.test"}
        if key is not None:
            sent["x-api-key"] = self.key if key == "default" else key
        if body is not None:
            sent["content-type"] = JSON
            raw = json.dumps(body).encode()
        sent.update(headers or {})
        request = HttpRequest(
            method=method,
            target=path,
            headers=list(sent.items()),
            body=raw or b"",
            source_ip="127.0.0.1",
        )
        got = self.gateway(request)
        text = b"".join(got.body).decode()
        return Answer(got.status, {k.lower(): v for k, v in got.headers}, text)

    def open_session(self, **body: Any) -> dict[str, Any]:
        """A new session, with its `env`."""
        got = self.http("POST", "/api/v1/sessions", body)
        assert got.status == 201, got.text
        opened: dict[str, Any] = got.json
        return opened

    def session(self, session_id: str) -> dict[str, Any]:
        """The session as its host reads it."""
        got = self.http("GET", f"/api/v1/sessions/{session_id}")
        assert got.status == 200, got.text
        read: dict[str, Any] = got.json
        return read

    def events(self, session_id: str) -> list[dict[str, Any]]:
        """The session's journal."""
        got = self.http("GET", f"/api/v1/sessions/{session_id}/events?limit=100")
        assert got.status == 200, got.text
        listed: list[dict[str, Any]] = got.json["events"]
        return listed

    def ask(self, session: Mapping[str, Any], **over: Any) -> Answer:
        """Ask as an asker does: at the session's request URL, without any key."""
        path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
        return self.http("POST", path, question(**over), key=None)

    def poll(self, session: Mapping[str, Any], request_id: str, query: str = "") -> Answer:
        """Poll as an asker does."""
        path = path_of(session["env"]["ELICITATION_POLL_URL"])
        return self.http("GET", f"{path}/{request_id}{query}", key=None)

    def respond(self, request_id: str, action: str, content: Any = None, **how: Any) -> Answer:
        """Answer through the API."""
        body = {"action_type": action}
        if content is not None:
            body["content"] = content
        return self.http("PATCH", f"/api/v1/elicitations/{request_id}/respond", body, **how)

    def run_queue(self, name: str) -> list[dict[str, Any]]:
        """Hand what is on a queue to its function, as Lambda does; returns the bodies."""
        job = {"timers": timers.run_timers, "notices": notices.deliver_notices}[name]
        url = str(getattr(self.services.settings, f"{name}_queue_url"))
        bodies = []
        while messages := receive(self.aws, url):
            failed = job(sqs_event(messages, queue_arn(self.aws.sqs, url)), self.services)
            assert not failed["batchItemFailures"], failed
            for message in messages:
                self.aws.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                bodies.append(json.loads(message["Body"]))
        return bodies

    def mails(self) -> list[dict[str, Any]]:
        """What the needs-input topic delivered since the last look."""
        found = []
        while messages := receive(self.aws, self.mailbox):
            for message in messages:
                self.aws.sqs.delete_message(
                    QueueUrl=self.mailbox, ReceiptHandle=message["ReceiptHandle"]
                )
                found.append(json.loads(json.loads(message["Body"])["Message"]))
        return found

    def ring(self, request_id: str, times: int = 1) -> None:
        """A question's timer rings, also several times: SQS delivers at least once."""
        record = {"messageId": "m", "body": json.dumps({"key": request_id})}
        failed = timers.run_timers({"Records": [record] * times}, self.services)
        assert not failed["batchItemFailures"], failed

    def deliver(self, body: Mapping[str, Any]) -> None:
        """One message of the notices queue arrives (once more)."""
        record = {"messageId": "m", "body": json.dumps(body)}
        failed = notices.deliver_notices({"Records": [record]}, self.services)
        assert not failed["batchItemFailures"], failed

    def clean_up(self) -> dict[str, Any]:
        """Run the cleanup job."""
        return cleanup.cleanup(self.services)


def receive(aws: Clients, url: str) -> list[Any]:
    """Up to ten messages that are there now."""
    return aws.sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"], WaitTimeSeconds=0
    ).get("Messages", [])


def question(**over: Any) -> dict[str, Any]:
    """The body that clients of the protocol send; `meta` entries go into `_meta`."""
    number = next(_numbers)
    meta = {
        "com.pulsemcp/request-id": f"5b0c2f9e-7f0a-4d61-9c1e-{number:012d}",
        "com.pulsemcp/tool-name": "deploy",
    }
    schema = {
        "type": "object",
        "properties": {"confirm": {"type": "boolean", "title": "Really deploy?"}},
        "required": ["confirm"],
    }
    body: dict[str, Any] = {
        "mode": "form",
        "message": "Deploy to production?",
        "requestedSchema": schema,
    }
    meta |= over.pop("meta", {})
    return {**body, **over, "_meta": meta}


def path_of(url: str) -> str:
    """The path of one of our URLs."""
    return "/" + url.partition("://")[2].partition("/")[2]


def environ_for(aws: Clients, engine_url: str, table: str) -> tuple[dict[str, str], str]:
    """The variables of a service with queues and a topic of its own, and its mailbox queue."""
    names = {
        f"PARLEY_{name.upper()}_QUEUE_URL": ensure_queue(
            aws.sqs, f"{table}-{name}", visibility_seconds=30
        )
        for name in ("timers", "notices", "turns")
    }
    mailbox = aws.sqs.create_queue(QueueName=f"{table}-mailbox")["QueueUrl"]
    topic = aws.sns.create_topic(Name=f"{table}-needs-input")["TopicArn"]
    aws.sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue_arn(aws.sqs, mailbox))
    aws.secretsmanager.create_secret(Name=table, SecretString="a-signing-key-for-tests")
    return names | {
        "PARLEY_ENGINE_URL": engine_url,
        "PARLEY_TABLE": table,
        "PARLEY_NEEDS_INPUT_TOPIC_ARN": topic,
        "PARLEY_SIGNING_SECRET_ID": table,
    }, mailbox


@pytest.fixture(scope="session")
def deployment(aws: Clients, engine: Any) -> tuple[dict[str, str], str]:
    """The variables of a service whose queues and topic all tests use, and its mailbox queue."""
    return environ_for(aws, engine.url, "parley-tests")


@pytest.fixture
def parley(deployment: tuple[dict[str, str], str], aws: Clients, table: str) -> Parley:
    """A fresh service on the engine, at a clock that the test turns: own table, empty queues."""
    environ, mailbox = deployment
    for url in (mailbox, *(v for k, v in environ.items() if k.endswith("_QUEUE_URL"))):
        aws.sqs.purge_queue(QueueUrl=url)
    clock = ManualClock()
    environ = environ | {"PARLEY_TABLE": table}
    return Parley(SharedServices(environ, clock=clock), aws, clock, mailbox, environ)


def instant(text: str) -> datetime:
    """An RFC 3339 instant of ours."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
