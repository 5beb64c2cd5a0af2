"""The one sanitiser for text that strangers wrote: message, tool name, context, titles, URLs.

It makes hidden characters visible and bounds what could push text out of sight. It does not escape
for HTML or logs: the template and the JSON encoder do.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Final

SUMMARY_LIMIT: Final = 300
"""Code points of a session's summary, ellipsis included (seed `zimmer-elicitation`)."""

TOOL_NAME_LIMIT: Final = 80
MAX_MARKS: Final = 6
"""Combining marks on one character. Hebrew with cantillation and Tibetan stacks stay below it."""
MAX_BLANK_LINES: Final = 2
MAX_SPACES: Final = 40

ELLIPSIS: Final = "…"

# Unicode's Default_Ignorable_Code_Point, and what else a reader cannot see: controls, line and
# paragraph separators, surrogates, private use, noncharacters, interlinear and hieroglyph controls,
# blank Braille, a musical null notehead, a Khitan filler, the object replacement character. Listed
# rather than looked up, since `unicodedata` is as old as the interpreter.
_HIDDEN: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\U00013430-\U0001343f\U00016fe4"
    r"\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 14))
    + r"\U000e0000-\U0010ffff"
)

# Joiners and emoji selectors stay where they change what is seen, at most one in a place: inside an
# emoji sequence, between two Arabic-script letters (Persian half-space), beside an Indic virama.
# Everywhere else they carry hidden text. Flags spelled with tag characters are not worth the hole.
_EMOJI: Final = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
)
_ARABIC: Final = "[\u0620-\u08ff]"
_INDIC: Final = "[\u0900-\u0dff]"
_VIRAMA: Final = "[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]"
_JOINER: Final = "[\u200c\u200d]"
_KEPT: Final = "|".join(
    [
        f"{_EMOJI}(?:\u200d{_EMOJI})*",
        "[0-9#*]\ufe0f\u20e3",
        f"(?<={_ARABIC}){_JOINER}(?={_ARABIC})",
        f"(?<={_VIRAMA}){_JOINER}",
        f"(?<={_INDIC}){_JOINER}(?={_VIRAMA})",
    ]
)

_KEPT_OR_HIDDEN: Final = re.compile(f"{_KEPT}|([{_HIDDEN}])")
_ODD_SPACE: Final = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f]")
_MAYBE_MARKS: Final = re.compile(rf"[^\w\s\x00-\x7f]{{{MAX_MARKS + 1},}}")
_MANY_SPACES: Final = re.compile(rf"[ \t\u3000]{{{MAX_SPACES + 1},}}")
_MANY_BLANK_LINES: Final = re.compile(rf"\n(?:[ \t\u3000]*\n){{{MAX_BLANK_LINES + 1},}}")
_DANGLING: Final = "\u200c\u200d\ufe0e\ufe0f"


def visible(text: str) -> str:
    """`text` with every hidden character written out as `[U+202E]`; line breaks and tabs stay.

    CR LF becomes LF, odd spaces become plain ones, piles of combining marks are cut and counted,
    and long runs of spaces or blank lines are shortened, so that they cannot push the rest out of
    sight. Nothing after a cut is lost. Idempotent, linear in the length.
    """
    text = _MAYBE_MARKS.sub(_bounded_marks, text.replace("\r\n", "\n"))
    text = _ODD_SPACE.sub(" ", _KEPT_OR_HIDDEN.sub(_written_out, text))
    text = _MANY_SPACES.sub(" " * MAX_SPACES, text)
    return _MANY_BLANK_LINES.sub("\n" * (MAX_BLANK_LINES + 1), text)


def one_line(text: str, limit: int = 80) -> str:
    """`text` on one line of at most `limit` (>= 1) code points, for headings, lists and logs.

    White space is folded, and what is too long loses its middle, so that the end stays seen.
    """
    return _elided(" ".join(visible(text).split()), limit)


def summary(tool_name: str | None, message: str) -> str:
    """What a session shows of a question: "tool: message", one line, at most `SUMMARY_LIMIT`."""
    tool = one_line(tool_name or "", TOOL_NAME_LIMIT)
    return one_line(f"{tool}: {message}" if tool else message, SUMMARY_LIMIT)


def _written_out(match: re.Match[str]) -> str:
    hidden: str | None = match[1]
    return match[0] if hidden is None else f"[U+{ord(hidden):04X}]"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Me"}


def _bounded_marks(match: re.Match[str]) -> str:
    parts = []
    for are_marks, group in groupby(match[0], _is_mark):
        run = "".join(group)
        over = len(run) - MAX_MARKS
        if are_marks and over > 0:
            run = f"{run[:MAX_MARKS]}[+{over} combining marks]"
        parts.append(run)
    return "".join(parts)


def _elided(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    room = limit - len(ELLIPSIS)
    at_end = room // 2
    head = text[: room - at_end].rstrip(_DANGLING)
    tail = text[len(text) - at_end :]
    while tail and (tail[0] in _DANGLING or _is_mark(tail[0])):
        tail = tail[1:]
    return f"{head}{ELLIPSIS}{tail}"
