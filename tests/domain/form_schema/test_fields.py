"""What a page needs to know of each field."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.form_schema import Field, Kind, Option, derive_fields, vet_schema

TITLED = [{"const": "p", "title": "Production"}, {"const": "s", "title": "Staging"}]
OPTIONS = (Option(value="p", title="Production"), Option(value="s", title="Staging"))


def derived(leaf: dict[str, Any]) -> Field:
    (only,) = derive_fields(vet_schema({"type": "object", "properties": {"target_env": leaf}}))
    return only


def expected(kind: Kind, **more: Any) -> Field:
    return Field(name="target_env", kind=kind, title=more.pop("title", "Target env"), **more)


@pytest.mark.parametrize(
    ("leaf", "field"),
    [
        (
            {"type": "string", "title": "T", "description": "D", "format": "uri", "maxLength": 9.0},
            expected(Kind.TEXT, title="T", description="D", format="uri", max_length=9),
        ),
        ({"type": "string", "title": " ", "pattern": "a"}, expected(Kind.TEXT, pattern="a")),
        ({"type": "number", "minimum": 0.5}, expected(Kind.NUMBER, minimum=0.5)),
        (
            {"type": "integer", "maximum": 5, "default": 2},
            expected(Kind.INTEGER, maximum=5, default=2),
        ),
        ({"type": "boolean", "default": False}, expected(Kind.BOOLEAN, default=False)),
        ({"type": "boolean", "minLength": "odd", "format": 3}, expected(Kind.BOOLEAN)),
        (
            {"type": "string", "enum": ["p", "s"], "enumNames": ["Production", "Staging"]},
            expected(Kind.SELECT, options=OPTIONS),
        ),
        ({"type": "string", "oneOf": TITLED}, expected(Kind.SELECT, options=OPTIONS)),
        (
            {"type": "string", "enum": ["p"]},
            expected(Kind.SELECT, options=(Option(value="p", title="p"),)),
        ),
        (
            {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1, "default": ["s"]},
            expected(Kind.MULTISELECT, options=OPTIONS, min_items=1, default=("s",)),
        ),
        (
            {"type": "array", "items": {"type": "string", "enum": ["p"]}, "maxItems": 1},
            expected(Kind.MULTISELECT, options=(Option(value="p", title="p"),), max_items=1),
        ),
    ],
)
def test_each_leaf_form_becomes_its_field(leaf: dict[str, Any], field: Field) -> None:
    assert derived(leaf) == field


def test_fields_keep_the_order_of_the_schema_and_know_what_is_required() -> None:
    leaves = {name: {"type": "boolean"} for name in ("z", "a", "m")}
    schema = vet_schema({"type": "object", "properties": leaves, "required": ["m", "z"]})
    fields = [(field.name, field.required) for field in derive_fields(schema)]
    assert fields == [("z", True), ("a", False), ("m", True)]
