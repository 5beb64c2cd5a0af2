"""The relay client against the example server in a process of its own, both revisions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest

from chalicelib.domain.urls import check_elicitation_url
from chalicelib.outbound.mcp_client.client import McpClient
from chalicelib.outbound.mcp_client.values import (
    Completed,
    Failed,
    FailureKind,
    UrlElicitationsRequired,
    UrlRequest,
)
from tests.outbound.mcp_client.scripts import client
from tests.outbound.upstream import Upstream

SERVER = Path(__file__).parents[3] / "examples" / "mcp-url-elicitation" / "server.py"
KEY = "acme-live-key-1"
ACCEPT = {"api_key": {"action": "accept"}}


@contextmanager
def example(*flags: str) -> Iterator[Upstream]:
    """The example's process; it is ended when the test is."""
    command = [sys.executable, str(SERVER), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            ready = json.loads(process.stdout.readline())
            yield Upstream(urlsplit(ready["url"]).port or 0)
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def modern() -> Iterator[Upstream]:
    with example() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def legacy() -> Iterator[Upstream]:
    with example("--legacy") as upstream:
        yield upstream


def asked_for(outcome: object) -> tuple[UrlRequest, str | None]:
    assert isinstance(outcome, UrlElicitationsRequired)
    (request,) = outcome.requests
    checked = check_elicitation_url(request.url, allow_loopback_http=True)
    assert checked.host == "127.0.0.1"
    return request, outcome.request_state


def finish(url: str) -> None:
    """What the person does in the browser."""
    with urlopen(url) as page:
        assert b'name="api_key"' in page.read()
    with urlopen(url, urlencode({"api_key": KEY}).encode()) as page:
        body = page.read()
        assert b"Connected" in body
        assert KEY.encode() not in body
    with pytest.raises(HTTPError) as used:
        urlopen(url, urlencode({"api_key": "another"}).encode())
    used.value.close()
    assert used.value.code == 409


def call(caller: McpClient, arguments: Mapping[str, Any], **more: Any) -> object:
    return caller.call_tool("run_revenue_report", arguments, **more)


def test_the_modern_flow_ends_with_the_report(modern: Upstream) -> None:
    caller = client(modern)
    assert [tool.name for tool in caller.list_tools()] == ["run_revenue_report"]
    arguments = {"month": "2026-09"}
    request, state = asked_for(call(caller, arguments))
    assert request.key == "api_key"

    early, later_state = asked_for(
        call(caller, arguments, request_state=state, input_responses=ACCEPT)
    )
    assert early.url == request.url
    finish(request.url)
    outcome = call(caller, arguments, request_state=later_state, input_responses=ACCEPT)
    assert isinstance(outcome, Completed)
    assert outcome.result["structuredContent"]["month"] == "2026-09"
    assert KEY not in json.dumps(outcome.result)


def test_the_state_of_a_finished_round_cannot_be_used_again(modern: Upstream) -> None:
    caller = client(modern)
    request, state = asked_for(call(caller, {}))
    finish(request.url)
    first = call(caller, {}, request_state=state, input_responses=ACCEPT)
    again = call(caller, {}, request_state=state, input_responses=ACCEPT)
    assert isinstance(first, Completed)
    assert isinstance(again, Failed)
    assert again.kind is FailureKind.STALE_STATE


def test_state_is_bound_to_the_arguments_it_was_made_for(modern: Upstream) -> None:
    caller = client(modern)
    request, state = asked_for(call(caller, {"month": "2026-08"}))
    finish(request.url)
    for arguments, sent in (({"month": "2026-09"}, state), ({"month": "2026-08"}, f"{state}x")):
        outcome = call(caller, arguments, request_state=sent, input_responses=ACCEPT)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.STALE_STATE


def test_a_decline_is_told_to_the_server_and_ends_the_call(modern: Upstream) -> None:
    caller = client(modern)
    _, state = asked_for(call(caller, {}))
    declined = {"api_key": {"action": "decline"}}
    outcome = call(caller, {}, request_state=state, input_responses=declined)
    assert isinstance(outcome, Completed)
    assert outcome.result["isError"] is True


def test_without_the_capability_the_server_does_not_ask(modern: Upstream) -> None:
    outcome = call(client(modern, declares_url=False), {})
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.NEEDS_CAPABILITY


def test_the_legacy_flow_ends_with_the_report(legacy: Upstream) -> None:
    caller = client(legacy)
    request, state = asked_for(call(caller, {"month": "2026-10"}))
    assert state is None
    assert caller.remembered is not None
    assert caller.remembered.version == "2025-11-25"
    finish(request.url)
    outcome = call(client(legacy, remembered=caller.remembered), {"month": "2026-10"})
    assert isinstance(outcome, Completed)
    assert outcome.result["structuredContent"]["month"] == "2026-10"


@pytest.mark.parametrize("path", ["/connect?ref=unknown", "/connect"])
def test_an_unknown_link_has_no_form(modern: Upstream, path: str) -> None:
    with pytest.raises(HTTPError) as missing:
        urlopen(modern.origin + path)
    missing.value.close()
    assert missing.value.code == 404
