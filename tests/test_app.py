"""Lambda's entry points, as Lambda finds and calls them."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import app as entry
from app import create_app
from chalicelib.api.routes import ROUTES
from chalicelib.bootstrap import Services
from infra.local.context import LambdaContext
from tests.house.tree import ROOT

EVENTS = ROOT / "tests" / "events"
FUNCTIONS = {"poll", "run_timers", "deliver_notices", "run_turns", "cleanup", "probe"}
SEGMENT = re.compile(r"[\w.-]+|\{\w+\}")


def recorded(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text())
    return event


def test_every_trigger_stands_in_app_under_the_name_that_lambda_imports() -> None:
    """Chalice deploys a handler of a blueprint under a name that never imports this module."""
    handlers = {
        *(handler.handler_string for handler in entry.app.pure_lambda_functions),
        *(source.handler_string for source in entry.app.event_sources),
    }
    assert handlers == {f"app.{name}" for name in FUNCTIONS}
    for handler in handlers:
        module, _, name = handler.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))


def test_every_path_is_one_that_api_gateway_takes() -> None:
    """`chalice package` does not look; only whole segments named by word characters work."""
    bad = [
        path
        for path in entry.app.routes
        if path != "/" and not all(SEGMENT.fullmatch(part) for part in path[1:].split("/"))
    ]
    assert not bad


def test_an_app_can_be_made_twice_and_has_all_its_methods_each_time() -> None:
    """A blueprint that is registered again loses its methods; each app makes its own."""
    first, second = (create_app(Services({})) for _ in range(2))
    methods = {path: set(entries) for path, entries in first.routes.items()}
    assert {path: set(entries) for path, entries in second.routes.items()} == methods
    assert len(first.routes) > len(ROUTES)


def test_importing_it_needs_no_region_no_name_and_no_network(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    code = "import socket; socket.socket = None; import app; print(len(app.app.routes))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**clean, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(entry.app.routes)


def test_a_rest_event_is_answered_as_a_proxy_result() -> None:
    event = recorded("rest_get_poll") | {"resource": "/api/v1/sessions", "path": "/api/v1/sessions"}
    event["httpMethod"] = event["requestContext"]["httpMethod"] = "GET"
    event["requestContext"]["resourcePath"] = "/api/v1/sessions"
    event["multiValueHeaders"] = {}
    event["headers"] = {}
    nowhere = {"PARLEY_ENGINE_URL": "http://127.0.0.1:9", "PARLEY_TABLE": "parley"}
    result = create_app(Services(nowhere))(event, LambdaContext("api_handler"))
    assert result["statusCode"] == 401
    assert json.loads(result["body"])["error"]["code"] == "unauthenticated"
    assert result["headers"]["X-Parley"] == "1"


@pytest.mark.parametrize("name", ["run_timers", "deliver_notices", "run_turns"])
def test_a_batch_reports_the_records_that_failed_and_no_others(name: str) -> None:
    """Bodies that cannot be read: each goes back on its own, to end in the dead-letter queue."""
    event = recorded("sqs_two_records")
    for record in event["Records"]:
        record["body"] = "not JSON"
    answer = getattr(entry, name)(event, LambdaContext(name))
    failed = [item["itemIdentifier"] for item in answer["batchItemFailures"]]
    assert failed == [record["messageId"] for record in event["Records"]]
