from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from infra.checks import lint as checks

pytestmark = pytest.mark.slow
"""The linters need their own environment (`make setup-tools`) and seconds a run."""


def test_the_template_is_clean_before_and_after_the_transform(
    tmp_path: Path, template: dict[str, Any]
) -> None:
    path = tmp_path / "sam.json"
    path.write_text(json.dumps(template))

    assert checks.problems(path) == []


def test_a_cycle_through_the_api_is_found_after_the_transform(
    tmp_path: Path, template: dict[str, Any]
) -> None:
    """The API's definition names the function whose environment would name the API."""
    cyclic = copy.deepcopy(template)
    variables = cyclic["Resources"]["APIHandler"]["Properties"]["Environment"]["Variables"]
    variables["PARLEY_BASE_URL"] = {"Fn::Sub": "https://${RestAPI}.example"}
    path = tmp_path / "sam.json"
    path.write_text(json.dumps(cyclic))

    assert checks.lint(path) == []
    assert any("E3004" in problem for problem in checks.problems(path))


def test_a_stage_that_sam_adds_is_found(tmp_path: Path, template: dict[str, Any]) -> None:
    staged = copy.deepcopy(template)
    del staged["Globals"]["Api"]

    found = checks.stage_problems(checks.translate(staged, tmp_path))

    assert len(found) == 2
    assert all(problem.endswith("makes a stage called Stage") for problem in found)
