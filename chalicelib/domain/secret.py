"""Secrets and the requests for their values: names, sizes, and the life of one request.

Values pass through here to be checked and are in none of the types.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from chalicelib.domain.errors import FieldProblem, InvalidInput, TooLarge

MAX_VALUE_BYTES: Final = 4096
"""What KMS encrypts in one call (AWS limit of `Encrypt`), so that no cipher of ours is needed."""

NAME_PATTERN: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
MAX_NAME_LENGTH: Final = 255

REQUEST_LIVES_FOR: Final = timedelta(minutes=15)
"""How long a page stays open (seed `everruns-url-elicitation`: 900 seconds)."""

SECRET_DELETED: Final = "secret.deleted"  # noqa: S105 - an event's name

_NAME: Final = re.compile(NAME_PATTERN, re.ASCII)


class SecretState(StrEnum):
    """How far the person is on the page where a secret is typed."""

    PENDING = "pending"
    STORED = "stored"
    DECLINED = "declined"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretRequest:
    """One wish for a secret's value. `handle` is random (128 bits or more) and opens nothing alone.

    `principal` is the name of who started it, the only one who may type. `recorded` is never
    `expired`: the clock says that.
    """

    handle: str
    principal: str
    session_id: str
    name: str
    expires_at: datetime
    recorded: SecretState = SecretState.PENDING
    is_closed: bool = False

    def state(self, now: datetime) -> SecretState:
        """The state as the caller is told."""
        if self.recorded is SecretState.PENDING and now >= self.expires_at:
            return SecretState.EXPIRED
        return self.recorded

    def is_open(self, now: datetime) -> bool:
        """Whether the caller has not had its outcome yet and may still get one."""
        return not self.is_closed and now < self.expires_at

    def takes_value(self, now: datetime) -> bool:
        """Whether the page is good for one value."""
        return self.is_open(now) and self.recorded is SecretState.PENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretInfo:
    """What is told of a stored secret: never its value."""

    name: str
    updated_at: datetime
    by: str


def check_name(name: str) -> None:
    """Raises `InvalidInput` for a name that an environment variable or a header could not have."""
    if len(name) > MAX_NAME_LENGTH or not _NAME.fullmatch(name):
        message = (
            f"must be 1 to {MAX_NAME_LENGTH} letters, digits, '_', '.' or '-', "
            "and must not start with a digit, '.' or '-'"
        )
        raise InvalidInput(f"name: {message}", fields=[FieldProblem("name", message)])


def check_value(value: str) -> None:
    """Raises `InvalidInput` for an empty value and `TooLarge` over `MAX_VALUE_BYTES` of UTF-8."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise _bad_value("must be Unicode text") from None
    if size == 0:
        raise _bad_value("must not be empty")
    if size > MAX_VALUE_BYTES:
        message = f"must have at most {MAX_VALUE_BYTES} bytes"
        raise TooLarge(f"value: {message}", fields=[FieldProblem("value", message)])


def _bad_value(message: str) -> InvalidInput:
    return InvalidInput(f"value: {message}", fields=[FieldProblem("value", message)])
