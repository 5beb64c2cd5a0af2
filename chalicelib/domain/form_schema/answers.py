"""An answer's content against the stored schema; also what an API caller's content goes through."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem, InvalidContent
from chalicelib.domain.form_schema.fields import Field, derive_fields
from chalicelib.domain.form_schema.values import Misfit, fitted
from chalicelib.domain.text import one_line

MISSING: Final = "Is required."
_UNKNOWN_NAMED: Final = 20
"""Unknown keys named in one error: errors reach models and pages, and have to stay short."""
_KEY_LIMIT: Final = 200


def validate_content(
    schema: Mapping[str, Any], content: object, *, apply_defaults: bool = True
) -> dict[str, Any]:
    """The content to record: known fields in schema order, JSON types kept, no nulls.

    A field that is absent takes its default (SEP-1034), unless `apply_defaults` is off: a page
    that prefilled the defaults passes False, so that what the person cleared stays cleared. `None`
    counts as `{}`. Raises `InvalidContent` with one problem a field, its path the field's name.
    """
    given: object = {} if content is None else content
    if not isinstance(given, Mapping):
        problem = FieldProblem("content", "Must be an object of field names and values.")
        raise refusal([problem])
    fields = derive_fields(schema)
    kept, problems = checked(fields, given, apply_defaults=apply_defaults)
    problems += _unknown(given, {field.name for field in fields})
    if problems:
        raise refusal(problems)
    return kept


def checked(
    fields: Sequence[Field], given: Mapping[str, Any], *, apply_defaults: bool
) -> tuple[dict[str, Any], list[FieldProblem]]:
    """What of `given` fits its fields, and a problem for each field that has none."""
    kept: dict[str, Any] = {}
    problems = []
    for field in fields:
        try:
            if field.name in given:
                kept[field.name] = fitted(field, given[field.name])
            elif apply_defaults and field.default is not None:
                kept[field.name] = fitted(field, field.default)
            elif field.required:
                raise Misfit(MISSING)
        except Misfit as misfit:
            problems.append(FieldProblem(field.name, str(misfit)))
    return kept, problems


def refusal(problems: Sequence[FieldProblem]) -> InvalidContent:
    """The one error for all problems of an answer."""
    count = "1 field does" if len(problems) == 1 else f"{len(problems)} fields do"
    return InvalidContent(f"{count} not fit the question.", fields=problems)


def _unknown(given: Iterable[object], known: Container[object]) -> list[FieldProblem]:
    unknown = [key for key in given if key not in known]
    problems = [
        FieldProblem(one_line(str(key), _KEY_LIMIT), "Is not a field of this question.")
        for key in unknown[:_UNKNOWN_NAMED]
    ]
    if len(unknown) > _UNKNOWN_NAMED:
        more = f"Holds {len(unknown) - _UNKNOWN_NAMED} more keys that are no fields."
        problems.append(FieldProblem("content", more))
    return problems
