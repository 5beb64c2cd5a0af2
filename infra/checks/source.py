"""Checks of what goes into a package: pins, stages, and handlers that Lambda can import."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chalicelib.settings import STAGES
from infra.template import functions


def pins(path: Path) -> dict[str, str]:
    """Package name (normalised) to version; raises `ValueError` for a line that pins nothing."""
    found = {}
    for line in path.read_text().splitlines():
        requirement = line.partition("#")[0].strip()
        if requirement:
            name, version = requirement.split("==")
            found[re.sub(r"[-_.]+", "-", name).lower()] = version
    return found


def pin_problems(shipped: Mapping[str, str], tested: Mapping[str, str]) -> list[str]:
    """What ships is what was tested: `tested` is what is installed where tests run."""
    return [
        f"{name}: {version} ships, {tested.get(name, 'no version')} is tested"
        for name, version in shipped.items()
        if tested.get(name) != version
    ]


def stage_problems(config: Mapping[str, Any]) -> list[str]:
    """Stages are those the settings know, and say so to the functions."""
    return [
        f"stage {name}: not a deployed stage of chalicelib/settings.py, or PARLEY_STAGE differs"
        for name, stage in config["stages"].items()
        if name not in STAGES or stage["environment_variables"]["PARLEY_STAGE"] != name
    ]


def handler_problems(template: Mapping[str, Any]) -> Iterator[str]:
    """Every handler string leads to something callable, by the way Lambda goes.

    Chalice writes them from function names without looking, and deploys triggers of a Blueprint
    past app.py, where no middleware runs (Chalice issue 1566).
    """
    for name, function in functions(template).items():
        handler = function["Properties"]["Handler"]
        module, _, attribute = handler.rpartition(".")
        if module != "app":
            yield f"{name}: {handler} does not import app.py"
        elif not callable(getattr(importlib.import_module(module), attribute, None)):
            yield f"{name}: {handler} does not exist"


def problems(root: Path, template: Mapping[str, Any], installed: Mapping[str, str]) -> list[str]:
    """All findings; `installed` maps normalised package names to versions."""
    shipped = pins(root / "infra" / "lambda-requirements.txt")
    config = json.loads((root / ".chalice" / "config.json").read_text())
    return [
        *pin_problems(shipped, installed),
        *stage_problems(config),
        *handler_problems(template),
    ]
