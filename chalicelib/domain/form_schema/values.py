"""Whether one JSON value fits one field. JSON types are kept: 3 is not "3" and `true` is not 1."""

from __future__ import annotations

import math
from typing import Any, Final

from chalicelib.domain.form_schema.fields import Field, Kind
from chalicelib.domain.form_schema.formats import FORMATS

MAX_INTEGER_BITS: Final = 4096
"""Python writes integers of up to 4300 digits; nobody means one beyond some 1200."""


class Misfit(ValueError):
    """The value does not fit; the message tells a person what would."""


def fitted(field: Field, value: object) -> Any:
    """The value to record, or `Misfit`. Only an integer written as 3.0 changes: it becomes 3."""
    if field.kind is Kind.BOOLEAN:
        return _boolean(value)
    if field.kind is Kind.TEXT:
        return _text(field, value)
    if field.kind is Kind.SELECT:
        return _choice(field, value)
    if field.kind is Kind.MULTISELECT:
        return _choices(field, value)
    return _bounded(field, _integer(value) if field.kind is Kind.INTEGER else _number(value))


def is_encodable(text: str) -> bool:
    """Whether the text is Unicode at all: a lone surrogate, which JSON lets through, is not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def lines_folded(text: str) -> str:
    """`text` with the one line break that a form post can carry."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise Misfit("Must be yes or no (JSON true or false).")
    return value


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise Misfit("Must be text (a JSON string).")
    if not is_encodable(value):
        raise Misfit("Holds half of a character (a lone surrogate).")
    return value


def _text(field: Field, value: object) -> str:
    text = _string(value)
    if field.min_length is not None and len(text) < field.min_length:
        raise Misfit(f"Must be at least {_characters(field.min_length)} long; has {len(text)}.")
    if field.max_length is not None and len(text) > field.max_length:
        raise Misfit(f"Must be at most {_characters(field.max_length)} long; has {len(text)}.")
    if field.format is not None:
        check, advice = FORMATS[field.format]
        if not check(text):
            raise Misfit(advice)
    return text


def _characters(count: int) -> str:
    return "1 character" if count == 1 else f"{count} characters"


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misfit("Must be a number.")
    if isinstance(value, float) and not math.isfinite(value):
        raise Misfit("Must be a finite number.")
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise Misfit("Has too many digits.")
    return value


def _integer(value: object) -> int:
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise Misfit("Must be a whole number.")
    return int(number)


def _bounded(field: Field, number: float) -> int | float:
    if field.minimum is not None and number < field.minimum:
        raise Misfit(f"Must be at least {field.minimum}.")
    if field.maximum is not None and number > field.maximum:
        raise Misfit(f"Must be at most {field.maximum}.")
    return number


def _choice(field: Field, value: object) -> str:
    text = _string(value)
    if all(option.value != text for option in field.options):
        raise Misfit("Must be one of the choices offered.")
    return text


def _choices(field: Field, value: object) -> list[str]:
    if not isinstance(value, list | tuple):
        raise Misfit("Must be a list of choices (a JSON array).")
    if len(value) > len(field.options):
        raise Misfit("Has more entries than there are choices.")
    chosen = [_choice(field, one) for one in value]
    if len(set(chosen)) < len(chosen):
        raise Misfit("Must not name a choice twice.")
    if field.min_items is not None and len(chosen) < field.min_items:
        raise Misfit(f"Choose at least {field.min_items}; {len(chosen)} chosen.")
    if field.max_items is not None and len(chosen) > field.max_items:
        raise Misfit(f"Choose at most {field.max_items}; {len(chosen)} chosen.")
    return chosen
