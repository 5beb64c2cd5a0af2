"""What an import costs, counted in modules: a measure that a busy machine does not change.

`bench/cold_start.py` has the times. A budget may grow with a reason; it stands a little above what
is loaded today.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.house.tree import ROOT
from tests.parley import Parley, path_of

APP_BUDGET = 190
"""Modules of `import app`; `import boto3` and one client load about 360."""

NOT_WITH_THE_APP = (
    "boto3",
    "botocore",
    "pydantic",
    "jinja2",
    "markupsafe",
    "tomlkit",
    "idna",
    "email_validator",
    "http.client",
    "aws_lambda_powertools",
    "chalicelib.storage",
    "chalicelib.messaging",
    "chalicelib.outbound",
    "chalicelib.jobs",
    "chalicelib.web",
)
NOT_WITH_A_POLL = (
    "pydantic",
    "jinja2",
    "tomlkit",
    "idna",
    "email_validator",
    "aws_lambda_powertools",
    "chalicelib.api.contracts.elicitations",
    "chalicelib.messaging.sns",
    "chalicelib.outbound",
    "chalicelib.mcp_server",
    "chalicelib.web",
)

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"
POLL = "import app, json, sys; assert app.poll(json.loads(sys.argv[1]), None)['statusCode'] == 200"


def loaded_by(code: str, *arguments: str, **environ: str) -> set[str]:
    """The modules of a fresh process after it ran the code, without those that Python starts
    with."""
    return _modules(f"{code}; {LOADED}", arguments, environ) - _modules(LOADED, (), {})


def _modules(code: str, arguments: tuple[str, ...], environ: dict[str, str]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def among(names: tuple[str, ...], modules: set[str]) -> list[str]:
    """Those of `names` that were loaded, whole or in part."""
    return [n for n in names if any(m == n or m.startswith(f"{n}.") for m in modules)]


@pytest.fixture(scope="module")
def of_the_app() -> set[str]:
    return loaded_by("import app")


def test_importing_the_app_stays_within_its_budget(of_the_app: set[str]) -> None:
    assert len(of_the_app) <= APP_BUDGET


def test_nothing_heavy_is_imported_before_it_is_used(of_the_app: set[str]) -> None:
    assert not among(NOT_WITH_THE_APP, of_the_app)


@pytest.mark.engine
def test_the_poll_planes_first_poll_loads_no_more_than_a_poll_needs(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    path = path_of(session["env"]["ELICITATION_POLL_URL"])
    event = {
        "httpMethod": "GET",
        "path": f"{path}/{request_id}",
        "pathParameters": {"token": path.rpartition("/")[2], "request_id": request_id},
    }
    modules = loaded_by(POLL, json.dumps(event), **parley.environ)
    assert "chalicelib.api.poll_plane" in modules
    assert not among(NOT_WITH_A_POLL, modules)


def test_the_ruler_measures() -> None:
    assert among(("json", "boto3"), loaded_by("import json.tool")) == ["json"]
