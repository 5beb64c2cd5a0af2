"""From `infra/fragments/*.yaml` to the one file that `chalice package --merge-template` takes.

JSON, since Chalice's YAML output has aliases, which CloudFormation refuses. Knows nothing of what
the fragments say; that is `checks/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from chalice.package import YAMLTemplateSerializer


class FragmentsDisagree(ValueError):
    """Two fragments say different things at one place."""

    def __init__(self, place: str) -> None:
        super().__init__(f"two fragments set {place}")


def assemble(folder: Path) -> dict[str, Any]:
    """All fragments as one template; raises `FragmentsDisagree` where the last one would win."""
    merged: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        _merge(merged, load(path), ())
    return merged


def load(path: Path) -> dict[str, Any]:
    """One fragment, its short intrinsics (`!Sub`) in their long form."""
    found: dict[str, Any] = YAMLTemplateSerializer().load_template(path.read_text(), str(path))
    return found


def _merge(into: dict[str, Any], more: Mapping[str, Any], place: Iterable[str]) -> None:
    for key, value in more.items():
        here = (*place, key)
        if key not in into:
            into[key] = value
        elif isinstance(value, dict) and isinstance(into[key], dict):
            into[key] = dict(into[key])
            _merge(into[key], value, here)
        elif value != into[key]:
            raise FragmentsDisagree(".".join(here))
