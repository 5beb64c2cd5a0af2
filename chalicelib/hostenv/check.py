"""The set-ups that are known to break the round trip, found in the places an asker reads.

All of them end the same way: a redacted value that looks like a denial (seed, "Where the request
goes"; facts zimmer 1.1, 1.2, 1.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from chalicelib.hostenv.variables import (
    NAMES,
    POLL_URL,
    PREFER,
    REQUEST_URL,
    SESSION_ID,
    TTL_MS,
    Place,
    Values,
)

ENABLED: Final = "ELICITATION_ENABLED"
CLIENT_TTL_MS: Final = 300_000
"""What the askers' client library uses when the variable is unset or unusable."""

_LEADING_DIGITS: Final = re.compile(r"\s*\+?([0-9]+)", re.ASCII)


def env_of(env: Mapping[str, object]) -> dict[str, str]:
    """What an entry's `env` says of the variables that the check looks at."""
    return {name: value for name in (*NAMES, ENABLED) if isinstance(value := env.get(name), str)}


def findings(places: Iterable[Place], ours: Values) -> list[str]:
    """One line for each misconfiguration, saying where, what and what follows from it."""
    return [f"{place.name}: {what}" for place in places for what in _findings(place, ours)]


def _findings(place: Place, ours: Values) -> Iterable[str]:
    current = place.current
    if current.get(ENABLED, "").lower() == "false":
        yield f"{ENABLED}=false: this server approves everything without asking anybody"
    if not any(name in current for name in NAMES):
        return
    yield from _urls(current)
    if current.get(PREFER, "").lower() != "true":
        yield f"{PREFER} is not true: the client asks the agent instead of a person"
    yield from _window(current, ours)
    yield from _hosts(current, ours)
    if current.get(SESSION_ID) != ours.get(SESSION_ID):
        yield f"{SESSION_ID} is not this session's"


def _urls(current: Values) -> Iterable[str]:
    request, poll = (current.get(name, "").strip() for name in (REQUEST_URL, POLL_URL))
    if request and not poll:
        yield f"{REQUEST_URL} without {POLL_URL}: the client does not see the HTTP way at all"
    if poll and not request:
        yield f"{POLL_URL} without {REQUEST_URL}: the client does not see the HTTP way at all"
    for name in (REQUEST_URL, POLL_URL):
        parts = _split(current.get(name, ""))
        if parts is not None and (parts.scheme not in {"http", "https"} or not parts.netloc):
            yield f"{name} is not an http(s) URL: the request fails before it is sent"
        elif parts is not None and "@" in parts.netloc:
            yield f"{name} carries a user name: the client refuses such a URL"
    if "?" in poll or "#" in poll:
        yield f"{POLL_URL} has a query or fragment: the client appends the id behind it"


def _window(current: Values, ours: Values) -> Iterable[str]:
    default = _milliseconds(ours.get(TTL_MS, ""))
    match current.get(TTL_MS, "").strip():
        case "":
            yield f"{TTL_MS} is unset: the client gives up after {CLIENT_TTL_MS} ms"
        case raw if _milliseconds(raw) is None:
            yield f"{TTL_MS} is not a number: the client gives up after {CLIENT_TTL_MS} ms"
        case raw if default is not None and (_milliseconds(raw) or 0) < default:
            yield f"{TTL_MS} is shorter than this instance's default of {default} ms"
        case _:
            return


def _hosts(current: Values, ours: Values) -> Iterable[str]:
    for name in (REQUEST_URL, POLL_URL):
        theirs, own = _split(current.get(name, "")), _split(ours.get(name, ""))
        if theirs and own and theirs.netloc and theirs.netloc.lower() != own.netloc.lower():
            host = theirs.netloc.rpartition("@")[2]
            yield f"{name} points to {host}, this instance is {own.netloc}"


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url.strip()) if url.strip() else None
    except ValueError:
        return SplitResult("", "", "", "", "")


def _milliseconds(raw: str) -> int | None:
    """As the client reads it: leading digits, else nothing."""
    match = _LEADING_DIGITS.match(raw)
    return int(match[1]) if match else None
