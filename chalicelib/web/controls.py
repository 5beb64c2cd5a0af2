"""From a form field to the control that a page shows, with what is typed, hinted and wrong.

Which values are right is decided in `domain/form_schema`; nothing here judges them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema.fields import Field, Kind
from chalicelib.domain.form_schema.forms import control_name
from chalicelib.domain.form_schema.values import lines_folded
from chalicelib.domain.text import visible
from chalicelib.web.hints import hint_for
from chalicelib.web.prefill import prefilled

RADIOS_UP_TO: Final = 7
"""Options that are all shown at once; more go into a drop-down list."""

LONG_TEXT: Final = 120
"""A text that may be longer than this many characters gets several lines."""

NO_ANSWER: Final = "No answer"

Typed = Mapping[str, Sequence[str]]
"""A form post: every value of every control, by the control's name."""


class Widget(StrEnum):
    """How a field is shown."""

    INPUT = "input"
    TEXTAREA = "textarea"
    SELECT = "select"
    RADIOS = "radios"
    CHECKBOXES = "checkboxes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One option. `sends` is the value behind a title that says something else."""

    id: str
    value: str
    title: str
    sends: str | None = None
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A field as the template shows it. Titles and descriptions are a stranger's raw text.

    `id` is also the control's name in the post. `hides` is the prefilled text with its hidden
    characters written out, when it has any.
    """

    id: str
    widget: Widget
    title: str
    description: str | None
    is_required: bool
    hint: str
    errors: tuple[str, ...]
    value: str = ""
    hides: str | None = None
    choices: tuple[Choice, ...] = ()
    attributes: Mapping[str, str]

    @property
    def described_by(self) -> str:
        """Ids of what explains the control, in the order they stand on the page."""
        parts = {
            "about": self.description,
            "hint": self.hint,
            "hides": self.hides,
            "error": self.errors,
        }
        return " ".join(f"{self.id}-{name}" for name, shown in parts.items() if shown)

    @property
    def is_group(self) -> bool:
        """Whether it is several inputs under one legend."""
        return self.widget in {Widget.RADIOS, Widget.CHECKBOXES}


def controls(
    fields: Sequence[Field], *, typed: Typed | None, problems: Sequence[FieldProblem]
) -> list[Control]:
    """The controls of a form, in order. `typed` None shows the defaults; otherwise what was posted
    stands, also where it was empty."""
    by_field = problems_by_field(fields, problems)
    return [
        _control(control_name(index), field, typed, by_field.get(field.name, ()))
        for index, field in enumerate(fields)
    ]


def problems_by_field(
    fields: Sequence[Field], problems: Sequence[FieldProblem]
) -> dict[str, tuple[str, ...]]:
    """Messages by field name; those of no field stand under the empty name.

    Names may hold dots and brackets themselves, so the longest name that fits a path is its field.
    """
    names = sorted((field.name for field in fields), key=len, reverse=True)
    found: dict[str, tuple[str, ...]] = {}
    for problem in problems:
        owner = next((name for name in names if _is_in(problem.path, name)), "")
        found[owner] = (*found.get(owner, ()), problem.message)
    return found


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith((f"{name}[", f"{name}."))


def _control(name: str, field: Field, typed: Typed | None, errors: tuple[str, ...]) -> Control:
    values = prefilled(field) if typed is None else list(typed.get(name, ()))
    widget = widget_for(field)
    has_choices = widget not in {Widget.INPUT, Widget.TEXTAREA}
    value = "" if has_choices or not values else values[0]
    shown = visible(value)
    return Control(
        id=name,
        widget=widget,
        title=field.title or field.name,
        description=field.description,
        is_required=field.required,
        hint=hint_for(field),
        errors=errors,
        value=value,
        hides=shown if shown != lines_folded(value) else None,
        choices=_choices(name, field, widget, values) if has_choices else (),
        attributes=_attributes(field, value) if widget is Widget.INPUT else {},
    )


def widget_for(field: Field) -> Widget:
    """Few options are all seen at once; a text that may be long gets several lines."""
    if field.kind is Kind.MULTISELECT:
        return Widget.CHECKBOXES
    if field.kind is Kind.BOOLEAN:
        return Widget.RADIOS
    if field.kind is Kind.SELECT:
        return Widget.RADIOS if _is_shown_whole(field) else Widget.SELECT
    if field.kind is Kind.TEXT and field.format is None and _may_be_long(field):
        return Widget.TEXTAREA
    return Widget.INPUT


def _is_shown_whole(field: Field) -> bool:
    """A drop-down list always has something chosen, so an option that is itself empty, which leaves
    no way to say "none yet", needs radios."""
    return len(field.options) <= RADIOS_UP_TO or any(not option.value for option in field.options)


def _may_be_long(field: Field) -> bool:
    has_lines = isinstance(field.default, str) and "\n" in lines_folded(field.default)
    return field.max_length is None or field.max_length > LONG_TEXT or has_lines


def _choices(name: str, field: Field, widget: Widget, values: Sequence[str]) -> tuple[Choice, ...]:
    """The options, with an explicit empty one where a single choice may be left out."""
    offered = [("true", "Yes"), ("false", "No")]
    if field.kind is not Kind.BOOLEAN:
        offered = [(option.value, option.title) for option in field.options]
    chosen = {lines_folded(value) for value in values}
    if widget is not Widget.CHECKBOXES and all(value for value, _ in offered):
        offered = _with_none(offered, field, widget)
        chosen = chosen or {""}
    says_more = field.kind in {Kind.SELECT, Kind.MULTISELECT}
    return tuple(
        Choice(
            id=name if place == 0 else f"{name}-{place}",
            value=value,
            title=title,
            sends=value if says_more and value and value != title else None,
            is_chosen=lines_folded(value) in chosen,
        )
        for place, (value, title) in enumerate(offered)
    )


def _with_none(
    offered: list[tuple[str, str]], field: Field, widget: Widget
) -> list[tuple[str, str]]:
    if widget is Widget.SELECT:
        return [("", "Choose one" if field.required else NO_ANSWER), *offered]
    return offered if field.required else [*offered, ("", NO_ANSWER)]


def _attributes(field: Field, value: str) -> dict[str, str]:
    if field.kind in {Kind.INTEGER, Kind.NUMBER}:
        return _number_attributes(field)
    by_format = {
        "email": {"type": "email", "autocomplete": "email", "spellcheck": "false"},
        "uri": {"type": "url", "autocomplete": "url", "spellcheck": "false"},
        "date": {"type": "date"},
        "date-time": {"type": "datetime-local", "step": _step(value)},
    }
    return by_format.get(field.format or "", {"type": "text", "autocomplete": "off"})


def _step(value: str) -> str:
    """As fine as the value that stands there; browsers hide what a coarser step leaves out."""
    if "." in value:
        return "0.001"
    return "1" if value.count(":") > 1 else "60"


def _number_attributes(field: Field) -> dict[str, str]:
    """A text input, since number inputs round and drop digits. The number pads of phones have no
    minus, so only a field that is never negative asks for one."""
    kept = {"type": "text", "autocomplete": "off", "spellcheck": "false"}
    if field.minimum is None or field.minimum < 0:
        return kept
    return kept | {"inputmode": "numeric" if field.kind is Kind.INTEGER else "decimal"}
