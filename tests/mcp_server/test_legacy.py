"""The leg for the revisions of 2025."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from chalicelib.mcp_server.legacy_session import LIVES_FOR
from chalicelib.mcp_server.state_token import SignedSealer
from tests.mcp_server.support import (
    BOTH_MODES,
    EVERYTHING,
    HOST,
    NOW,
    initialize,
    legacy,
    make_server,
    shake_hands,
)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("", "2025-11-25"),
    ],
)
def test_the_handshake_settles_on_a_version_with_a_handshake(asked: str, given: str) -> None:
    result = initialize(version=asked).result
    assert result["protocolVersion"] == given
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["name"] == "parley"


@pytest.mark.parametrize(
    "params",
    [None, {}, {"protocolVersion": 3}, {"protocolVersion": "2025-11-25", "capabilities": 1}],
)
def test_a_handshake_that_cannot_be_read_is_refused(params: Any) -> None:
    assert legacy("initialize", params).verdict == (200, -32602)


def test_a_handshake_without_capabilities_declares_none() -> None:
    assert legacy("initialize", {"protocolVersion": "2025-11-25"}).status == 200


def test_results_carry_nothing_of_the_modern_revision() -> None:
    session = shake_hands()
    listed = legacy("tools/list", headers=session).result
    called = legacy("tools/call", {"name": "echo"}, headers=session).result
    assert listed.keys() == {"tools"}
    assert called == {
        "content": [{"type": "text", "text": "echo"}],
        "structuredContent": {"arguments": {}},
    }


@pytest.mark.parametrize("headers", [{}, {"MCP-Protocol-Version": "2025-06-18"}])
def test_a_client_without_a_session_id_is_served(headers: dict[str, str]) -> None:
    assert legacy("ping", headers=headers).result == {}
    assert legacy("tools/list", headers=headers).result["tools"]


def test_an_unknown_method_and_malformed_params_are_errors_that_old_clients_can_read() -> None:
    assert legacy("resources/list").verdict == (200, -32601)
    assert legacy("server/discover", {}).verdict == (200, -32601)
    assert legacy("tools/call", {}).verdict == (200, -32602)
    assert legacy("tools/call", []).verdict == (200, -32602)
    assert legacy("tools/list", {"cursor": "x"}).verdict == (200, -32602)


def test_the_session_id_is_visible_ascii_and_short() -> None:
    session_id = shake_hands()["Mcp-Session-Id"]
    assert len(session_id) < 512
    assert all("!" <= character <= "~" for character in session_id)


def test_a_session_id_that_is_not_ours_sends_the_client_back_to_the_handshake() -> None:
    session = shake_hands()
    good = session["Mcp-Session-Id"]
    for bad in ("", "x", good[:-1], good + "A", "é", "x" * 5000):
        assert legacy("ping", headers=session | {"Mcp-Session-Id": bad}).status == 404
    assert legacy("ping", headers=session, principal=HOST).status == 404
    assert (
        legacy("ping", headers=session, server=make_server(sealer=SignedSealer(["other"]))).status
        == 404
    )
    assert legacy("ping", headers=session, now=NOW + LIVES_FOR).status == 404
    almost = NOW + LIVES_FOR - timedelta(seconds=1)
    assert legacy("ping", headers=session, now=almost).status == 200


def test_a_session_outlives_a_rotation_of_the_signing_key() -> None:
    session = shake_hands(server=make_server(sealer=SignedSealer(["old"])))
    assert (
        legacy(
            "ping", headers=session, server=make_server(sealer=SignedSealer(["old", "new"]))
        ).status
        == 200
    )


def test_a_client_that_declared_urls_is_told_of_them_by_error() -> None:
    reply = legacy("tools/call", {"name": "ask_url"}, headers=shake_hands())
    assert reply.verdict == (200, -32042)
    assert reply.error["data"] == {
        "elicitations": [
            {
                "mode": "url",
                "message": "Open the page.",
                "url": "https://parley.example/s/1",
                "elicitationId": "id-1",
            }
        ]
    }


@pytest.mark.parametrize(
    ("tool", "capabilities", "named"),
    [
        ("ask_url", {}, "elicitation.url"),
        ("ask_url", {"elicitation": {}}, "elicitation.url"),
        ("ask_url", None, "elicitation.url"),
        ("ask_form", BOTH_MODES, "needs a client of MCP 2026-07-28"),
        ("wait", BOTH_MODES, "needs a client of MCP 2026-07-28"),
        ("sample", BOTH_MODES, "sampling"),
    ],
)
def test_what_cannot_be_asked_on_this_leg_is_a_tool_error(
    tool: str, capabilities: Any, named: str
) -> None:
    headers = {} if capabilities is None else shake_hands(capabilities)
    result = legacy("tools/call", {"name": tool}, headers=headers).result
    assert result["isError"] is True
    assert named in result["content"][0]["text"]


def test_what_a_retry_carries_is_not_looked_at() -> None:
    params = {"name": "ask_url", "inputResponses": {"page": {"action": "accept"}}}
    reply = legacy("tools/call", params, headers=shake_hands(), principal=EVERYTHING)
    assert reply.error["code"] == -32042
