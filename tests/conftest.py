"""What every test runs under: loopback only, no AWS account, no variable of the caller's own."""

from __future__ import annotations

import os

import pytest
import pytest_socket
from hypothesis import settings

from infra.local.resources import CREDENTIALS
from tests.engine import aws, engine, table
from tests.parley import deployment, parley

__all__ = ["aws", "deployment", "engine", "parley", "table"]

_OURS = ("PARLEY_", "ELICITATION_", "AWS_", "TOOL_RESULT_")
_KEPT = {"PARLEY_REQUIRE_BROWSER"}

SLOW_TEST_SECONDS = 1_200


def pytest_configure() -> None:
    """Before anything is imported that reads the environment."""
    for name in [name for name in os.environ if name.startswith(_OURS) and name not in _KEPT]:
        del os.environ[name]
    os.environ.update(CREDENTIALS)
    # Cores are shared: no timing assertions; half of the default examples keeps the suite short.
    settings.register_profile("parley", deadline=None, max_examples=50)
    settings.load_profile("parley")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests may take longer than the limit in pyproject.toml."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TEST_SECONDS))


def pytest_runtest_setup() -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
