"""What callers may send, as pydantic models; imported by the view that needs one, at first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from chalicelib.domain.errors import FieldProblem, InvalidInput, TooLarge

if TYPE_CHECKING:
    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")


def parse(model: type[M], body: dict[str, Any]) -> M:
    """Validate a body. Raises `InvalidInput` naming every field at fault, `TooLarge` for a
    limit."""
    from pydantic import ValidationError

    try:
        return model.model_validate(body)
    except ValidationError as error:
        problems = [_problem(dict(found)) for found in error.errors(include_url=False)]
        if all(found["type"] in _TOO_LONG for found in error.errors(include_url=False)):
            raise TooLarge(_sentence(problems), fields=problems) from None
        raise InvalidInput(_sentence(problems), fields=problems) from None


_TOO_LONG = frozenset({"string_too_long", "too_long"})


def _problem(found: dict[str, Any]) -> FieldProblem:
    path = ""
    for part in found["loc"]:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    message = str(found["msg"]).removeprefix("Value error, ")
    return FieldProblem(path or "body", message)


def _sentence(problems: list[FieldProblem]) -> str:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{first.path}: {first.message}{more}"
