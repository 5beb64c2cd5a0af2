"""The whole relay with the official MCP SDK as the upstream server, in both eras."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.url_host import Acme, UrlHost
from tests.outbound.test_sdk_upstream import HERE, sdk_python
from tests.outbound.upstream import Upstream
from tests.parley import Parley

pytestmark = pytest.mark.slow

__all__ = ["sdk_python"]

URL = "https://pay.acme.example/connect"


PAIRS = [
    ("--json", "modern"),
    ("--json", "required"),
    ("--sse", "modern"),
    ("--sse", "required"),
    ("--sse", "inside"),  # a JSON answer cannot carry a request
]
"""How answers are framed, and how the tool asks: `input_required` of 2026-07-28; -32042, and a
request inside the call, of 2025-11-25."""


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    framing, tool = request.param
    return str(framing), str(tool)


@pytest.fixture(scope="module")
def sdk(pair: tuple[str, str], sdk_python: Path) -> Iterator[Upstream]:
    command = [str(sdk_python), str(HERE / "sdk_server.py"), pair[0]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Upstream(json.loads(process.stdout.readline())["port"])
        finally:
            process.terminate()


@pytest.fixture
def tool(pair: tuple[str, str]) -> str:
    return pair[1]


@pytest.fixture
def host(parley: Parley, kms_key: str, sdk: Upstream, tool: str) -> UrlHost:
    served = parley.configured(PARLEY_KMS_KEY_ID=kms_key)
    mode = "2026-07-28" if tool == "modern" else "2025-11-25"
    body = {"name": "acme", "url": sdk.url, "protocol_mode": mode}
    assert served.http("POST", "/api/v1/mcp-servers", body).status == 201
    return UrlHost(served, sdk, Acme())


def finish(host: UrlHost, reference: str) -> None:
    """The person is done on the server's page."""
    session = host.session()
    host.post(session, "finish", arguments={"reference": reference})
    host.work()


def last(host: UrlHost, session: str, tool: str) -> dict[str, Any]:
    return host.results(session, f"mcp_acme__{tool}")[-1]


def test_consent_brings_the_result(host: UrlHost, tool: str, request: Any) -> None:
    reference = request.node.name
    session, (card,) = host.paused(tool, arguments={"url": URL, "reference": reference})
    arguments = host.asked(session)[0]["arguments"]
    assert (arguments["url"], arguments["message"]) == (URL, "Please finish this first.")
    finish(host, reference)
    assert host.consent(session, card).status == 200
    host.work()
    assert host.status(session) == "idle", host.types(session)
    text = last(host, session, tool)["result"][0]["text"]
    assert text.startswith("the person said accept" if tool == "inside" else f"report {reference}")


def test_decline_goes_on_without_it(host: UrlHost, tool: str, request: Any) -> None:
    arguments = {"url": URL, "reference": request.node.name}
    session, (card,) = host.paused(tool, arguments=arguments)
    host.consent(session, card, "decline")
    host.work()
    assert host.status(session) == "idle"
    assert len(host.results(session, f"mcp_acme__{tool}")) == 1


def test_a_timeout_goes_on_without_it(host: UrlHost, tool: str, request: Any) -> None:
    arguments = {"url": URL, "reference": request.node.name}
    session, _ = host.paused(tool, arguments=arguments)
    host.parley.clock.turn(seconds=301)
    host.parley.clean_up()
    host.work()
    assert host.status(session) == "idle"
    assert host.confirmations(session)[0]["status"] == "timeout"


def test_two_cards_at_once(host: UrlHost, tool: str, request: Any) -> None:
    session = host.session()
    references = [f"{request.node.name}-{number}" for number in range(2)]
    calls = [
        {"server": "acme", "tool": tool, "arguments": {"url": URL, "reference": reference}}
        for reference in references
    ]
    message = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    path = f"/api/v1/sessions/{session}/messages"
    host.parley.http("POST", path, {"message": message, "calls": calls})
    host.work()
    cards = [call["id"] for call in host.asked(session)]
    assert len(cards) == 2
    for reference, card in zip(references, cards, strict=True):
        finish(host, reference)
        assert host.consent(session, card).status == 200
    host.work()
    assert host.status(session) == "idle"
    texts = [done["result"][0]["text"] for done in host.results(session, f"mcp_acme__{tool}")[2:]]
    assert len(texts) == 2
    if tool != "inside":
        assert [text.split(";")[0] for text in texts] == [f"report {r}" for r in references]


def test_not_finished_means_asked_again(host: UrlHost, tool: str, request: Any) -> None:
    """65: where the server checks; one that trusts the accept is done."""
    arguments = {"url": URL, "reference": request.node.name}
    session, (card,) = host.paused(tool, arguments=arguments)
    host.consent(session, card)
    host.work()
    wanted = "idle" if tool == "inside" else "waiting_for_tool_results"
    assert host.status(session) == wanted


def test_a_changed_argument_is_asked_anew(host: UrlHost, tool: str, request: Any) -> None:
    """82: the consent is for the call that was shown."""
    arguments = {"url": URL, "reference": request.node.name}
    session, (card,) = host.paused(tool, arguments=arguments)
    finish(host, f"{request.node.name}-other")
    host.consent(session, card)
    (row,) = [item for item in host.rows(session) if item["sk"]["S"].startswith("TURN#")]
    calls = json.loads(row["calls"]["S"])
    calls[0]["wish"]["arguments"] = {"url": "https://evil.example/", "reference": "new"}
    host.parley.aws.dynamodb.put_item(
        TableName=host.parley.environ["PARLEY_TABLE"],
        Item={**row, "calls": {"S": json.dumps(calls)}},
    )
    host.work()
    assert host.status(session) == "waiting_for_tool_results"
    assert host.asked(session)[0]["arguments"]["url_host"] == "evil.example"
