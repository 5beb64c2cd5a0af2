"""The five variables that lead an asker here: their names, where they come from, which value wins.

`ELICITATION_ENABLED` is not among them: whether a server gates an action is that server's decision
(seed, "Where the request goes").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from chalicelib.domain.errors import InvalidInput

REQUEST_URL: Final = "ELICITATION_REQUEST_URL"
POLL_URL: Final = "ELICITATION_POLL_URL"
PREFER: Final = "ELICITATION_PREFER_HTTP_FALLBACK"
TTL_MS: Final = "ELICITATION_TTL_MS"
SESSION_ID: Final = "ELICITATION_SESSION_ID"
NAMES: Final = (REQUEST_URL, POLL_URL, PREFER, TTL_MS, SESSION_ID)
NEEDED: Final = (REQUEST_URL, POLL_URL, PREFER, TTL_MS)
"""Without one of these the round trip breaks in a way that looks like a denial."""

Values = Mapping[str, str]
"""Values of the five names, in the order of `NAMES`; a name may be absent."""

_TOKEN: Final = re.compile(r"(/session/)[^/?#\s]+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Place:
    """One environment that an asker may be given: what it says now of the five and of `ENABLED`."""

    name: str
    current: Values


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's text after an injection, the places found in it, and what was left alone and why."""

    text: str
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = field(default=())


def chosen(source: Mapping[str, object], *, what: str) -> dict[str, str]:
    """The five of a larger mapping, blank ones left out. Raises `InvalidInput` naming `what`.

    Control characters are refused: they would break out of a line of a shell or an env file.
    """
    values: dict[str, str] = {}
    for name in NAMES:
        value = source.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        if not isinstance(value, str) or _CONTROL.search(value):
            raise InvalidInput(f"{what}: {name} is not one line of text")
        values[name] = value
    return values


def complete(values: Values, *, what: str) -> None:
    """Raises `InvalidInput` when one of `NEEDED` is missing; a session-less agent has no id."""
    missing = [name for name in NEEDED if name not in values]
    if missing:
        raise InvalidInput(f"{what}: {', '.join(missing)} missing")


def effective(ours: Values, overrides: Values) -> dict[str, str]:
    """What is injected: a value of the session's own `.env` wins over ours (seed)."""
    merged = {**ours, **overrides}
    return {name: merged[name] for name in NAMES if name in merged}


def shown(value: str, *, reveal: bool) -> str:
    """A value as it may be printed: the session token only on request."""
    return value if reveal else _TOKEN.sub(r"\1[token]", value)
