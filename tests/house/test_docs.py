"""The README's tables say what the code says: variables, routes, error codes, metrics."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from app import app
from chalicelib import domain
from chalicelib.api import problems
from chalicelib.domain.errors import ParleyError
from chalicelib.observability import DIRECT, METRICS
from chalicelib.settings import VARIABLES
from tests.house.tree import ROOT, table

LEFT_TO_THE_CODE = {
    "PARLEY_ENGINE_URL",
    "PARLEY_REMINDER_SHARE",
    "PARLEY_SESSION_TOKEN_DAYS",
    "TOOL_RESULT_TIMEOUT_SECS",
    "PARLEY_PROBE_BAD_THRESHOLD",
    "PARLEY_PROBE_GOOD_THRESHOLD",
    "PARLEY_ASKER_MAY_ANSWER",
    "PARLEY_ALLOW_PRIVATE_UPSTREAMS",
}
"""Variables that the stack leaves at their defaults; a new one must be decided on."""

VARIABLE = re.compile(r"\b(?:PARLEY|ELICITATION|POWERTOOLS|TOOL)_[A-Z_]+\b")


def kinds(root: type[ParleyError] = ParleyError) -> Iterator[type[ParleyError]]:
    """Every error of the product that callers of the HTTP API meet, the abstract base left out."""
    for module in pkgutil.iter_modules(domain.__path__, "chalicelib.domain."):
        importlib.import_module(module.name)
    for kind in root.__subclasses__():
        if kind.__module__.startswith(("chalicelib.domain", "chalicelib.api")):
            yield kind
        yield from kinds(kind)


def test_the_table_of_variables_is_the_settings() -> None:
    assert [row[0] for row in table("Configuration")] == list(VARIABLES.values())


def test_the_table_of_routes_is_the_apps() -> None:
    documented = {row[0]: set(row[1].replace(" ", "").split(",")) for row in table("HTTP API")}
    routes = {path: set(methods) for path, methods in app.routes.items()}
    routes["/mcp"] = {"POST"}  # the others are there so that the protocol refuses them, not AWS
    assert documented == routes


def test_the_table_of_codes_has_every_error_with_its_status() -> None:
    documented = {row[0]: int(row[1]) for row in table("Error codes")}
    raised = {kind.code: _status(kind) for kind in kinds()}
    assert documented == {**raised, problems.SERVER_ERROR["error"]["code"]: 500}


def _status(kind: type[ParleyError]) -> int:
    return next(status for base, status in problems.STATUSES if issubclass(kind, base))


def test_the_table_of_metrics_has_every_metric_once() -> None:
    documented = [row[0] for row in table("Metrics")]
    assert sorted(documented) == sorted([*METRICS.values(), *DIRECT])


def test_the_stack_sets_variables_that_the_service_reads_and_no_others() -> None:
    fragments = [*(ROOT / "infra" / "fragments").glob("*.yaml"), ROOT / ".chalice" / "config.json"]
    named = {name for path in fragments for name in VARIABLE.findall(_without_comments(path))}
    assert named == set(VARIABLES.values()) - LEFT_TO_THE_CODE


def _without_comments(path: Path) -> str:
    text = path.read_text()
    return json.dumps(json.loads(text)) if path.suffix == ".json" else re.sub(r"#.*", "", text)


def test_every_variable_that_the_readme_names_exists() -> None:
    """One of ours, of the runner's, of the hosts' command or of the five that askers read."""
    code = [*(ROOT / "infra" / "local").glob("*.py"), *(ROOT / "chalicelib").rglob("*.py")]
    known = {name for path in code for name in VARIABLE.findall(path.read_text())}
    known |= {"PARLEY_REQUIRE_BROWSER"}
    named = set(VARIABLE.findall((ROOT / "README.md").read_text()))
    assert named <= known
