"""The argument checks: each keyword, with the path that names the argument."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.mcp_server.arguments import argument_problems

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
        "action": {"type": "string", "enum": ["accept", "decline"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "share": {"type": "number"},
        "loud": {"type": "boolean"},
        "list": {"type": "array"},
        "content": {"type": "object"},
        "inner": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
    },
}


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({}, ["name is required"]),
        ({"name": 3}, ["name must be a string"]),
        ({"name": None}, ["name must be a string"]),
        ({"name": "a"}, ["name must have at least 2 characters"]),
        ({"name": "abcde"}, ["name must have at most 4 characters"]),
        ({"name": "AB"}, ["name must match ^[a-z]+$"]),
        ({"name": "ab\n"}, ["name must match ^[a-z]+$"]),
        ({"name": "ab", "action": "agree"}, ["action must be one of accept, decline"]),
        ({"name": "ab", "limit": 0}, ["limit must be at least 1"]),
        ({"name": "ab", "limit": 101}, ["limit must be at most 100"]),
        ({"name": "ab", "limit": True}, ["limit must be an integer"]),
        ({"name": "ab", "limit": 1.0}, ["limit must be an integer"]),
        ({"name": "ab", "limit": "1"}, ["limit must be an integer"]),
        ({"name": "ab", "share": "1"}, ["share must be a number"]),
        ({"name": "ab", "loud": 1}, ["loud must be a boolean"]),
        ({"name": "ab", "list": {}}, ["list must be an array"]),
        ({"name": "ab", "content": []}, ["content must be an object"]),
        ({"name": "ab", "inner": {}}, ["inner.x is required"]),
        ({"name": "ab", "inner": {"x": "1"}}, ["inner.x must be an integer"]),
        ({"name": "ab", "other": 1}, ["other is not an argument of this tool"]),
    ],
)
def test_every_problem_names_its_argument(value: dict[str, Any], problems: list[str]) -> None:
    found = argument_problems(SCHEMA, value)
    assert [f"{problem.path} {problem.message}" for problem in found] == problems


@pytest.mark.parametrize(
    "value",
    [
        {"name": "ab"},
        {"name": "abcd", "action": "accept", "limit": 1, "share": 0.5, "loud": False, "list": []},
        {"name": "ab", "limit": 100, "share": 2, "content": {"any": {"thing": None}}},
    ],
)
def test_what_fits_has_no_problems(value: dict[str, Any]) -> None:
    assert argument_problems(SCHEMA, value) == ()


def test_a_hostile_argument_name_is_shortened_and_made_visible() -> None:
    (problem,) = argument_problems(SCHEMA, {"name": "ab", "\u202e" + "x" * 500 + "\n": 1})
    assert len(problem.path) <= 80
    assert "\u202e" not in problem.path
    assert "\n" not in problem.path
