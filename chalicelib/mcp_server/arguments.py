"""Checks a call's arguments against the tool's input schema.

The subset of JSON Schema that Parley's tools use: type, properties, required, additionalProperties,
enum, minLength, maxLength, pattern, minimum, maximum. Not a general validator; answers to questions
are checked by `domain.form_schema`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.text import one_line

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def argument_problems(schema: Mapping[str, Any], value: Any) -> tuple[FieldProblem, ...]:
    """Everything wrong with `value`, in the schema's order; `path` of an argument is its name."""
    return tuple(_problems(schema, value, ""))


def _problems(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[FieldProblem]:
    expected = schema.get("type")
    if expected is not None and not _is_of_type(value, expected):
        article = "an" if expected[0] in "aio" else "a"
        yield FieldProblem(path, f"must be {article} {expected}")
    elif isinstance(value, dict):
        yield from _object_problems(schema, value, path)
    else:
        yield from (FieldProblem(path, text) for text in _leaf_problems(schema, value))


def _is_of_type(value: Any, expected: str) -> bool:
    if isinstance(value, bool):
        return expected == "boolean"
    return isinstance(value, _TYPES[expected])


def _object_problems(
    schema: Mapping[str, Any], value: Mapping[str, Any], path: str
) -> Iterator[FieldProblem]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield FieldProblem(_join(path, name), "is required")
    for name, part in properties.items():
        if name in value:
            yield from _problems(part, value[name], _join(path, name))
    if schema.get("additionalProperties") is False:
        for name in value.keys() - properties.keys():
            yield FieldProblem(_join(path, one_line(name)), "is not an argument of this tool")


def _leaf_problems(schema: Mapping[str, Any], value: Any) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"must be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str):
        yield from _text_problems(schema, value)
    elif isinstance(value, int | float):
        if value < schema.get("minimum", value):
            yield f"must be at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            yield f"must be at most {schema['maximum']}"


def _text_problems(schema: Mapping[str, Any], value: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"must have at least {schema['minLength']} characters"
    if len(value) > schema.get("maxLength", len(value)):
        yield f"must have at most {schema['maxLength']} characters"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield f"must match {schema['pattern']}"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
