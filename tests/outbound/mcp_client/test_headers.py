"""Header values, and the arguments that a tool's schema wants in headers."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outbound.mcp_client.headers import (
    InvalidAnnotation,
    encode,
    mirror_paths,
    mirrored,
)


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("us-west1", "us-west1"),
        ("two words", "two words"),
        ("", "=?base64??="),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?literal", "=?base64?literal"),
    ],
)
def test_a_value_that_http_would_change_goes_as_base64(value: str, header: str) -> None:
    assert encode(value) == header


@given(st.text())
def test_every_value_can_be_read_back(value: str) -> None:
    header = encode(value)
    assert header.isascii()
    assert header.isprintable()
    if header != value:
        inner = header.removeprefix("=?base64?").removesuffix("?=")
        assert base64.b64decode(inner, validate=True).decode() == value


def annotated(name: object = "Region", kind: object = "string") -> dict[str, Any]:
    return {"type": kind, "x-mcp-header": name}


def test_annotated_arguments_are_found_through_properties_alone() -> None:
    schema = {
        "type": "object",
        "properties": {
            "region": annotated("Region"),
            "query": {"type": "string"},
            "x-mcp-header": {"type": "string"},
            "options": {"type": "object", "properties": {"limit": annotated("Limit", "integer")}},
        },
    }
    assert mirror_paths(schema) == {
        "Mcp-Param-Region": ("region",),
        "Mcp-Param-Limit": ("options", "limit"),
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": annotated("")}},
        {"properties": {"a": annotated("no token")}},
        {"properties": {"a": annotated("a\r\nX: y")}},
        {"properties": {"a": annotated(3)}},
        {"properties": {"a": annotated(None)}},
        {"properties": {"a": annotated("A"), "b": annotated("a")}},
        {"properties": {"a": annotated(kind="number")}},
        {"properties": {"a": annotated(kind="object")}},
        {"properties": {"a": annotated(kind=["string", "null"])}},
        {"properties": {"a": {"x-mcp-header": "A"}}},
        {"x-mcp-header": "Root", "type": "string"},
        {"properties": {"a": {"type": "array", "items": annotated()}}},
        {"oneOf": [{"properties": {"a": annotated()}}]},
        {"$defs": {"a": annotated()}},
        {"if": {"properties": {"a": annotated()}}},
        {"properties": {"a": {"not": annotated()}}},
    ],
)
def test_a_broken_annotation_makes_the_tool_invalid(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnnotation):
        mirror_paths(schema)


def test_values_are_mirrored_as_text_and_absent_or_null_ones_are_not() -> None:
    paths = {f"Mcp-Param-{name}": (name,) for name in "abcdefg"} | {"Mcp-Param-Deep": ("o", "x")}
    arguments = {"a": "ü", "b": -7, "c": True, "d": False, "e": None, "f": 1.5, "o": {"x": "deep"}}
    assert mirrored(paths, arguments) == {
        "Mcp-Param-a": "=?base64?w7w=?=",
        "Mcp-Param-b": "-7",
        "Mcp-Param-c": "true",
        "Mcp-Param-d": "false",
        "Mcp-Param-Deep": "deep",
    }
    assert mirrored({"Mcp-Param-Deep": ("o", "x")}, {"o": "not an object"}) == {}
