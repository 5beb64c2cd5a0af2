"""Defaults stand in the controls as a browser would post them."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.web.prefill import prefilled
from tests.web.samples import field

REGIONS = {"enum": ["eu", "us"]}

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"type": "string"}, []),
    ({"type": "string", "default": "two\nlines"}, ["two\nlines"]),
    ({"type": "boolean", "default": False}, ["false"]),
    ({"type": "boolean", "default": True}, ["true"]),
    ({"type": "integer", "default": 3}, ["3"]),
    ({"type": "integer", "default": 3.0}, ["3"]),
    ({"type": "integer", "default": 9007199254740993}, ["9007199254740993"]),
    ({"type": "number", "default": 0.1}, ["0.1"]),
    ({"type": "number", "default": 1e22}, ["1e+22"]),
    ({"type": "string", "enum": ["a", "b"], "default": "b"}, ["b"]),
    ({"type": "array", "items": REGIONS, "default": ["us", "eu"]}, ["us", "eu"]),
    ({"type": "array", "items": REGIONS, "default": []}, []),
    ({"type": "string", "format": "date", "default": "2026-12-01"}, ["2026-12-01"]),
]


@pytest.mark.parametrize(("leaf", "values"), CASES)
def test_a_default_is_spelled_as_its_control_posts_it(
    leaf: dict[str, Any], values: list[str]
) -> None:
    assert prefilled(field(leaf)) == values


@pytest.mark.parametrize(
    ("default", "shown"),
    [
        ("2026-12-01T10:00:00Z", "2026-12-01T10:00"),
        ("2026-12-01t10:00:00z", "2026-12-01T10:00"),
        ("2026-12-01T10:00:00+02:00", "2026-12-01T08:00"),
        ("2026-12-01T10:00:30Z", "2026-12-01T10:00:30"),
        ("2026-12-01T10:00:30.250Z", "2026-12-01T10:00:30.250"),
    ],
)
def test_an_instant_is_prefilled_in_utc_and_as_fine_as_it_is(default: str, shown: str) -> None:
    leaf = {"type": "string", "format": "date-time", "default": default}
    assert prefilled(field(leaf)) == [shown]
