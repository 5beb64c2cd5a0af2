"""Which schemas are forms (MCP facts, section 1.2), and what is said of those that are not."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.errors import InvalidSchema, TooLarge
from chalicelib.domain.form_schema import derive_fields, validate_content, vet_schema

TITLED = [{"const": "p", "title": "Production"}, {"const": "s", "title": "Staging"}]


def form(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def bad_paths(schema: object) -> list[str]:
    with pytest.raises(InvalidSchema) as refused:
        vet_schema(schema)
    return [problem.path for problem in refused.value.fields]


@pytest.mark.parametrize(
    "leaf",
    [
        {"type": "string", "title": "Name", "description": "Who?", "minLength": 1, "maxLength": 9},
        {"type": "string", "format": "email"},
        {"type": "string", "format": "uri"},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time", "default": "2026-08-31T14:30:00Z"},
        {"type": "string", "pattern": "(a+)+$"},
        {"type": "string", "minLength": 3.0},
        {"type": "number", "minimum": 0.5, "maximum": 1, "default": 0.75},
        {"type": "integer", "minimum": 1, "maximum": 10**40, "default": 10**30},
        {"type": "boolean", "default": False},
        {"type": "string", "enum": ["a", "b"], "default": "b"},
        {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        {"type": "string", "oneOf": TITLED, "default": "s"},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a", "b"]},
        {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1, "maxItems": 2},
        {"type": "boolean", "x-unknown": {"deep": [None]}, "readOnly": True, "minLength": "odd"},
    ],
)
def test_every_leaf_form_of_mcp_is_accepted_as_it_is(leaf: dict[str, Any]) -> None:
    schema = form(x=leaf)
    assert vet_schema(schema) == schema
    assert len(derive_fields(schema)) == 1


@pytest.mark.parametrize("raw", [None, {}])
def test_no_schema_is_a_plain_yes_or_no(raw: object) -> None:
    assert vet_schema(raw) == {}
    assert derive_fields({}) == ()
    assert validate_content({}, {}) == {}


def test_annotations_of_the_root_stay() -> None:
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema = form(x={"type": "boolean"}) | {
        "$schema": dialect,
        "title": "Confirm",
        "additionalProperties": False,
        "required": ["x"],
    }
    assert vet_schema(schema) == schema


@pytest.mark.parametrize("raw", [[], "object", 1, True, [{"type": "object"}]])
def test_a_schema_that_is_no_object_is_refused(raw: object) -> None:
    assert bad_paths(raw) == ["requestedSchema"]


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ({"type": "object"}, ["properties"]),
        ({"properties": {}}, ["type"]),
        ({"type": "array", "properties": []}, ["type", "properties"]),
        (form() | {"required": "x"}, ["required"]),
        (form() | {"required": ["x", 1]}, ["required[0]", "required[1]"]),
        (form() | {"$ref": "#/x", "anyOf": []}, ["$ref", "anyOf"]),
    ],
)
def test_a_broken_root_is_refused_by_path(schema: object, paths: list[str]) -> None:
    assert bad_paths(schema) == [f"requestedSchema.{path}" for path in paths]


@pytest.mark.parametrize(
    ("leaf", "paths"),
    [
        ("string", [""]),
        (None, [""]),
        ({}, [".type"]),
        ({"type": ["string", "null"]}, [".type"]),
        ({"type": "null"}, [".type"]),
        ({"type": "object", "properties": {}}, [".properties", ".type"]),
        ({"$ref": "https://example.org/s"}, [".$ref", ".type"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, [".anyOf", ".type"]),
        ({"type": "string", "allOf": []}, [".allOf"]),
        ({"type": "string", "const": "x"}, [".const"]),
        ({"type": "string", "title": 1, "description": None}, [".title", ".description"]),
        ({"type": "string", "format": "password"}, [".format"]),
        ({"type": "string", "format": ["email"]}, [".format"]),
        ({"type": "string", "minLength": 5, "maxLength": 4}, [".minLength"]),
        ({"type": "string", "minLength": -1, "maxLength": "9"}, [".minLength", ".maxLength"]),
        ({"type": "string", "minLength": True, "maxLength": 1.5}, [".minLength", ".maxLength"]),
        ({"type": "number", "minimum": 2, "maximum": 1}, [".minimum"]),
        ({"type": "integer", "minimum": 1.2, "maximum": 1.8}, [".minimum"]),
        ({"type": "number", "minimum": "1", "maximum": True}, [".minimum", ".maximum"]),
        ({"type": "number", "minimum": float("-inf")}, [".minimum"]),
        ({"type": "integer", "enum": [1, 2]}, [".enum"]),
        ({"type": "string", "enum": []}, [".enum"]),
        ({"type": "string", "enum": "a"}, [".enum"]),
        ({"type": "string", "enum": ["a", 1, None]}, [".enum[1]", ".enum[2]"]),
        ({"type": "string", "enum": ["a", "b", "a"]}, [".enum[2]"]),
        ({"type": "string", "enum": ["a\nb", "a\r\nb"]}, [".enum[1]"]),
        ({"type": "string", "enum": ["a\0"]}, [".enum[0]"]),
        ({"type": "string", "enum": ["a"], "enumNames": ["A", "B"]}, [".enumNames"]),
        ({"type": "string", "enum": ["a"], "enumNames": [1]}, [".enumNames[0]"]),
        ({"type": "string", "enumNames": ["A"]}, [".enumNames"]),
        ({"type": "string", "enum": ["a"], "oneOf": TITLED}, [".oneOf"]),
        ({"type": "string", "oneOf": []}, [".oneOf"]),
        ({"type": "string", "oneOf": ["a"]}, [".oneOf[0]"]),
        ({"type": "string", "oneOf": [{"const": "a"}]}, [".oneOf[0].title"]),
        ({"type": "string", "oneOf": [{"title": "A"}]}, [".oneOf[0].const"]),
        ({"type": "string", "oneOf": [*TITLED, TITLED[0]]}, [".oneOf[2].const"]),
        ({"type": "array"}, [".items"]),
        ({"type": "array", "items": {"type": "string"}}, [".items"]),
        ({"type": "array", "items": {"enum": ["a"]}}, [".items.type"]),
        ({"type": "array", "items": {"oneOf": TITLED}}, [".items.oneOf", ".items"]),
        ({"type": "array", "items": {"anyOf": TITLED, "$ref": "#"}}, [".items.$ref"]),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 3}, [".minItems"]),
        (
            {"type": "array", "items": {"anyOf": TITLED}, "minItems": 2, "maxItems": 1},
            [".minItems"],
        ),
        ({"type": "string", "items": {}}, [".items"]),
    ],
)
def test_a_property_outside_the_dialect_is_refused_by_path(leaf: object, paths: list[str]) -> None:
    assert bad_paths(form(age=leaf)) == [f"requestedSchema.properties.age{path}" for path in paths]


@pytest.mark.parametrize(
    "leaf",
    [
        {"type": "string", "default": 3},
        {"type": "string", "default": None},
        {"type": "string", "minLength": 2, "default": "a"},
        {"type": "string", "format": "email", "default": "nobody"},
        {"type": "integer", "default": 1.5},
        {"type": "number", "default": True},
        {"type": "number", "maximum": 1, "default": 2},
        {"type": "boolean", "default": "true"},
        {"type": "string", "enum": ["a"], "default": "b"},
        {"type": "array", "items": {"anyOf": TITLED}, "default": "p"},
        {"type": "array", "items": {"anyOf": TITLED}, "default": ["p", "p"]},
        {"type": "array", "items": {"anyOf": TITLED}, "default": ["q"]},
        {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1, "default": []},
    ],
)
def test_a_default_that_is_no_answer_is_refused(leaf: object) -> None:
    assert bad_paths(form(x=leaf)) == ["requestedSchema.properties.x.default"]


def test_every_bad_path_is_named_not_only_the_first() -> None:
    schema = form(a={"type": "x"}, b={"type": "string", "minLength": -1}, c={"type": "boolean"})
    schema["properties"]["d"] = {"type": "number", "maximum": float("nan"), "note": "\ud800"}
    assert set(bad_paths(schema | {"required": ["e"]})) == {
        "requestedSchema.required[0]",
        "requestedSchema.properties.a.type",
        "requestedSchema.properties.b.minLength",
        "requestedSchema.properties.d.maximum",
        "requestedSchema.properties.d.note",
    }


@pytest.mark.parametrize("name", ["", "  "])
def test_a_field_needs_a_name(name: str) -> None:
    assert bad_paths(form(**{name: {"type": "boolean"}}))


def test_what_cannot_be_stored_is_refused_even_in_annotations() -> None:
    deep: Any = "end"
    for _ in range(500):
        deep = {"x": deep}
    for annotation in (float("inf"), "\udfff", {"\ud800": 1}, deep, 1 << 20000):
        assert bad_paths(form(x={"type": "boolean", "note": annotation}))


def test_hidden_characters_of_a_name_are_visible_in_its_path() -> None:
    assert bad_paths(form(**{"a\u202eb": 1})) == ["requestedSchema.properties.a[U+202E]b"]


@pytest.mark.parametrize(
    ("schema", "limit"),
    [
        (form(**{f"x{at}": {"type": "boolean"} for at in range(65)}), "64 fields"),
        (form(x={"type": "string", "enum": [str(at) for at in range(201)]}), "200 choices"),
        (form(x={"type": "string", "description": "ä" * 33_000}), "64 KiB"),
        (form(**{"x" * 201: {"type": "boolean"}}), "200 characters"),
    ],
)
def test_what_is_too_large_is_told_its_limit(schema: object, limit: str) -> None:
    with pytest.raises(TooLarge, match=limit) as refused:
        vet_schema(schema)
    assert refused.value.fields[0].path.startswith("requestedSchema")


def test_a_schema_at_its_limits_is_accepted() -> None:
    choices = {"type": "string", "enum": [str(at) for at in range(200)]}
    vet_schema(form(**{"x" * 200: choices, **{f"x{at}": {"type": "boolean"} for at in range(63)}}))


def test_the_stored_schema_is_a_copy() -> None:
    raw = form(x={"type": "string", "enum": ["a"]})
    stored = vet_schema(raw)
    raw["properties"]["x"]["enum"].append("b")
    assert stored == form(x={"type": "string", "enum": ["a"]})


def test_a_secret_in_a_form_is_refused_and_url_mode_named() -> None:
    with pytest.raises(InvalidSchema) as refused:
        vet_schema(form(api_key={"type": "string"}, name={"type": "string"}))
    (problem,) = refused.value.fields
    assert problem.path == "requestedSchema.properties.api_key"
    assert "URL mode" in problem.message
