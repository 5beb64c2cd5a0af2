"""The fields of a form, as a vetted `requestedSchema` describes them.

One reading of the eight leaf forms of MCP, used by the page, the answer check and the vetting of
defaults. Titles and descriptions are raw here: whoever shows them goes through `domain/text.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chalicelib.domain.form_schema.naming import humanised


class Kind(StrEnum):
    """What kind of answer a field takes."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    SELECT = "select"
    MULTISELECT = "multiselect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice: `value` is what the asker gets, `title` what the person reads."""

    value: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One question of a form. Lengths are code points; a bound that is `None` does not bind.

    `format` is email, uri, date or date-time. `pattern` is shown as a hint and never executed.
    """

    name: str
    kind: Kind
    title: str
    description: str | None = None
    required: bool = False
    format: str | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_items: int | None = None
    max_items: int | None = None
    options: tuple[Option, ...] = ()
    default: str | int | float | bool | tuple[str, ...] | None = None


def derive_fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of a vetted schema in its own order; none for `{}`."""
    required = frozenset(schema.get("required", ()))
    leaves = schema.get("properties", {})
    return tuple(
        derive_field(name, leaf, required=name in required) for name, leaf in leaves.items()
    )


def derive_field(name: str, leaf: Mapping[str, Any], *, required: bool) -> Field:
    """The field for one property whose structure is vetted; its default need not be."""
    kind = _kind(leaf)
    default = leaf.get("default")
    title = leaf.get("title", "")
    return Field(
        name=name,
        kind=kind,
        title=title if title.strip() else humanised(name),
        description=leaf.get("description"),
        required=required,
        options=_options(leaf),
        default=tuple(default) if isinstance(default, list) else default,
        **_bounds(kind, leaf),
    )


def _bounds(kind: Kind, leaf: Mapping[str, Any]) -> dict[str, Any]:
    """Only what binds this kind: elsewhere the same keyword is an annotation, and unvetted."""
    if kind is Kind.TEXT:
        return {
            "format": leaf.get("format"),
            "pattern": leaf.get("pattern"),
            "min_length": _count(leaf.get("minLength")),
            "max_length": _count(leaf.get("maxLength")),
        }
    if kind is Kind.MULTISELECT:
        least, most = _count(leaf.get("minItems")), _count(leaf.get("maxItems"))
        return {"min_items": least, "max_items": most}
    if kind in {Kind.NUMBER, Kind.INTEGER}:
        return {"minimum": leaf.get("minimum"), "maximum": leaf.get("maximum")}
    return {}


def _kind(leaf: Mapping[str, Any]) -> Kind:
    if leaf["type"] == "array":
        return Kind.MULTISELECT
    if leaf["type"] != "string":
        return Kind(leaf["type"])
    return Kind.SELECT if "enum" in leaf or "oneOf" in leaf else Kind.TEXT


def _options(leaf: Mapping[str, Any]) -> tuple[Option, ...]:
    holder = leaf["items"] if leaf["type"] == "array" else leaf
    titled = holder.get("oneOf", holder.get("anyOf"))
    if titled is not None:
        return tuple(Option(value=one["const"], title=one["title"]) for one in titled)
    values = holder.get("enum", ())
    titles = holder.get("enumNames", values)
    pairs = zip(values, titles, strict=True)
    return tuple(Option(value=value, title=title) for value, title in pairs)


def _count(value: float | None) -> int | None:
    """JSON Schema takes 3.0 for a length of 3."""
    return None if value is None else int(value)
