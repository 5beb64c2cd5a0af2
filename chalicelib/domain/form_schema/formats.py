"""The four string formats of MCP forms, checked on answers and defaults.

A value is checked, never rewritten. E-mail addresses and URIs are ASCII as in RFC 5321 and
RFC 3986, which is what JSON Schema means by `email` and `uri`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

_LONGEST_EMAIL: Final = 254
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:[Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_PCHAR: Final = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
_URI: Final = re.compile(
    rf"[A-Za-z][A-Za-z0-9+\-.]*:(?://(?:{_PCHAR}|[\[\]])*(?=[/?#]|$))?(?:{_PCHAR}|/)*"
    rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"
)
_NEEDS_HOST: Final = frozenset({"http", "https", "ws", "wss", "ftp"})


def is_email(text: str) -> bool:
    """One plain address; nothing is looked up. Hosts without a dot (`me@intranet`) may pass."""
    if len(text) > _LONGEST_EMAIL or not text.isascii():
        return False
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(text, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError:
        return False
    return True


def is_uri(text: str) -> bool:
    """An absolute URI of RFC 3986; the schemes of the web need a host too."""
    if not _URI.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - the property parses, and raises for a port that is none
    except ValueError:
        return False
    if parts.scheme in _NEEDS_HOST and not parts.hostname:
        return False
    return len(text) > len(parts.scheme) + 1


def is_date(text: str) -> bool:
    """A day that exists, as YYYY-MM-DD."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """An instant of RFC 3339 with its zone; no leap second, since few readers can hold one."""
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.fromisoformat(f"{match[1]}T{match[2]}+00:00")
    except ValueError:
        return False
    return True


FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = MappingProxyType(
    {
        "email": (is_email, "Must be an e-mail address such as name@example.org."),
        "uri": (is_uri, "Must be a full address such as https://example.org/page."),
        "date": (is_date, "Must be a date that exists, as YYYY-MM-DD, such as 2026-08-31."),
        "date-time": (
            is_date_time,
            "Must be a date and time with a zone, such as 2026-08-31T14:30:00Z.",
        ),
    }
)
"""Format name -> (check, what to tell a person)."""
