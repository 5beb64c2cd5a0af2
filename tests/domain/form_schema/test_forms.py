"""From what a browser posts to JSON-typed content."""

from __future__ import annotations

import json

import pytest

from chalicelib.domain.errors import InvalidContent
from chalicelib.domain.form_schema import (
    Field,
    Kind,
    Option,
    coerce_form,
    validate_content,
    vet_schema,
)

OPTIONS = tuple(Option(value=value, title=value.upper()) for value in ("a", "b", "c\nd"))


def field(kind: Kind, *, required: bool = False, format: str | None = None) -> Field:  # noqa: A002
    options = OPTIONS if kind in {Kind.SELECT, Kind.MULTISELECT} else ()
    return Field(name="x", kind=kind, title="X", required=required, format=format, options=options)


@pytest.mark.parametrize(
    ("kind", "posted", "value"),
    [
        (Kind.TEXT, "3", "3"),
        (Kind.TEXT, " a\r\nb ", " a\nb "),
        (Kind.INTEGER, "3", 3),
        (Kind.INTEGER, " -3 ", -3),
        (Kind.INTEGER, "+3", 3),
        (Kind.INTEGER, "\N{MINUS SIGN}3", -3),
        (Kind.INTEGER, "3.0", 3),
        (Kind.INTEGER, "1180591620717411303425", 2**70 + 1),
        (Kind.NUMBER, "3", 3),
        (Kind.NUMBER, "3.0", 3.0),
        (Kind.NUMBER, "0.1", 0.1),
        (Kind.NUMBER, ".5", 0.5),
        (Kind.NUMBER, "1e3", 1000.0),
        (Kind.NUMBER, "1180591620717411303425", 2**70 + 1),
        (Kind.BOOLEAN, "true", True),
        (Kind.BOOLEAN, "false", False),
        (Kind.SELECT, "b", "b"),
        (Kind.SELECT, "c\r\nd", "c\nd"),
    ],
)
def test_a_posted_control_gets_its_json_type(kind: Kind, posted: str, value: object) -> None:
    content = coerce_form([field(kind)], {"f0": [posted]})
    assert json.dumps(content) == json.dumps({"x": value})


@pytest.mark.parametrize(
    ("format", "posted", "value"),
    [
        ("email", " me@example.org ", "me@example.org"),
        ("uri", "https://example.org/\r\n", "https://example.org/"),
        ("date", "2026-08-31", "2026-08-31"),
        ("date-time", "2026-08-31T14:30", "2026-08-31T14:30:00Z"),
        ("date-time", "2026-08-31T14:30:15", "2026-08-31T14:30:15Z"),
        ("date-time", "2026-08-31 14:30:15.5", "2026-08-31T14:30:15.5Z"),
        ("date-time", "2026-08-31T14:30+02:00", "2026-08-31T14:30:00+02:00"),
        ("date-time", "2026-08-31T14:30:15+02:00", "2026-08-31T14:30:15+02:00"),
        ("date-time", "tomorrow", "tomorrow"),
    ],
)
def test_a_formatted_text_is_trimmed_and_a_time_without_zone_is_utc(
    format: str,  # noqa: A002
    posted: str,
    value: str,
) -> None:
    assert coerce_form([field(Kind.TEXT, format=format)], {"f0": [posted]}) == {"x": value}


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("form", [{}, {"f0": []}, {"f0": [""]}])
def test_an_empty_control_is_a_field_left_out(kind: Kind, form: dict[str, list[str]]) -> None:
    assert coerce_form([field(kind)], form) == {}


def test_an_empty_value_is_an_answer_where_the_empty_text_is_a_choice() -> None:
    options = (Option(value="", title="None"), Option(value="a", title="A"))
    select = Field(name="x", kind=Kind.SELECT, title="X", options=options)
    assert coerce_form([select], {"f0": [""]}) == {"x": ""}
    assert coerce_form([select], {}) == {}


def test_several_ticks_are_a_list_and_none_is_an_empty_one_where_required() -> None:
    several = field(Kind.MULTISELECT)
    assert coerce_form([several], {"f0": ["b", "c\r\nd"]}) == {"x": ["b", "c\nd"]}
    assert coerce_form([field(Kind.MULTISELECT, required=True)], {}) == {"x": []}


def test_the_last_of_a_repeated_single_control_counts() -> None:
    assert coerce_form([field(Kind.BOOLEAN)], {"f0": ["false", "true"]}) == {"x": True}


def test_a_cleared_default_stays_cleared() -> None:
    schema = vet_schema(
        {"type": "object", "properties": {"x": {"type": "string", "default": "prod"}}}
    )
    content = coerce_form([field(Kind.TEXT)], {"f0": [""]})
    assert validate_content(schema, content, apply_defaults=False) == {}


@pytest.mark.parametrize(
    ("kind", "posted", "message"),
    [
        (Kind.NUMBER, "3,5", "without commas"),
        (Kind.INTEGER, "1,000", "without commas"),
        (Kind.INTEGER, "3.7", "whole number"),
        (Kind.INTEGER, "1e3", "whole number"),
        (Kind.INTEGER, "٣", "whole number"),
        (Kind.INTEGER, "9" * 5000, "too many digits"),
        (Kind.NUMBER, "three", "a number"),
        (Kind.NUMBER, "nan", "a number"),
        (Kind.NUMBER, "Infinity", "a number"),
        (Kind.NUMBER, "0x10", "a number"),
        (Kind.NUMBER, "1_000", "a number"),
        (Kind.NUMBER, "1e999", "too large"),
        (Kind.BOOLEAN, "on", "yes or no"),
    ],
)
def test_what_cannot_be_read_is_explained(kind: Kind, posted: str, message: str) -> None:
    with pytest.raises(InvalidContent) as refused:
        coerce_form([field(kind)], {"f0": [posted]})
    (problem,) = refused.value.fields
    assert problem.path == "x"
    assert message in problem.message


def test_one_refusal_names_all_problems_in_the_order_of_the_page() -> None:
    names = [("a", Kind.BOOLEAN), ("b", Kind.NUMBER), ("c", Kind.SELECT), ("d", Kind.TEXT)]
    fields = [
        Field(name=name, kind=kind, title=name, required=True, options=OPTIONS)
        for name, kind in names
    ]
    with pytest.raises(InvalidContent) as refused:
        coerce_form(fields, {"f1": ["3,5"], "f2": ["z"], "f3": ["fine"]})
    assert [problem.path for problem in refused.value.fields] == ["a", "b", "c"]
