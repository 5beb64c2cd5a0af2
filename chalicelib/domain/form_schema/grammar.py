"""Vets a `requestedSchema` before anyone is told: the flat form dialect of MCP, and our limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from chalicelib.domain.errors import FieldProblem, InvalidSchema, TooLarge
from chalicelib.domain.form_schema.fields import Field, derive_field
from chalicelib.domain.form_schema.json_shape import child, unstorable
from chalicelib.domain.form_schema.leaves import NOT_FLAT, leaf_problems
from chalicelib.domain.form_schema.secret_names import asks_for_secret
from chalicelib.domain.form_schema.values import Misfit, fitted

MAX_PROPERTIES: Final = 64
MAX_NAME_LENGTH: Final = 200
MAX_BYTES: Final = 64 * 1024

ROOT: Final = "requestedSchema"
_NOT_IN_THE_ROOT: Final = (*NOT_FLAT, "anyOf", "oneOf", "const", "enum")
_USE_URL_MODE: Final = (
    "Looks like a secret. A form must not ask for passwords, keys, tokens or payment data (MCP);"
    " use URL mode for it."
)


def vet_schema(raw: object) -> dict[str, Any]:
    """A copy of the schema to store, unknown annotations kept; `{}` for none: a plain yes or no.

    Raises `InvalidSchema` with a problem for every bad path, or `TooLarge` for more than 64
    properties, 200 choices, 64 KiB, or a name over 200 characters.
    """
    if raw is None or raw == {}:
        return {}
    if not isinstance(raw, dict):
        raise _refusal([FieldProblem(ROOT, "Must be an object.")])
    problems = list(unstorable(ROOT, raw))
    stored = raw if problems else _measured(raw)
    problems += _root_problems(stored)
    if problems:
        raise _refusal(problems)
    return stored


def _refusal(problems: Iterable[FieldProblem]) -> InvalidSchema:
    """One problem a path: the first, which is the more basic one."""
    first: dict[str, FieldProblem] = {}
    for problem in problems:
        first.setdefault(problem.path, problem)
    message = "The requestedSchema is not a form that MCP allows."
    return InvalidSchema(message, fields=list(first.values()))


def _measured(raw: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > MAX_BYTES:
        raise _too_large(ROOT, f"A requestedSchema may have at most {MAX_BYTES // 1024} KiB.")
    copy: dict[str, Any] = json.loads(text)
    return copy


def _too_large(path: str, message: str) -> TooLarge:
    return TooLarge(message, fields=[FieldProblem(path, message)])


def _root_problems(schema: Mapping[str, Any]) -> Iterator[FieldProblem]:
    for key in _NOT_IN_THE_ROOT:
        if key in schema:
            yield FieldProblem(f"{ROOT}.{key}", "Is not part of a form: forms are flat.")
    if schema.get("type") != "object":
        yield FieldProblem(f"{ROOT}.type", "Must be object.")
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        yield FieldProblem(f"{ROOT}.properties", "Must be an object of fields.")
        return
    if len(properties) > MAX_PROPERTIES:
        message = f"A form may have at most {MAX_PROPERTIES} fields (properties)."
        raise _too_large(f"{ROOT}.properties", message)
    yield from _required_problems(schema.get("required", []), properties)
    for name, leaf in properties.items():
        yield from _property_problems(str(name), leaf)


def _required_problems(required: object, properties: Mapping[str, Any]) -> Iterator[FieldProblem]:
    if not isinstance(required, list):
        yield FieldProblem(f"{ROOT}.required", "Must be a list of field names.")
        return
    for at, name in enumerate(required):
        if not isinstance(name, str) or name not in properties:
            yield FieldProblem(f"{ROOT}.required[{at}]", "Must be the name of one of properties.")


def _property_problems(name: str, leaf: object) -> Iterator[FieldProblem]:
    path = child(f"{ROOT}.properties", name)
    if len(name) > MAX_NAME_LENGTH:
        raise _too_large(path, f"A field's name may have at most {MAX_NAME_LENGTH} characters.")
    if not name.strip():
        yield FieldProblem(path, "A field needs a name.")
    problems = list(leaf_problems(path, leaf))
    yield from problems
    if problems or not isinstance(leaf, dict):
        return
    field = derive_field(name, leaf, required=False)
    if asks_for_secret(field):
        yield FieldProblem(path, _USE_URL_MODE)
    if "default" in leaf:
        yield from _default_problems(path, field)


def _default_problems(path: str, field: Field) -> Iterator[FieldProblem]:
    """A default has to be an answer itself: it becomes one when the field is left out."""
    try:
        fitted(field, field.default)
    except Misfit as misfit:
        yield FieldProblem(f"{path}.default", str(misfit))
