"""The MCP conformance suite's server scenarios, for the newest revision of each era."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.mcp_server.conformance.app import serving
from tests.mcp_server.conformance.environment import HERE, prepared
from tests.mcp_server.conformance.fixture_tools import FIXTURE_TOOLS
from tests.mcp_server.support import EVERYTHING, make_server

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_every_required_scenario_passes_but_the_explained_ones(
    revision: str, tmp_path: Path
) -> None:
    environment = prepared()
    with serving(make_server(*FIXTURE_TOOLS), EVERYTHING) as http_server:
        command: list[str | Path] = [
            environment.node,
            environment.suite,
            "server",
            *("--url", http_server.url),
            *("--requirements", revision),
            *("--expected-failures", HERE / f"expected-failures-{revision}.yaml"),
            *("-o", tmp_path),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert done.returncode == 0, summary or done.stdout + done.stderr
    assert "Total: " in summary
