"""Other people's clients call every tool of the protocol layer over HTTP, in both eras.

The same clients against the whole service: tests/flows/test_mcp_sdk_clients.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Final

import pytest

from chalicelib.domain.principal import Principal
from chalicelib.domain.secret import SecretState
from chalicelib.mcp_server.backend import SecretPage
from chalicelib.mcp_server.catalog import INSTRUCTIONS, parley_tools
from chalicelib.mcp_server.state_token import SignedSealer
from tests.mcp_server.conformance.app import serving
from tests.mcp_server.conformance.driving import LEGACY, MODERN, SdkClient, sdk_client
from tests.mcp_server.fake_backend import FakeBackend
from tests.mcp_server.support import EVERYTHING, HOST, KEYS, make_server

pytestmark = pytest.mark.slow

SECRET: Final = {"session_id": "s_ada", "name": "STRIPE_API_KEY"}
STORED: Final = {"name": "STRIPE_API_KEY", "stored": True}
PAGE: Final = "https://parley.example/secrets/h0"


class SlowPerson(FakeBackend):
    """Somebody who needs several rounds to type a value, or a second call where there are none."""

    def wait_secret(self, *, principal: Principal, handle: str, wait_seconds: int) -> SecretState:
        time.sleep(0.1)
        if len(self.waits) == 3:
            self.set_secret_state(handle, SecretState.STORED)
        return super().wait_secret(principal=principal, handle=handle, wait_seconds=wait_seconds)

    def start_secret(self, *, principal: Principal, session_id: str, name: str) -> SecretPage:
        if self.secrets and not self.waits:
            self.set_secret_state("h0", SecretState.STORED)
        return super().start_secret(principal=principal, session_id=session_id, name=name)


@contextmanager
def connected(script: str, mode: str) -> Iterator[SdkClient]:
    backend = SlowPerson(lambda: datetime.now(UTC))
    backend.add_session("s_host", HOST, title="Nightly release")
    backend.add_session("s_ada", EVERYTHING)
    schema = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    backend.add("e_1", "s_host", schema=schema)
    numbers = count()
    tools = parley_tools(backend, SignedSealer(KEYS), lambda: f"n{next(numbers)}")
    with (
        serving(make_server(*tools, instructions=INSTRUCTIONS), EVERYTHING) as http_server,
        sdk_client(script, mode, url=http_server.url, key="any") as client,
    ):
        yield client


def check_plain_tools(client: SdkClient) -> None:
    assert len(client.tools) == 8
    listed = client.told("list_elicitations")["elicitations"]
    assert [entry["request_id"] for entry in listed] == ["e_1"]
    answer = {"request_id": "e_1", "action": "accept", "content": {"env": "dev"}}
    told = [
        client.told("get_elicitation", request_id="e_1"),
        client.told("respond_to_elicitation", **answer),
        client.told("create_elicitation", session_id="s_ada", message="?", request_id="e_2"),
        client.told("withdraw_elicitation", request_id="e_2"),
    ]
    statuses = [entry["elicitation"]["status"] for entry in told]
    assert statuses == ["pending", "accept", "pending", "cancel"]
    sessions = client.told("list_sessions", limit=1)["sessions"]
    assert sessions[0]["untrusted"]["title"] == "Nightly release"
    assert client.told("get_session", session_id="s_ada")["session"]["session_id"] == "s_ada"
    missing = client.call("get_session", session_id="s_nowhere")
    assert missing["error"].startswith("not_found: ")


@pytest.mark.parametrize(("script", "mode"), MODERN)
def test_modern_clients_wait_for_the_person_and_ask_once_a_call(script: str, mode: str) -> None:
    with connected(script, mode) as client:
        assert client.version == "2026-07-28"
        check_plain_tools(client)
        assert client.told("session_set_secret", **SECRET) == STORED
        # A secret that is stored already is replaced through a page of its own.
        client.call("session_set_secret", **SECRET)
        assert client.pages == [PAGE, PAGE.replace("h0", "h1")]


@pytest.mark.parametrize(("script", "mode"), LEGACY)
def test_legacy_clients_are_sent_to_the_page_and_call_again(script: str, mode: str) -> None:
    with connected(script, mode) as client:
        assert client.version == "2025-11-25"
        check_plain_tools(client)
        sent_away = client.call("session_set_secret", **SECRET)
        assert sent_away["code"] == -32042
        assert [entry["url"] for entry in sent_away["data"]["elicitations"]] == [PAGE]
        assert client.told("session_set_secret", **SECRET) == STORED
