"""A client asks for a secret through MCP; a person types it on Parley's page, and nobody else
sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.domain.principal import Scope
from chalicelib.usecases.secrets import read_secret
from infra.local.resources import Clients
from tests.flows.mcp_client import (
    McpClient,
    Person,
    connected,
    csrf_of,
    meanwhile,
    secretive,
)
from tests.parley import Answer, Parley, path_of

NAME = "STRIPE_API_KEY"
VALUE = "sk_live_8h3Kd"
ACCEPTED = {"secret": {"action": "accept"}}


class Exchange:
    """One session, its host's client, and the person who holds a key of the same name."""

    def __init__(self, parley: Parley, kms_key: str) -> None:
        self.parley = secretive(parley, kms_key)
        self.client = connected(self.parley, "ada", Scope.HOST)
        key = self.parley.new_key("ada", Scope.HOST, Scope.ANSWER)
        self.person = Person(self.parley, key).sign_in()
        opened = self.parley.http("POST", "/api/v1/sessions", {"title": "Deploy"}, key=key)
        self.session_id: str = opened.json["id"]
        self.arguments = {"session_id": self.session_id, "name": NAME}

    def call(self, client: McpClient | None = None, **retry: Any) -> Answer:
        return (client or self.client).call("session_set_secret", self.arguments, **retry)

    def ask(self) -> tuple[str, str]:
        """The page's URL and the sealed state of a first call."""
        result = self.call().json["result"]
        assert result["resultType"] == "input_required", result
        return result["inputRequests"]["secret"]["params"]["url"], result["requestState"]

    def stored(self) -> str:
        """The value as a relay's call would get it."""
        services = self.parley.services
        now = services.clock()
        return read_secret(self.session_id, NAME, now=now, secrets=services.secrets)

    def names(self) -> list[str]:
        told = self.client.told("get_session", session_id=self.session_id)
        names: list[str] = told["session"]["secret_names"]
        return names

    def rows(self) -> str:
        """Everything in the table, as text."""
        table = self.parley.services.settings.table
        found = self.parley.aws.dynamodb.scan(TableName=table)["Items"]
        return json.dumps(found, default=repr)


@pytest.fixture
def exchange(parley: Parley, kms_key: str) -> Exchange:
    return Exchange(parley, kms_key)


def assert_refused(answer: Answer) -> None:
    assert (answer.status, answer.json["error"]["code"]) == (400, -32602), answer.text
    assert answer.json["error"]["data"] == {"reason": "invalid_request_state"}


def test_a_value_typed_while_the_client_waits_completes_the_call(exchange: Exchange) -> None:
    url, state = exchange.ask()
    meanwhile(exchange.parley, lambda: _typed(exchange, url))
    done = exchange.call(requestState=state, inputResponses=ACCEPTED).json["result"]
    assert done["resultType"] == "complete"
    assert done["structuredContent"] == {"name": NAME, "stored": True}
    assert exchange.stored() == VALUE
    assert exchange.names() == [NAME]


def _typed(exchange: Exchange, url: str) -> None:
    assert exchange.person.type_secret(url, VALUE).status == 200


def test_a_slow_person_costs_rounds_and_no_second_page(exchange: Exchange) -> None:
    url, state = exchange.ask()
    for _ in range(3):
        result = exchange.call(requestState=state, inputResponses=ACCEPTED).json["result"]
        assert result.keys() >= {"resultType", "requestState"}
        assert "inputRequests" not in result
        state = result["requestState"]
    _typed(exchange, url)
    done = exchange.call(requestState=state).json["result"]
    assert done["structuredContent"] == {"name": NAME, "stored": True}


def test_a_caller_that_runs_out_of_rounds_finds_the_same_page_and_later_the_value(
    exchange: Exchange,
) -> None:
    url, state = exchange.ask()
    for _ in range(9):
        result = exchange.call(requestState=state, inputResponses=ACCEPTED).json["result"]
        if result["resultType"] == "complete":
            break
        state = result["requestState"]
    told = result["structuredContent"]
    assert told == {"name": NAME, "stored": False, "status": "pending"}
    assert exchange.ask()[0] == url
    _typed(exchange, url)
    assert exchange.client.told("session_set_secret", **exchange.arguments)["stored"] is True


