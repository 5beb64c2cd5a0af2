"""The leaf forms of MCP 2025-06-18, 2025-11-25 and 2026-07-28, and what keeps a property from one.

Keywords we do not know are annotations and stay. Those that would change which answers are valid
(`$ref`, unions, nesting) are refused; `pattern` and the numeric extras are left to the asker, as is
its right to check once more: a stranger's regular expression is never run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem, TooLarge
from chalicelib.domain.form_schema.formats import FORMATS
from chalicelib.domain.form_schema.values import lines_folded

MAX_OPTIONS: Final = 200

NOT_FLAT: Final = (
    "$ref",
    "$dynamicRef",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
)
"""Keywords that no part of a form may have."""

_NOT_IN_A_LEAF: Final = (*NOT_FLAT, "anyOf", "const", "properties", "prefixItems", "contains")
_ONLY_WITH: Final = MappingProxyType(
    {"enum": "string", "enumNames": "string", "oneOf": "string", "items": "array"}
)
_TYPES: Final = "Must be string, number, integer, boolean, or array (of choices)."


def leaf_problems(path: str, leaf: object) -> Iterator[FieldProblem]:
    """A problem for each part of one property that is outside the dialect; raises `TooLarge`."""
    if not isinstance(leaf, dict):
        yield FieldProblem(path, "Must be an object that describes a field.")
        return
    yield from _foreign(path, leaf)
    for key in ("title", "description", "pattern"):
        if key in leaf and not isinstance(leaf[key], str):
            yield FieldProblem(f"{path}.{key}", "Must be a string.")
    check = _CHECKS.get(leaf["type"]) if isinstance(leaf.get("type"), str) else None
    if check is None:
        yield FieldProblem(f"{path}.type", _TYPES)
    else:
        yield from check(path, leaf)


def _foreign(path: str, leaf: Mapping[str, Any]) -> Iterator[FieldProblem]:
    for key in _NOT_IN_A_LEAF:
        if key in leaf:
            yield FieldProblem(f"{path}.{key}", "Is not part of a form: forms are flat.")
    for key, kind in _ONLY_WITH.items():
        if key in leaf and leaf.get("type") != kind:
            yield FieldProblem(f"{path}.{key}", f"Goes only with type {kind}.")


def _string(path: str, leaf: Mapping[str, Any]) -> Iterator[FieldProblem]:
    if "enum" in leaf and "oneOf" in leaf:
        yield FieldProblem(f"{path}.oneOf", "Goes only without enum.")
    if "enum" in leaf:
        yield from _enum(path, leaf)
    elif "enumNames" in leaf:
        yield FieldProblem(f"{path}.enumNames", "Goes only with enum.")
    if "oneOf" in leaf:
        yield from _titled(f"{path}.oneOf", leaf["oneOf"])
    yield from _counts(path, leaf, "minLength", "maxLength")
    if "format" in leaf and not (isinstance(leaf["format"], str) and leaf["format"] in FORMATS):
        yield FieldProblem(f"{path}.format", "Must be one of " + ", ".join(FORMATS) + ".")


def _number(path: str, leaf: Mapping[str, Any]) -> Iterator[FieldProblem]:
    bad = [key for key in ("minimum", "maximum") if key in leaf and not _is_number(leaf[key])]
    for key in bad:
        yield FieldProblem(f"{path}.{key}", "Must be a finite number.")
    if bad or "minimum" not in leaf or "maximum" not in leaf:
        return
    low, high = leaf["minimum"], leaf["maximum"]
    if leaf["type"] == "integer":
        low, high = math.ceil(low), math.floor(high)
    if low > high:
        yield FieldProblem(f"{path}.minimum", "Leaves no number up to maximum.")


def _boolean(*_: object) -> Iterator[FieldProblem]:
    yield from ()


def _array(path: str, leaf: Mapping[str, Any]) -> Iterator[FieldProblem]:
    yield from _counts(path, leaf, "minItems", "maxItems")
    items = leaf.get("items")
    if not isinstance(items, dict):
        yield FieldProblem(f"{path}.items", "Must be an object with enum or anyOf.")
        return
    for key in (*NOT_FLAT, "oneOf", "const", "properties", "items"):
        if key in items:
            yield FieldProblem(f"{path}.items.{key}", "Is not part of a multi-select.")
    if "anyOf" in items and "enum" not in items:
        yield from _titled(f"{path}.items.anyOf", items["anyOf"])
    elif "enum" in items and "anyOf" not in items:
        if items.get("type") != "string":
            yield FieldProblem(f"{path}.items.type", "Must be string.")
        yield from _enum(f"{path}.items", items)
    else:
        yield FieldProblem(f"{path}.items", "Must have either enum or anyOf: answers are choices.")
    choices = items.get("anyOf", items.get("enum"))
    least = leaf.get("minItems", 0)
    if isinstance(choices, list) and _is_count(least) and least > len(choices):
        yield FieldProblem(f"{path}.minItems", "Is more than there are choices.")


def _counts(path: str, leaf: Mapping[str, Any], least: str, most: str) -> Iterator[FieldProblem]:
    bad = [key for key in (least, most) if key in leaf and not _is_count(leaf[key])]
    for key in bad:
        yield FieldProblem(f"{path}.{key}", "Must be a whole number, 0 or more.")
    if not bad and least in leaf and most in leaf and leaf[least] > leaf[most]:
        yield FieldProblem(f"{path}.{least}", f"Is more than {most}.")


def _enum(path: str, holder: Mapping[str, Any]) -> Iterator[FieldProblem]:
    values = holder["enum"]
    if not isinstance(values, list) or not values:
        yield FieldProblem(f"{path}.enum", "Must be a list of at least one string.")
        return
    yield from _option_values(f"{path}.enum", {f"[{at}]": one for at, one in enumerate(values)})
    if "enumNames" not in holder:
        return
    titles = holder["enumNames"]
    if not isinstance(titles, list) or len(titles) != len(values):
        yield FieldProblem(f"{path}.enumNames", "Must be a list as long as enum.")
        return
    for at, title in enumerate(titles):
        if not isinstance(title, str):
            yield FieldProblem(f"{path}.enumNames[{at}]", "Must be a string.")


def _titled(path: str, options: object) -> Iterator[FieldProblem]:
    if not isinstance(options, list) or not options:
        yield FieldProblem(path, "Must be a list of at least one {const, title}.")
        return
    values = {}
    for at, option in enumerate(options):
        if not isinstance(option, dict):
            yield FieldProblem(f"{path}[{at}]", "Must be an object with const and title.")
            continue
        values[f"[{at}].const"] = option.get("const")
        if not isinstance(option.get("title"), str):
            yield FieldProblem(f"{path}[{at}].title", "Must be a string.")
    yield from _option_values(path, values)


def _option_values(path: str, values: Mapping[str, object]) -> Iterator[FieldProblem]:
    """Choices must be strings that a form post can tell apart. `values` maps place to value."""
    if len(values) > MAX_OPTIONS:
        message = f"A field may offer at most {MAX_OPTIONS} choices."
        raise TooLarge(message, fields=[FieldProblem(path, message)])
    seen = set()
    for place, value in values.items():
        if not isinstance(value, str):
            yield FieldProblem(path + place, "Must be a string.")
        elif "\0" in value:
            yield FieldProblem(path + place, "Must not hold a NUL character.")
        elif lines_folded(value) in seen:
            yield FieldProblem(path + place, "Is the same as an earlier choice.")
        else:
            seen.add(lines_folded(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and value == math.floor(value)


_CHECKS: Final[Mapping[str, Callable[[str, Mapping[str, Any]], Iterator[FieldProblem]]]] = (
    MappingProxyType(
        {
            "string": _string,
            "number": _number,
            "integer": _number,
            "boolean": _boolean,
            "array": _array,
        }
    )
)
