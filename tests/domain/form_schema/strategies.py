"""Schemas of the dialect, JSON of any kind, and what a browser could post for a form."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from chalicelib.domain.form_schema import Field, Kind

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)

_short = st.text(max_size=12)
_names = st.sampled_from(["env", "dryRun", "how_many", "größe", "a.b", "f0", "note", "__proto__"])
_numbers = st.integers(-50, 50) | st.floats(-50, 50)


@st.composite
def _texts(draw: st.DrawFn) -> dict[str, Any]:
    leaf: dict[str, Any] = {"type": "string"}
    if draw(st.booleans()):
        leaf["format"] = draw(st.sampled_from(["email", "uri", "date", "date-time"]))
    if draw(st.booleans()):
        low, high = sorted([draw(st.integers(0, 9)), draw(st.integers(0, 9))])
        leaf |= {"minLength": low, "maxLength": high}
    if draw(st.booleans()):
        leaf["default"] = draw(_short)
    return leaf


@st.composite
def _amounts(draw: st.DrawFn) -> dict[str, Any]:
    leaf: dict[str, Any] = {"type": draw(st.sampled_from(["number", "integer"]))}
    if draw(st.booleans()):
        leaf["minimum"] = draw(_numbers)
    if draw(st.booleans()):
        leaf["maximum"] = draw(_numbers)
    if draw(st.booleans()):
        leaf["default"] = draw(_numbers)
    return leaf


@st.composite
def _choices(draw: st.DrawFn) -> dict[str, Any]:
    values = draw(st.lists(_short, min_size=1, max_size=4, unique=True))
    titled = [{"const": value, "title": value.upper()} for value in values]
    names = [value.upper() for value in values]
    single = [{"enum": values}, {"enum": values, "enumNames": names}, {"oneOf": titled}]
    several = [{"type": "string", "enum": values}, {"anyOf": titled}]
    if draw(st.booleans()):
        leaf: dict[str, Any] = {"type": "string"} | draw(st.sampled_from(single))
        if draw(st.booleans()):
            leaf["default"] = draw(st.sampled_from(values))
        return leaf
    leaf = {"type": "array", "items": draw(st.sampled_from(several))}
    if draw(st.booleans()):
        leaf["minItems"] = draw(st.integers(0, 4))
    if draw(st.booleans()):
        leaf["default"] = draw(st.lists(st.sampled_from(values), unique=True))
    return leaf


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A schema that is meant to be vetted; some bounds and defaults turn out not to fit."""
    leaves = st.one_of(_texts(), _amounts(), _choices(), st.just({"type": "boolean"}))
    properties = draw(st.dictionaries(_names, leaves, max_size=5))
    required = [name for name in properties if draw(st.booleans())]
    return {"type": "object", "properties": properties, "required": required}


_typed_by_hand = st.one_of(
    _short,
    _numbers.map(str),
    st.sampled_from(["", " ", "3,5", "1e3", "1e999", "-0", "٣", "a\r\nb", "true", "false", "yes"]),
    st.sampled_from(["me@example.org", "https://example.org/", "2026-02-30", "2026-02-28"]),
    st.sampled_from(["2026-02-28T10:00", "2026-02-28T10:00:01.5", "2026-02-28T10:00:00+02:00"]),
)


def _as_posted(value: str) -> str:
    """A browser posts every line break as CR LF (HTML, form submission)."""
    return value.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")


@st.composite
def posts(draw: st.DrawFn, fields: tuple[Field, ...]) -> dict[str, list[str]]:
    """What could arrive: sensible choices, and whatever a person or a program types."""
    form = {"csrf": ["x"], "f999": ["not a field"]}
    for index, field in enumerate(fields):
        offered = [_as_posted(option.value) for option in field.options]
        if field.kind is Kind.BOOLEAN:
            offered = ["true", "false", ""]
        control = st.sampled_from(offered) | _typed_by_hand if offered else _typed_by_hand
        form[f"f{index}"] = draw(st.lists(control, max_size=3, unique=draw(st.booleans())))
    return form
