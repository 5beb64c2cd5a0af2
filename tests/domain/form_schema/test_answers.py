"""Which contents are answers: JSON types kept, every misfit named by its field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.domain.errors import InvalidContent
from chalicelib.domain.form_schema import validate_content, vet_schema

ENUM = {"type": "string", "enum": ["a", "b", ""]}
MULTI = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}


def form(leaf: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    names = ["x"] if required else []
    return vet_schema({"type": "object", "properties": {"x": leaf}, "required": names})


def problems(schema: dict[str, Any], content: object) -> dict[str, str]:
    with pytest.raises(InvalidContent) as refused:
        validate_content(schema, content)
    return {problem.path: problem.message for problem in refused.value.fields}


@pytest.mark.parametrize(
    ("leaf", "given", "kept"),
    [
        ({"type": "string"}, "3", "3"),
        ({"type": "string"}, "", ""),
        ({"type": "string", "maxLength": 2}, "\U0001f468\u200d", "\U0001f468\u200d"),
        ({"type": "string", "pattern": "^a$"}, "b", "b"),
        ({"type": "number"}, 3, 3),
        ({"type": "number"}, 3.0, 3.0),
        ({"type": "number"}, 0.1, 0.1),
        ({"type": "number", "minimum": 1, "maximum": 2}, 1, 1),
        ({"type": "integer"}, 3.0, 3),
        ({"type": "integer"}, 2**70 + 1, 2**70 + 1),
        ({"type": "integer"}, -(10**300), -(10**300)),
        ({"type": "boolean"}, False, False),
        (ENUM, "b", "b"),
        (ENUM, "", ""),
        (MULTI, ["b", "a"], ["b", "a"]),
        (MULTI, [], []),
    ],
)
def test_a_fitting_value_is_kept_with_its_json_type(
    leaf: dict[str, Any], given: object, kept: object
) -> None:
    content = validate_content(form(leaf), {"x": given})
    assert json.dumps(content) == json.dumps({"x": kept})


@pytest.mark.parametrize(
    ("leaf", "given", "message"),
    [
        ({"type": "string"}, 3, "Must be text"),
        ({"type": "string"}, None, "Must be text"),
        ({"type": "string"}, "\ud800", "surrogate"),
        ({"type": "string", "minLength": 2}, "ä", "at least 2 characters long; has 1"),
        ({"type": "string", "maxLength": 1}, "ab", "at most 1 character long; has 2"),
        ({"type": "number"}, "3", "Must be a number"),
        ({"type": "number"}, True, "Must be a number"),
        ({"type": "number"}, None, "Must be a number"),
        ({"type": "number"}, float("nan"), "finite"),
        ({"type": "number"}, float("inf"), "finite"),
        ({"type": "number"}, 1 << 5000, "too many digits"),
        ({"type": "number", "minimum": 1}, 0.9, "at least 1"),
        ({"type": "number", "maximum": 1}, 2**70, "at most 1"),
        ({"type": "integer"}, 3.7, "whole number"),
        ({"type": "integer"}, False, "Must be a number"),
        ({"type": "boolean"}, 1, "yes or no"),
        ({"type": "boolean"}, "true", "yes or no"),
        ({"type": "boolean"}, None, "yes or no"),
        (ENUM, "c", "one of the choices"),
        (ENUM, "A", "one of the choices"),
        (MULTI, "a", "list of choices"),
        (MULTI, ["a", "z"], "one of the choices"),
        (MULTI, ["a", 1], "Must be text"),
        (MULTI, ["a", "a"], "twice"),
        (MULTI, ["a"] * 100_000, "more entries"),
        ({**MULTI, "minItems": 2}, ["a"], "at least 2; 1 chosen"),
        ({**MULTI, "maxItems": 1}, ["a", "b"], "at most 1; 2 chosen"),
    ],
)
def test_a_misfit_is_named_by_its_field_with_advice(
    leaf: dict[str, Any], given: object, message: str
) -> None:
    found = problems(form(leaf), {"x": given})
    assert list(found) == ["x"]
    assert message in found["x"]


@pytest.mark.parametrize("given", [None, {}])
def test_a_required_field_cannot_be_left_out(given: object) -> None:
    assert problems(form({"type": "boolean"}, required=True), given) == {"x": "Is required."}


def test_absent_is_not_false() -> None:
    assert validate_content(form({"type": "boolean"}), {}) == {}


def test_a_field_left_out_takes_its_default_unless_the_page_has_shown_it() -> None:
    schema = form({"type": "boolean", "default": True}, required=True)
    assert validate_content(schema, {}) == {"x": True}
    assert validate_content(schema, {"x": False}) == {"x": False}
    with pytest.raises(InvalidContent):
        validate_content(schema, {}, apply_defaults=False)
    optional = form({**MULTI, "default": ["a"]})
    assert validate_content(optional, {}) == {"x": ["a"]}
    assert validate_content(optional, {}, apply_defaults=False) == {}


@pytest.mark.parametrize("content", [[], "x", 3, True, [["x", 1]]])
def test_content_that_is_no_object_is_refused(content: object) -> None:
    assert list(problems({}, content)) == ["content"]


def test_every_misfit_is_named_and_unknown_keys_too() -> None:
    schema = vet_schema(
        {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
    )
    assert list(problems(schema, {"s": 1, "n": "1", "z\u202e": 1})) == ["n", "s", "z[U+202E]"]


def test_an_error_about_many_unknown_keys_stays_short() -> None:
    found = problems({}, {f"{at}-" + "k" * 1000: 1 for at in range(5000)})
    assert len(found) == 21
    assert max(map(len, found)) <= 200


def test_kept_fields_stand_in_the_order_of_the_question() -> None:
    schema = vet_schema(
        {"type": "object", "properties": {"b": {"type": "boolean"}, "a": {"type": "boolean"}}}
    )
    assert list(validate_content(schema, {"a": True, "b": True})) == ["b", "a"]