def test_the_value_is_in_no_row_event_log_or_answer(
    exchange: Exchange, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    url, state = exchange.ask()
    posted = exchange.person.type_secret(url, VALUE)
    done = exchange.call(requestState=state, inputResponses=ACCEPTED)
    path = f"/api/v1/sessions/{exchange.session_id}/events"
    events = exchange.parley.http("GET", path, key=exchange.person.key).text
    logged = repr([record.__dict__ for record in caplog.records])
    assert NAME in logged
    for told in (url, posted.text, done.text, events, exchange.rows(), logged, *capfd.readouterr()):
        assert VALUE not in told
        assert VALUE.encode().hex() not in told


def test_neither_url_nor_state_tells_who_or_what_it_is_for(exchange: Exchange) -> None:
    url, state = exchange.ask()
    for hidden in ("ada", NAME, exchange.session_id):
        assert hidden not in url
        assert hidden not in state


def test_the_journal_names_who_stored_which_secret(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    _typed(exchange, url)
    events = exchange.parley.services.store.events(exchange.session_id, after=0, limit=10)
    assert [numbered.version for numbered in events] == [1, 2]
    told = events[-1].event
    assert told.type == "secret.stored"
    assert told.data == {"name": NAME, "by": "ada", "channel": "inbox"}


def test_an_existing_secret_is_replaced_through_a_page_of_its_own(exchange: Exchange) -> None:
    url, state = exchange.ask()
    _typed(exchange, url)
    exchange.call(requestState=state, inputResponses=ACCEPTED)
    second, _state = exchange.ask()
    assert second != url
    assert "replaces it" in exchange.person.get(second).text
    assert exchange.person.type_secret(second, "rotated").status == 200
    assert exchange.stored() == "rotated"
    assert exchange.names() == [NAME]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_declining_in_the_client_closes_the_page(exchange: Exchange, action: str) -> None:
    url, state = exchange.ask()
    answers = {"secret": {"action": action}}
    result = exchange.call(requestState=state, inputResponses=answers).json["result"]
    assert result["isError"] is True
    assert exchange.person.get(url).status == 410
    assert exchange.names() == []


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_declining_on_the_page_ends_the_call(exchange: Exchange, action: str) -> None:
    url, state = exchange.ask()
    assert exchange.person.type_secret(url, VALUE, action=action).status == 200
    assert exchange.person.type_secret(url, VALUE).status == 410
    result = exchange.call(requestState=state, inputResponses=ACCEPTED).json["result"]
    assert result["isError"] is True
    assert exchange.names() == []


def test_a_page_works_once_and_until_its_end(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    _typed(exchange, url)
    again = exchange.person.type_secret(url, "other")
    assert again.status == 410
    assert "already used" in again.text
    assert exchange.stored() == VALUE
    exchange.arguments["name"] = "SECOND"
    late, _state = exchange.ask()
    page = exchange.person.get(late)
    exchange.parley.clock.turn(minutes=15)
    fields = {"action": "accept", "value": VALUE, "csrf": csrf_of(page)}
    answer = exchange.person.post(path_of(late), **fields)
    assert answer.status == 410
    assert "expired" in answer.text


def test_opening_the_page_changes_nothing(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    before = exchange.rows()
    for method in ("GET", "HEAD", "GET"):
        assert exchange.person.get(url, method).status == 200
    assert exchange.rows() == before


def test_only_the_starter_signed_in_sees_the_field(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    nobody = Person(exchange.parley, "").get(url)
    assert nobody.status == 303
    assert nobody.headers["location"] == f"/sign-in?next={path_of(url)}"
    other = Person(exchange.parley, exchange.parley.new_key("bob", *Scope)).sign_in()
    before = exchange.rows()
    csrf = csrf_of(other.get("http://x/sign-in"))
    for answer in (other.get(url), other.post(path_of(url), action="accept", value="x", csrf=csrf)):
        assert answer.status == 403
        assert 'name="value"' not in answer.text
        for hidden in ("ada", NAME, "Deploy"):
            assert hidden not in answer.text
    assert exchange.rows() == before


def test_a_post_needs_the_token_of_the_visit(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    answer = exchange.person.post(path_of(url), action="accept", value=VALUE, csrf="forged")
    assert answer.status == 403
    assert exchange.names() == []


@pytest.mark.parametrize(
    ("value", "told"),
    [("", "must not be empty"), ("x" * 4097, "4096 bytes"), ("é" * 2049, "4096 bytes")],
)
def test_a_value_that_cannot_be_kept_is_refused_and_not_sent_back(
    exchange: Exchange, value: str, told: str
) -> None:
    url, _state = exchange.ask()
    answer = exchange.person.type_secret(url, value)
    assert answer.status == 422
    assert told in answer.text
    assert not value or value not in answer.text
    assert exchange.person.type_secret(url, "x" * 4096).status == 200


def test_the_page_keeps_out_caches_frames_and_scripts(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    headers = exchange.person.get(url).headers
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_state_is_good_once(exchange: Exchange) -> None:
    _url, state = exchange.ask()
    exchange.call(requestState=state, inputResponses=ACCEPTED)
    before = exchange.rows()
    assert_refused(exchange.call(requestState=state, inputResponses=ACCEPTED))
    assert exchange.rows() == before


@pytest.mark.parametrize("spoil", ["tampered", "expired", "principal", "name"])
def test_a_state_elsewhere_or_otherwise_is_refused_and_changes_nothing(
    exchange: Exchange, spoil: str
) -> None:
    _url, state = exchange.ask()
    client = exchange.client
    if spoil == "tampered":
        state = ("A" if state[0] != "A" else "B") + state[1:]
    if spoil == "expired":
        exchange.parley.clock.turn(minutes=16)
    if spoil == "principal":
        client = connected(exchange.parley, "bob", *Scope)
    if spoil == "name":
        exchange.arguments["name"] = "OTHER"
    before = exchange.rows()
    assert_refused(exchange.call(client, requestState=state, inputResponses=ACCEPTED))
    assert exchange.rows() == before


def test_another_hosts_session_does_not_exist(exchange: Exchange) -> None:
    other = connected(exchange.parley, "bob", Scope.HOST)
    text = other.failed("session_set_secret", **exchange.arguments)
    assert text.startswith("not_found: ")


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_a_client_that_opens_no_pages_is_told_what_is_missing(
    exchange: Exchange, capabilities: dict[str, Any]
) -> None:
    exchange.client.capabilities = capabilities
    before = exchange.rows()
    answer = exchange.call()
    assert (answer.status, answer.json["error"]["code"]) == (400, -32021)
    needed: dict[str, Any] = {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert answer.json["error"]["data"] == needed
    assert exchange.rows() == before


def test_secrets_go_with_their_session(exchange: Exchange) -> None:
    url, _state = exchange.ask()
    _typed(exchange, url)
    exchange.arguments["name"] = "SECOND"
    late, _state = exchange.ask()
    path = f"/api/v1/sessions/{exchange.session_id}"
    assert f"S#{exchange.session_id}" in exchange.rows()
    assert exchange.parley.http("DELETE", path, key=exchange.person.key).status == 204
    assert f"S#{exchange.session_id}" not in exchange.rows()
    assert exchange.person.type_secret(late, VALUE).status == 410
    assert "SECRET#" not in exchange.rows()


def test_a_copied_row_does_not_decrypt(exchange: Exchange, aws: Clients) -> None:
    url, _state = exchange.ask()
    _typed(exchange, url)
    table = exchange.parley.services.settings.table
    key = {"pk": {"S": f"S#{exchange.session_id}"}, "sk": {"S": f"SECRET#{NAME}"}}
    row = aws.dynamodb.get_item(TableName=table, Key=key)["Item"]
    aws.dynamodb.put_item(TableName=table, Item={**row, "pk": {"S": "S#thief"}})
    services = exchange.parley.services
    with pytest.raises(Exception, match="InvalidCiphertext"):
        read_secret("thief", NAME, now=services.clock(), secrets=services.secrets)
