"""A posted HTML form into JSON-typed content. What the values may be is for `answers.py`.

Controls are named `f0`, `f1`, ... by the field's place. An empty control is a field left out, also
when it came prefilled with a default: HTML cannot tell "" from nothing, and MCP leaves cleared
fields out of the content. So an empty box never answers a required text, not even one that may be
empty by its schema (an API caller can send ""); a required multi-select with nothing ticked is [].
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema.answers import checked, refusal
from chalicelib.domain.form_schema.fields import Field, Kind
from chalicelib.domain.form_schema.values import Misfit, lines_folded

_MAX_DIGITS: Final = 1000
_INTEGER: Final = re.compile(r"([+-]?\d+)(?:\.0*)?", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LOCAL_TIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?", re.ASCII
)
_BOOLEANS: Final = {"true": True, "false": False}


def control_name(index: int) -> str:
    """The name of the control for the field at `index`."""
    return f"f{index}"


def coerce_form(fields: Sequence[Field], form: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Content for `validate_content(..., apply_defaults=False)`; empty fields are left out.

    Raises `InvalidContent` when a value cannot be read as its field's type, and then names every
    other problem of the form too, so that the person sees all of them at once.
    """
    content: dict[str, Any] = {}
    unread: dict[str, FieldProblem] = {}
    for index, field in enumerate(fields):
        posted = form.get(control_name(index), ())
        try:
            value = _read(field, [lines_folded(one) for one in posted])
        except Misfit as misfit:
            unread[field.name] = FieldProblem(field.name, str(misfit))
        else:
            if value is not None:
                content[field.name] = value
    if unread:
        _, problems = checked(fields, content, apply_defaults=False)
        found = {problem.path: problem for problem in problems} | unread
        raise refusal([found[field.name] for field in fields if field.name in found])
    return content


def _read(field: Field, posted: Sequence[str]) -> Any:
    """The JSON value of one control, `None` for a field left out."""
    if field.kind is Kind.MULTISELECT:
        return _ticked(field, posted)
    if field.kind is Kind.SELECT:
        return _chosen(field, posted)
    text = posted[-1] if posted else ""
    if field.kind is Kind.TEXT:
        return _typed(field, text)
    text = text.strip()
    if not text:
        return None
    if field.kind is Kind.BOOLEAN:
        return _yes_or_no(text)
    return _integer(text) if field.kind is Kind.INTEGER else _number(text)


def _ticked(field: Field, posted: Sequence[str]) -> list[str] | None:
    spelling = _spellings(field)
    chosen = [spelling.get(one, one) for one in posted if one or one in spelling]
    return chosen if chosen or field.required else None


def _chosen(field: Field, posted: Sequence[str]) -> str | None:
    """An empty value is no choice, unless "" is one of the choices."""
    if not posted:
        return None
    spelling = _spellings(field)
    return spelling.get(posted[-1], posted[-1] or None)


def _spellings(field: Field) -> dict[str, str]:
    """Choices as a browser posts them: every line break in a value arrives as CR LF."""
    return {lines_folded(option.value): option.value for option in field.options}


def _typed(field: Field, text: str) -> str | None:
    if field.format is not None:
        text = text.strip()
    if field.format == "date-time":
        text = _with_zone(text)
    return text or None


def _with_zone(text: str) -> str:
    """A `datetime-local` value has no zone and often no seconds: it is read as UTC."""
    match = _LOCAL_TIME.fullmatch(text)
    if match is None:
        return text
    day, minute, second, zone = match.groups()
    return f"{day}T{minute}{second or ':00'}{zone or 'Z'}"


def _yes_or_no(text: str) -> bool:
    if text not in _BOOLEANS:
        raise Misfit("Must be yes or no.")
    return _BOOLEANS[text]


def _integer(text: str) -> int:
    match = _INTEGER.fullmatch(_digits(text))
    if match is None:
        raise Misfit("Must be a whole number, in digits.")
    return int(match[1])


def _number(text: str) -> int | float:
    text = _digits(text)
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return int(text)
    if not _DECIMAL.fullmatch(text):
        raise Misfit("Must be a number, such as 3.5.")
    number = float(text)
    if not math.isfinite(number):
        raise Misfit("Is too large.")
    return number


def _digits(text: str) -> str:
    if "," in text:
        raise Misfit("Write the number without commas, with a point for decimals: 1234.5.")
    if len(text) > _MAX_DIGITS:
        raise Misfit("Has too many digits.")
    return text.replace("\N{MINUS SIGN}", "-")
