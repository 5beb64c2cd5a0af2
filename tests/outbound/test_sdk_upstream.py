"""The relay client against the official MCP SDK as upstream, in both eras and both framings."""

from __future__ import annotations

import json
import subprocess
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chalicelib.outbound.mcp_client.values import (
    Completed,
    Failed,
    FailureKind,
    ProtocolMode,
    UrlElicitationsRequired,
)
from tests.outbound.mcp_client.scripts import client
from tests.outbound.upstream import Upstream

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
SDK = HERE.parents[1] / "build" / "mcp-sdk"
REQUIREMENTS = HERE / "sdk-requirements.txt"
URL = "https://pay.acme.example/connect"
ACCEPT = {"page": {"action": "accept"}}
DECLINE = {"page": {"action": "decline"}}


@pytest.fixture(scope="session")
def sdk_python() -> Path:
    """The SDK's own interpreter; its environment is made on first use and when the pin moves."""
    made_for = SDK / "requirements.txt"
    python = SDK / "bin" / "python"
    if not made_for.exists() or made_for.read_text() != REQUIREMENTS.read_text():
        venv.create(SDK, with_pip=True, clear=True)
        install: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*install, "-r", REQUIREMENTS], check=True)
        made_for.write_text(REQUIREMENTS.read_text())
    return python


@pytest.fixture(scope="module", params=["--json", "--sse"])
def sdk(request: pytest.FixtureRequest, sdk_python: Path) -> Iterator[Upstream]:
    command = [str(sdk_python), str(HERE / "sdk_server.py"), str(request.param)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Upstream(json.loads(process.stdout.readline())["port"])
        finally:
            process.terminate()


def text_of(outcome: object) -> str:
    assert isinstance(outcome, Completed), outcome
    assert not outcome.result.get("isError")
    return str(outcome.result["content"][0]["text"])


def asked_of(outcome: object) -> UrlElicitationsRequired:
    assert isinstance(outcome, UrlElicitationsRequired), outcome
    return outcome


def test_the_era_is_found_and_the_tools_listed(sdk: Upstream) -> None:
    caller = client(sdk)
    names = [tool.name for tool in caller.list_tools()]
    assert names == ["finish", "modern", "required", "inside"]
    assert caller.remembered is not None
    assert caller.remembered.version == "2026-07-28"


def test_consent_then_result_with_the_round_that_was_shown(sdk: Upstream) -> None:
    caller = client(sdk)
    arguments = {"url": URL, "reference": "a"}
    first = asked_of(caller.call_tool("modern", arguments))
    assert [(r.key, r.url) for r in first.requests] == [("page", URL)]
    again = asked_of(
        caller.call_tool(
            "modern", arguments, request_state=first.request_state, input_responses=ACCEPT
        )
    )
    text_of(caller.call_tool("finish", {"reference": "a"}))
    outcome = caller.call_tool(
        "modern", arguments, request_state=again.request_state, input_responses=ACCEPT
    )
    assert text_of(outcome).startswith("report a; state round ")


def test_a_decline_reaches_the_server(sdk: Upstream) -> None:
    caller = client(sdk)
    arguments = {"url": URL, "reference": "b"}
    asked = asked_of(caller.call_tool("modern", arguments))
    outcome = caller.call_tool(
        "modern", arguments, request_state=asked.request_state, input_responses=DECLINE
    )
    assert text_of(outcome) == "the person said decline"


@pytest.mark.parametrize("changed", [{"url": "https://evil.example/"}, {"reference": "other"}])
def test_state_for_other_arguments_is_stale(sdk: Upstream, changed: dict[str, Any]) -> None:
    caller = client(sdk)
    arguments = {"url": URL, "reference": "c"}
    asked = asked_of(caller.call_tool("modern", arguments))
    outcome = caller.call_tool(
        "modern",
        {**arguments, **changed},
        request_state=asked.request_state,
        input_responses=ACCEPT,
    )
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.STALE_STATE


def test_two_rounds_at_once_do_not_mix(sdk: Upstream) -> None:
    def whole(reference: str) -> str:
        caller = client(sdk)
        arguments = {"url": f"{URL}?{reference}", "reference": reference}
        asked = asked_of(caller.call_tool("modern", arguments))
        caller.call_tool("finish", {"reference": reference})
        return text_of(
            caller.call_tool(
                "modern", arguments, request_state=asked.request_state, input_responses=ACCEPT
            )
        )

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(whole, ["d", "e"]))
    assert [text.split(";")[0] for text in told] == ["report d", "report e"]


def test_a_legacy_error_becomes_an_elicitation_and_the_retry_is_plain(sdk: Upstream) -> None:
    caller = client(sdk, mode=ProtocolMode.V2025_11_25)
    arguments = {"url": URL, "reference": "f"}
    asked = asked_of(caller.call_tool("required", arguments))
    assert asked.legacy
    assert [(r.url, r.elicitation_id) for r in asked.requests] == [(URL, "f")]
    caller.call_tool("finish", {"reference": "f"})
    assert text_of(caller.call_tool("required", arguments)) == "report f"
    assert caller.remembered is not None
    assert caller.remembered.version == "2025-11-25"
    assert caller.remembered.mcp_session_id


@pytest.mark.parametrize("sdk", ["--sse"], indirect=True)  # JSON answers have no stream to ask on
def test_a_legacy_question_inside_the_call_is_given_up_and_accepted_after_consent(
    sdk: Upstream,
) -> None:
    caller = client(sdk, mode=ProtocolMode.V2025_11_25)
    arguments = {"url": URL, "reference": "g"}
    asked = asked_of(caller.call_tool("inside", arguments))
    assert [request.url for request in asked.requests] == [URL]
    origin = "https://pay.acme.example:443"
    outcome = caller.call_tool("inside", arguments, consented_origin=origin)
    assert text_of(outcome) == "the person said accept"
    again = caller.call_tool(
        "inside", {**arguments, "url": "https://evil.example/"}, consented_origin=origin
    )
    assert [request.url for request in asked_of(again).requests] == ["https://evil.example/"]
