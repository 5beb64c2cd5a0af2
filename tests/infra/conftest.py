"""One package for all tests of infra/: without the third-party packages, so free of downloads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.build import Package, build


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The production stage, built from the working tree."""
    return build("production", out=tmp_path_factory.mktemp("build"), requirements=None)


@pytest.fixture(scope="session")
def template(package: Package) -> dict[str, Any]:
    """The SAM template that would be deployed. Tests that change it take a deep copy."""
    made: dict[str, Any] = json.loads(package.template.read_text())
    return made
