"""From a field to its control, and from the control's post back to the field."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema import coerce_form, derive_fields
from chalicelib.domain.form_schema.answers import validate_content
from chalicelib.web.controls import Control, Typed, Widget, controls, problems_by_field
from tests.web.samples import CONFIRM, WHOLE, field

ABC = {"type": "string", "enum": ["a", "b", "c"]}
MANY = {"type": "string", "enum": [str(n) for n in range(8)]}
TICKS = {"type": "array", "items": {"enum": ["a", "b"]}}


def control(leaf: dict[str, Any], *, required: bool = False, typed: Typed | None = None) -> Control:
    (only,) = controls([field(leaf, required=required)], typed=typed, problems=())
    return only


@pytest.mark.parametrize(
    ("leaf", "widget"),
    [
        ({"type": "string", "maxLength": 120}, Widget.INPUT),
        ({"type": "string", "maxLength": 121}, Widget.TEXTAREA),
        ({"type": "string"}, Widget.TEXTAREA),
        ({"type": "string", "maxLength": 20, "default": "a\nb"}, Widget.TEXTAREA),
        ({"type": "string", "format": "email"}, Widget.INPUT),
        ({"type": "integer"}, Widget.INPUT),
        ({"type": "number"}, Widget.INPUT),
        ({"type": "boolean"}, Widget.RADIOS),
        (ABC, Widget.RADIOS),
        ({"type": "string", "enum": [str(n) for n in range(7)]}, Widget.RADIOS),
        (MANY, Widget.SELECT),
        ({"type": "string", "enum": ["", *"abcdefgh"]}, Widget.RADIOS),
        (TICKS, Widget.CHECKBOXES),
    ],
)
def test_each_kind_has_its_widget(leaf: dict[str, Any], widget: Widget) -> None:
    assert control(leaf).widget is widget


@pytest.mark.parametrize(
    ("leaf", "attributes"),
    [
        ({"type": "string", "format": "email"}, {"type": "email", "autocomplete": "email"}),
        ({"type": "string", "format": "uri"}, {"type": "url"}),
        ({"type": "string", "format": "date"}, {"type": "date"}),
        ({"type": "string", "format": "date-time"}, {"type": "datetime-local"}),
        ({"type": "string", "maxLength": 9}, {"type": "text"}),
        ({"type": "integer", "minimum": 0}, {"type": "text", "inputmode": "numeric"}),
        ({"type": "number", "minimum": 0}, {"type": "text", "inputmode": "decimal"}),
    ],
)
def test_each_format_has_its_keyboard(leaf: dict[str, Any], attributes: dict[str, str]) -> None:
    assert attributes.items() <= control(leaf).attributes.items()


@pytest.mark.parametrize("leaf", [{"type": "number"}, {"type": "integer", "minimum": -1}])
def test_a_number_that_may_be_negative_asks_for_no_pad_without_a_minus(
    leaf: dict[str, Any],
) -> None:
    assert "inputmode" not in control(leaf).attributes


@pytest.mark.parametrize(
    ("value", "step"),
    [
        ("2026-12-01T10:00:00Z", "60"),
        ("2026-12-01T10:00:01Z", "1"),
        ("2026-12-01T10:00:01.5Z", "0.001"),
    ],
)
def test_a_time_is_shown_as_finely_as_it_is(value: str, step: str) -> None:
    leaf = {"type": "string", "format": "date-time", "default": value}
    assert control(leaf).attributes["step"] == step


@pytest.mark.parametrize(
    ("leaf", "required", "offered", "chosen"),
    [
        ({"type": "boolean"}, False, ["true", "false", ""], [""]),
        ({"type": "boolean"}, True, ["true", "false"], []),
        ({"type": "boolean", "default": False}, False, ["true", "false", ""], ["false"]),
        (ABC, False, ["a", "b", "c", ""], [""]),
        (ABC, True, ["a", "b", "c"], []),
        (ABC | {"default": "b"}, True, ["a", "b", "c"], ["b"]),
        (MANY, True, ["", *"01234567"], [""]),
        (MANY, False, ["", *"01234567"], [""]),
        ({"type": "string", "enum": ["", "a"]}, False, ["", "a"], []),
        (TICKS, False, ["a", "b"], []),
        (TICKS | {"default": ["b"]}, False, ["a", "b"], ["b"]),
    ],
)
def test_an_optional_choice_can_be_left_out_and_a_required_one_is_not_made_for_you(
    leaf: dict[str, Any], required: bool, offered: list[str], chosen: list[str]
) -> None:
    choices = control(leaf, required=required).choices
    assert [choice.value for choice in choices] == offered
    assert [choice.value for choice in choices if choice.is_chosen] == chosen


def test_a_title_that_says_something_else_shows_the_value_behind_it() -> None:
    leaf = {"type": "string", "oneOf": [{"const": "prod", "title": "Staging"}]}
    leaf["oneOf"] += [{"const": "same", "title": "same"}]  # type: ignore[operator]
    assert [choice.sends for choice in control(leaf, required=True).choices] == ["prod", None]


def test_what_was_typed_stays_also_where_it_was_cleared() -> None:
    leaf = {"type": "integer", "default": 3}
    assert control(leaf).value == "3"
    assert control(leaf, typed={"f0": ["eleven"]}).value == "eleven"
    assert control(leaf, typed={}).value == ""


def test_hidden_characters_of_a_suggested_text_are_pointed_out() -> None:
    assert control({"type": "string", "default": "pay\u202e"}).hides == "pay[U+202E]"
    assert control({"type": "string", "default": "two\r\nlines"}).hides is None


def test_a_choice_survives_the_line_breaks_of_a_post() -> None:
    leaf = {"type": "string", "enum": ["a\nb", "c"]}
    chosen = [one.value for one in control(leaf, typed={"f0": ["a\r\nb"]}).choices if one.is_chosen]
    assert chosen == ["a\nb"]


def test_problems_go_to_the_field_that_they_name() -> None:
    fields = derive_fields({"properties": {n: {"type": "string"} for n in ("a", "a.b", "c")}})
    found = problems_by_field(
        fields,
        [
            FieldProblem("a", "1"),
            FieldProblem("a.b", "2"),
            FieldProblem("a[0]", "3"),
            FieldProblem("zzz", "4"),
        ],
    )
    assert found == {"a": ("1", "3"), "a.b": ("2",), "": ("4",)}


def test_what_explains_a_control_is_named_in_order() -> None:
    leaf = {"type": "string", "description": "d", "maxLength": 5, "default": "\u200b"}
    fields = [field(leaf, name="n")]
    (shown,) = controls(fields, typed=None, problems=[FieldProblem("n", "wrong")])
    assert shown.described_by == "f0-about f0-hint f0-hides f0-error"


def posted(shown: list[Control]) -> dict[str, list[str]]:
    """What a browser posts for a form that is sent as it came."""
    form = {}
    for one in shown:
        if one.choices:
            values = [choice.value for choice in one.choices if choice.is_chosen]
        else:
            values = [one.value]
        if values:
            form[one.id] = values
    return form


def test_a_form_sent_as_it_came_gives_the_defaults() -> None:
    fields = derive_fields(WHOLE)
    form = posted(controls(fields, typed=None, problems=())) | {"f11": ["zone-1"]}
    content = validate_content(WHOLE, coerce_form(fields, form), apply_defaults=False)
    assert content == {
        "environment": "staging",
        "start": "2026-12-01T08:00:00Z",
        "replicas": 3,
        "regions": ["eu"],
        "zone": "zone-1",
    }


def test_a_form_that_came_back_posts_what_was_typed() -> None:
    fields = derive_fields(WHOLE)
    typed = {"f0": ["prod"], "f1": ["a\nb"], "f7": ["x"], "f9": ["false"], "f10": ["us", "eu"]}
    again = posted(controls(fields, typed=typed, problems=()))
    assert {name: sorted(again[name]) for name in typed} == {
        name: sorted(values) for name, values in typed.items()
    }


def test_a_lone_boolean_answers_with_its_button() -> None:
    fields = derive_fields(CONFIRM)
    assert coerce_form(fields, {"f0": ["false"]}) == {"confirm": False}
