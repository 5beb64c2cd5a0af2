"""Other people's MCP clients against the service as `make run` starts it, and a person who takes
their time to type a secret."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import pytest

from tests.flows.mcp_client import Person
from tests.infra.local.running import Service, service
from tests.mcp_server.conformance.driving import LEGACY, MODERN, SdkClient, sdk_client
from tests.parley import JSON, Answer

pytestmark = [pytest.mark.slow, pytest.mark.engine]

HUMAN_SECONDS: Final = 4
"""Longer than an SDK's client waits over all its rounds when a server does not hold it back."""

_numbers = count()


@dataclass
class Started:
    """A started service as something that `Person` can call."""

    running: Service

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
        sent = dict(headers or {})
        if key is not None:
            sent["x-api-key"] = self.running.ready["api_key"]
        if body is not None:
            sent["content-type"] = JSON
            raw = json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.running.port, timeout=30)
        connection.request(method, path, raw, sent)
        got = connection.getresponse()
        text = got.read().decode()
        connection.close()
        return Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, text)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """One key asks and answers here: `make run` makes only one."""
    folder = tmp_path_factory.mktemp("mcp") / "data"
    with service(folder, PARLEY_ASKER_MAY_ANSWER="true") as running:
        yield Started(running)


@pytest.fixture(scope="module")
def person(started: Started) -> Person:
    return Person(started, started.running.ready["api_key"]).sign_in()


def check_plain_tools(client: SdkClient, session_id: str) -> None:
    assert len(client.tools) == 8
    schema = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    asked = client.told(
        "create_elicitation",
        session_id=session_id,
        message="Which environment?",
        requested_schema=schema,
    )["elicitation"]["request_id"]
    live = client.told("list_elicitations", session_id=session_id)["elicitations"]
    assert [entry["request_id"] for entry in live] == [asked]
    client.told("respond_to_elicitation", request_id=asked, action="accept", content={"env": "a"})
    told = client.told("get_elicitation", request_id=asked, wait_seconds=1)["elicitation"]
    assert (told["status"], told["untrusted"]["content"]) == ("accept", {"env": "a"})
    taken = client.told("create_elicitation", session_id=session_id, message="Go on?")
    again = client.told("withdraw_elicitation", request_id=taken["elicitation"]["request_id"])
    assert again["elicitation"]["status"] == "cancel"
    sessions = client.told("list_sessions")["sessions"]
    assert session_id in [entry["session_id"] for entry in sessions]


def stored_names(client: SdkClient, session_id: str) -> list[str]:
    names: list[str] = client.told("get_session", session_id=session_id)["session"]["secret_names"]
    return names


def type_slowly(person: Person, url: str) -> None:
    time.sleep(HUMAN_SECONDS)
    assert person.type_secret(url).status == 200


@pytest.mark.parametrize(("script", "mode"), MODERN)
def test_modern_clients_complete_every_tool_and_wait_for_a_slow_person(
    started: Started, person: Person, script: str, mode: str
) -> None:
    ready, name = started.running.ready, f"TOKEN_{next(_numbers)}"
    session_id = ready["session_id"]
    with sdk_client(script, mode, url=f"{ready['base_url']}/mcp", key=ready["api_key"]) as client:
        assert client.version == "2026-07-28"
        check_plain_tools(client, session_id)
        client.on_page = lambda url: type_slowly(person, url)
        told = client.told("session_set_secret", session_id=session_id, name=name)
        assert told == {"name": name, "stored": True}
        assert len(client.pages) == 1
        assert name in stored_names(client, session_id)


@pytest.mark.parametrize(("script", "mode"), LEGACY)
def test_legacy_clients_complete_every_tool_and_call_again_after_the_page(
    started: Started, person: Person, script: str, mode: str
) -> None:
    ready, name = started.running.ready, f"TOKEN_{next(_numbers)}"
    secret = {"session_id": ready["session_id"], "name": name}
    with sdk_client(script, mode, url=f"{ready['base_url']}/mcp", key=ready["api_key"]) as client:
        assert client.version == "2025-11-25"
        check_plain_tools(client, ready["session_id"])
        sent_away = client.call("session_set_secret", **secret)
        assert sent_away["code"] == -32042
        [page] = sent_away["data"]["elicitations"]
        assert client.call("session_set_secret", **secret)["data"] == sent_away["data"]
        type_slowly(person, page["url"])
        assert client.told("session_set_secret", **secret) == {"name": name, "stored": True}
        assert name in stored_names(client, ready["session_id"])
