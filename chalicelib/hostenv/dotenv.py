"""The session's `.env`: values that win over ours, and the block of ours in it.

The dialect is the orchestrator's (facts zimmer 6): one `NAME=value` a line, `#` lines skipped, one
pair of quotes removed, no `export`, no expansion, a later duplicate wins. What stands between the
two marks is ours, replaced at every injection; everything else is the operator's and wins.
"""

from __future__ import annotations

import re
from typing import Final

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.variables import Edit, Place, Values, chosen, effective

MAX_BYTES: Final = 1_048_576
"""Runtimes ignore a larger `.env`; so must we, and say so."""

BEGIN: Final = "# >>> parley hostenv: replaced at every injection; set values outside to override"
END: Final = "# <<< parley hostenv"

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.ASCII | re.DOTALL)
_BLOCK: Final = re.compile(
    rf"^{re.escape(BEGIN)}\r?\n(?:ELICITATION_[^\n]*\n)*{re.escape(END)}(?:\r?\n|\Z)", re.MULTILINE
)


def parse(text: str) -> dict[str, str]:
    """Every variable of an env file; lines that are none are skipped."""
    values: dict[str, str] = {}
    for line in text.split("\n"):
        match = _ASSIGNMENT.fullmatch(line.strip())
        if match is not None:
            values[match[1]] = _unquoted(match[2].strip())
    return values


def overrides(text: str) -> dict[str, str]:
    """The five as the operator set them, ours and blank ones left out."""
    return chosen(parse(_without_block(text)), what=".env")


def edit(text: str, ours: Values) -> Edit:
    """The file with a block of those of the five that the operator has not set.

    The block stands last, so that a blank line of the operator's does not win over it. Raises
    `InvalidInput` when only one of the block's marks is left, or something else is between them.
    """
    if len(text.encode()) > MAX_BYTES:
        raise InvalidInput("is over 1 MiB; agent runtimes ignore such a file")
    bare = _without_block(text)
    if BEGIN in bare or END in bare:
        raise InvalidInput("has a damaged parley block; remove its lines and try again")
    kept = chosen(parse(bare), what=".env")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"{name}={value}" for name, value in ours.items() if name not in kept]
    place = Place("values after injection", effective(ours, kept))
    if not lines:
        return Edit(bare, (place,))
    gap = newline if bare and not bare.endswith("\n") else ""
    block = newline.join([BEGIN, *lines, END]) + newline
    return Edit(bare + gap + block, (place,))


def _without_block(text: str) -> str:
    return _BLOCK.sub("", text)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
