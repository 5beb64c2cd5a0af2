"""Recognises fields that ask for a secret, which form mode must not (MCP 2025-11-25 and later).

Goes by whole words of English names and label-like titles; it is a net for honest mistakes, not a
defence against an asker that hides what it asks for.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from chalicelib.domain.form_schema.fields import Field, Kind
from chalicelib.domain.form_schema.naming import words

_PAYMENT: Final = [
    ("cvv",),
    ("cvc",),
    ("cvv", "code"),
    ("card", "number"),
    ("credit", "card"),
    ("creditcard",),
    ("debit", "card"),
    ("iban",),
    ("pin",),
]
_CREDENTIALS: Final = [
    ("password",),
    ("passwords",),
    ("passwd",),
    ("pwd",),
    ("passphrase",),
    ("passcode",),
    ("secret",),
    ("secrets",),
    ("token",),
    ("access", "tokens"),
    ("api", "tokens"),
    ("apikey",),
    ("api", "key"),
    ("api", "keys"),
    ("access", "key"),
    ("private", "key"),
    ("privatekey",),
    ("encryption", "key"),
    ("signing", "key"),
    ("ssh", "key"),
    ("credential",),
    ("credentials",),
    ("otp",),
    ("totp",),
]

# "token_count" and "secret_name" ask about a secret, not for it; so does "Why rotate the token?".
_ABOUT: Final = frozenset(
    [
        "age",
        "arn",
        "budget",
        "count",
        "description",
        "duration",
        "expiry",
        "format",
        "hours",
        "id",
        "ids",
        "label",
        "length",
        "lifetime",
        "limit",
        "limits",
        "link",
        "location",
        "manager",
        "name",
        "names",
        "path",
        "policy",
        "prefix",
        "provider",
        "reason",
        "rotation",
        "scope",
        "scopes",
        "strategy",
        "ttl",
        "type",
        "types",
        "url",
        "usage",
        "vault",
    ]
)
_QUESTION: Final = frozenset(["how", "reason", "which", "whether", "why"])

_LABEL_WORDS: Final = 6
"""A longer title is prose that may mention a secret without asking for one."""


def asks_for_secret(field: Field) -> bool:
    """Whether a typed answer to `field` would be a password, key, token or payment datum.

    Booleans and choices cannot carry one, and of the secrets only card data and PINs are numbers.
    """
    if field.kind not in {Kind.TEXT, Kind.NUMBER, Kind.INTEGER} or field.format is not None:
        return False
    phrases = [*_PAYMENT, *_CREDENTIALS] if field.kind is Kind.TEXT else _PAYMENT
    if _names_one(field.name, phrases):
        return True
    return len(words(field.title)) <= _LABEL_WORDS and _names_one(field.title, phrases)


def _names_one(text: str, phrases: list[tuple[str, ...]]) -> bool:
    plain = unicodedata.normalize("NFKC", text)
    spoken = [word.casefold().strip("0123456789*") for word in words(plain)]
    for at in range(len(spoken)):
        for phrase in phrases:
            after = at + len(phrase)
            if tuple(spoken[at:after]) != phrase:
                continue
            if _ABOUT.isdisjoint(spoken[after:]) and _QUESTION.isdisjoint(spoken[:at]):
                return True
    return False
