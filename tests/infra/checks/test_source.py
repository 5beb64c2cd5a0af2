from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.build import ROOT
from infra.check import installed
from infra.checks import source as checks


def test_what_ships_is_what_is_tested_and_every_handler_exists(template: dict[str, Any]) -> None:
    assert checks.problems(ROOT, template, installed()) == []


def test_both_requirement_files_pin_the_same_versions() -> None:
    service = checks.pins(ROOT / "requirements.txt")
    shipped = checks.pins(ROOT / "infra" / "lambda-requirements.txt")

    both = service.keys() & shipped.keys()
    assert {name: service[name] for name in both} == {name: shipped[name] for name in both}
    assert both >= {"aws-lambda-powertools", "pydantic", "jinja2", "itsdangerous"}


def test_pins_read_names_as_package_indexes_do(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("# why\ntyping_extensions==1.0 # here\n\nJinja2==3.1\n")

    assert checks.pins(path) == {"typing-extensions": "1.0", "jinja2": "3.1"}


def test_a_requirement_without_a_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("pydantic>=2\n")

    with pytest.raises(ValueError, match="unpack"):
        checks.pins(path)


def test_a_pin_that_differs_from_what_is_installed_is_found() -> None:
    assert checks.pin_problems({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "3"}) == [
        "b: 2 ships, 3 is tested",
        "c: 3 ships, no version is tested",
    ]


@pytest.mark.parametrize(("name", "said"), [("prod", "prod"), ("staging", "production")])
def test_a_stage_that_the_settings_do_not_know_is_found(name: str, said: str) -> None:
    config = {"stages": {name: {"environment_variables": {"PARLEY_STAGE": said}}}}

    assert checks.stage_problems(config)


@pytest.mark.parametrize("handler", ["app.no_such_function", "chalicelib.jobs.cleanup.cleanup"])
def test_a_handler_that_lambda_would_not_run_rightly_is_found(handler: str) -> None:
    function = {"Type": "AWS::Serverless::Function", "Properties": {"Handler": handler}}

    assert [*checks.handler_problems({"Resources": {"Job": function}})]
