"""Which era an answer to `server/discover` speaks for (facts mcp 4.2), case by case."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.outbound.mcp_client.era import disowns, refuses_handshake, version_from_discovery
from chalicelib.outbound.mcp_client.values import FailureKind, UpstreamFailed
from chalicelib.outbound.mcp_client.wire import Reply


def result(**value: Any) -> Reply:
    return Reply(200, {"jsonrpc": "2.0", "id": "1", "result": value})


def error(status: int, code: int, **data: Any) -> Reply:
    said = {"code": code, "message": "no", "data": data}
    return Reply(status, {"jsonrpc": "2.0", "id": None, "error": said})


@pytest.mark.parametrize(
    ("reply", "version"),
    [
        (result(supportedVersions=["2026-07-28"]), "2026-07-28"),
        (result(supportedVersions=["2025-11-25", "2026-07-28", "2031-01-01"]), "2026-07-28"),
        (result(supportedVersions=["2025-03-26", "2025-06-18"]), "2025-06-18"),
        (result(supportedVersions=["2031-01-01"]), "2025-11-25"),
        (result(), "2025-11-25"),
        (result(supportedVersions="2026-07-28"), "2025-11-25"),
        (error(400, -32020), "2026-07-28"),
        (error(400, -32021), "2026-07-28"),
        (error(400, -32022, supported=["2026-07-28"]), "2026-07-28"),
        (error(400, -32022, supported=["2031-01-01", "2025-06-18"]), "2025-06-18"),
        (error(400, -32600), "2025-11-25"),  # python mcp 1.30
        (error(400, -32000), "2025-11-25"),  # TypeScript SDK 1.32
        (error(404, -32601), "2025-11-25"),
        (error(200, -32602), "2025-11-25"),
        (Reply(400), "2025-11-25"),
        (Reply(404), "2025-11-25"),
        (Reply(405), "2025-11-25"),
        (Reply(426), "2025-11-25"),
    ],
)
def test_the_answer_decides_the_revision(reply: Reply, version: str) -> None:
    assert version_from_discovery(reply) == version


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(400, -32022, supported=["2031-01-01"]), FailureKind.VERSION),
        (error(400, -32022), FailureKind.VERSION),
        (Reply(401), FailureKind.UNAUTHORIZED),
        (Reply(403), FailureKind.UNAUTHORIZED),
        (Reply(429), FailureKind.HTTP),
        (Reply(500), FailureKind.HTTP),
        (error(503, -32603), FailureKind.HTTP),
    ],
)
def test_refused_credentials_trouble_and_foreign_revisions_are_no_verdict(
    reply: Reply, kind: FailureKind
) -> None:
    with pytest.raises(UpstreamFailed) as failed:
        version_from_discovery(reply)
    assert failed.value.failed.kind is kind


@pytest.mark.parametrize(
    ("reply", "refuses"),
    [
        (error(404, -32601), True),
        (error(400, -32020), True),
        (error(400, -32021), True),
        (error(400, -32022, supported=["2026-07-28"]), True),
        (error(200, -32601), False),
        (error(400, -32602), False),
        (Reply(404), False),
        (result(protocolVersion="2025-11-25"), False),
    ],
)
def test_a_modern_server_refuses_the_handshake_in_its_own_words(
    reply: Reply, refuses: bool
) -> None:
    assert refuses_handshake(reply) is refuses


@pytest.mark.parametrize(
    ("reply", "of_modern", "of_legacy"),
    [
        (error(404, -32601), False, True),
        (error(400, -32602), False, False),
        (error(200, -32602), False, False),
        (error(400, -32600), True, False),
        (error(400, -32000), True, False),
        (error(400, -32022), True, True),
        (error(400, -32020), False, True),
        (Reply(400), True, False),
        (Reply(405), True, False),
        (Reply(401), False, False),
        (Reply(429), False, False),
        (Reply(502), False, False),
        (result(), False, False),
    ],
)
def test_a_remembered_era_is_dropped_only_by_an_answer_that_disowns_it(
    reply: Reply, of_modern: bool, of_legacy: bool
) -> None:
    assert disowns(reply, modern=True) is of_modern
    assert disowns(reply, modern=False) is of_legacy
