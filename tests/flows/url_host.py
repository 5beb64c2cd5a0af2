"""What a host does around URL elicitations, and the upstream server that asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from chalicelib.jobs import timers, turns
from infra.local.pump import sqs_event
from infra.local.resources import queue_arn
from tests.outbound.mcp_client.scripts import legacy, modern, result, wants_url
from tests.outbound.upstream import Asked, Script, Told, Upstream, serving
from tests.parley import Answer, Parley, receive

URL = "https://pay.acme.example/connect?ref=rev-2026-08"
CONFIRM = "confirm_url_elicitation"
DATA = {"revenue": 1204300}


def complete(asked: Asked, text: str = "the report") -> Told:
    """A finished call."""
    content = [{"type": "text", "text": text}]
    return result(asked, {"resultType": "complete", "content": content, "structuredContent": DATA})


@dataclass
class Acme:
    """An upstream server. The tool `plain` just answers. `report` wants `url` finished, in rounds
    of its own state, until the person is `done` there and the call brings an accept."""

    url: str = URL
    key: str = "api_key"
    done: bool = False
    script: Script | None = None
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    before: Callable[[Asked], None] = lambda asked: None

    def __call__(self, asked: Asked) -> Told:
        params = asked.json["params"]
        self.calls.append(params)
        self.before(asked)
        if self.script is not None:
            return self.script(asked)
        if params["name"] == "plain":
            return complete(asked, "plain")
        answers = params.get("inputResponses") or {}
        known = params.get("requestState") in self.states
        if self.done and known and answers.get(self.key) == {"action": "accept"}:
            return complete(asked)
        return self.ask(asked)

    def ask(self, asked: Asked) -> Told:
        """One more round."""
        self.states.append(f"state-{len(self.states) + 1} \u00fc\u2028 +/=")
        return result(asked, wants_url(self.url, key=self.key, state=self.states[-1]))

    def of(self, tool: str) -> list[Mapping[str, Any]]:
        """The calls of one tool."""
        return [params for params in self.calls if params["name"] == tool]


@dataclass
class UrlHost:
    """A host with a session on a deployment that knows the server `acme`."""

    parley: Parley
    upstream: Upstream
    acme: Acme

    def session(self, *, hints: Mapping[str, Any] | None = None, **body: Any) -> str:
        """A new session's id; by default one that can pause."""
        given = {"url_elicitation": True} if hints is None else dict(hints)
        return str(self.parley.open_session(hints=given, **body)["id"])

    def post(
        self, session: str, *tools: str, arguments: Any = None, text: str = "Go", **body: Any
    ) -> Answer:
        """A message that names calls of these tools."""
        calls = [{"server": "acme", "tool": tool, "arguments": arguments or {}} for tool in tools]
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        path = f"/api/v1/sessions/{session}/messages"
        return self.parley.http("POST", path, {"message": message, "calls": calls, **body})

    def paused(self, *tools: str, arguments: Any = None) -> tuple[str, list[str]]:
        """A session that waits, and the ids of its cards."""
        session = self.session()
        got = self.post(session, *(tools or ("report",)), arguments=arguments)
        assert got.status == 201, got.text
        self.work()
        assert self.status(session) == "waiting_for_tool_results"
        return session, [call["id"] for call in self.asked(session)]

    def work(self) -> int:
        """Hand what is on `turns` to the worker, until there is nothing; returns how many."""
        url = self.parley.services.settings.turns_queue_url
        count = 0
        while messages := receive(self.parley.aws, url):
            failed = turns.run_turns(
                sqs_event(messages, queue_arn(self.parley.aws.sqs, url)), self.parley.services
            )
            assert not failed["batchItemFailures"], failed
            for message in messages:
                self.parley.aws.sqs.delete_message(
                    QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]
                )
            count += len(messages)
        return count

    def run_turn(self, session: str, turn: str) -> bool:
        """The worker gets one message; False when it fails and the queue would deliver again."""
        body = json.dumps({"session_id": session, "turn_id": turn})
        event = {"Records": [{"messageId": "m", "body": body}]}
        return not turns.run_turns(event, self.parley.services)["batchItemFailures"]

    def ring(self, session: str, card: str) -> None:
        """A card's timer rings."""
        body = json.dumps({"session_id": session, "call_id": card})
        event = {"Records": [{"messageId": "m", "body": body}]}
        failed = timers.run_timers(event, self.parley.services)
        assert not failed["batchItemFailures"], failed

    def consent(
        self, session: str, card: str, action: str = "accept", *, key: str = "default", **more: Any
    ) -> Answer:
        """Post a decision."""
        path = f"/api/v1/sessions/{session}/mcp-elicitation-consent"
        body = {"tool_call_id": card, "action": action, **more}
        return self.parley.http("POST", path, body, key=key)

    def status(self, session: str) -> str:
        """The session's status on the wire."""
        return str(self.parley.session(session)["status"])

    def events(self, session: str, *types: str) -> list[dict[str, Any]]:
        """The journal, or its events of some types."""
        found: list[dict[str, Any]] = []
        path = f"/api/v1/sessions/{session}/events?limit=100&after_sequence="
        while page := self.parley.http("GET", f"{path}{len(found)}").json["events"]:
            found += page
        return [event for event in found if not types or event["type"] in types]

    def types(self, session: str) -> list[str]:
        """The types of the journal's events, in order."""
        return [event["type"] for event in self.events(session)]

    def asked(self, session: str) -> list[dict[str, Any]]:
        """The calls of the last `tool.call_requested`."""
        found = self.events(session, "tool.call_requested")[-1]["data"]["tool_calls"]
        return list(found)

    def results(self, session: str, name: str = "mcp_acme__report") -> list[dict[str, Any]]:
        """The data of `tool.completed` of one tool."""
        found = self.events(session, "tool.completed")
        return [event["data"] for event in found if event["data"]["tool_name"] == name]

    def confirmations(self, session: str) -> list[dict[str, Any]]:
        """The data of `tool.completed` of cards."""
        return self.results(session, CONFIRM)

    def said(self, session: str) -> list[tuple[str, str]]:
        """(role, text) of the conversation."""
        listed = self.parley.http("GET", f"/api/v1/sessions/{session}/messages").json["data"]
        return [(m["role"], "".join(p["text"] for p in m["content"])) for m in listed]

    def consent_rows(self, session: str) -> list[Any]:
        """What is stored of consents that are not used."""
        return [item for item in self.rows(session) if item["sk"]["S"].startswith("CONSENT#")]

    def rows(self, session: str) -> list[Any]:
        """Everything in the session's partition."""
        query = {
            "TableName": self.parley.environ["PARLEY_TABLE"],
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": f"S#{session}"}},
        }
        return list(self.parley.aws.dynamodb.query(**query)["Items"])  # type: ignore[arg-type]


@contextmanager
def url_host(
    parley: Parley, kms_key: str, *, era: str = "modern", **environ: str
) -> Iterator[UrlHost]:
    """A deployment with an upstream of one era, registered as `acme`."""
    served = parley.configured(PARLEY_KMS_KEY_ID=kms_key, **environ)
    acme = Acme()
    with serving((modern if era == "modern" else legacy)(acme)) as upstream:
        body = {"name": "acme", "url": upstream.url}
        assert served.http("POST", "/api/v1/mcp-servers", body).status == 201
        yield UrlHost(served, upstream, acme)
