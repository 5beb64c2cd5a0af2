"""Limits are told before the person types."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.web.hints import hint_for
from tests.web.samples import field

CASES: list[tuple[dict[str, Any], str]] = [
    ({"type": "string"}, ""),
    ({"type": "string", "minLength": 0}, ""),
    ({"type": "string", "minLength": 3}, "At least 3 characters."),
    ({"type": "string", "maxLength": 40}, "At most 40 characters."),
    ({"type": "string", "minLength": 3, "maxLength": 40}, "3 to 40 characters."),
    ({"type": "string", "minLength": 4, "maxLength": 4}, "4 characters."),
    ({"type": "string", "pattern": "^[a-z]+$"}, "Expected to match ^[a-z]+$"),
    ({"type": "string", "format": "date"}, ""),
    ({"type": "string", "format": "date-time"}, "Date and time in UTC."),
    (
        {"type": "string", "format": "email", "maxLength": 40},
        "An e-mail address, such as name@example.org. At most 40 characters.",
    ),
    ({"type": "integer"}, "A whole number."),
    ({"type": "integer", "minimum": 0}, "A whole number, at least 0."),
    ({"type": "integer", "minimum": 1, "maximum": 10}, "A whole number from 1 to 10."),
    ({"type": "number", "maximum": 0.5}, "A number, at most 0.5."),
    ({"type": "boolean"}, ""),
    ({"type": "string", "enum": ["a"]}, ""),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, ""),
    ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 0}, ""),
    ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}, "Choose at least 1."),
    (
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
        "Choose 1 to 2.",
    ),
]


@pytest.mark.parametrize(("leaf", "hint"), CASES)
def test_a_hint_tells_the_limits_and_nothing_else(leaf: dict[str, Any], hint: str) -> None:
    assert hint_for(field(leaf)) == hint
