"""Whatever strangers write is readable, bounded, and hides nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chalicelib.domain.text import SUMMARY_LIMIT, one_line, summary, visible

KEPT_IN_CONTEXT = frozenset("\u200c\u200d\ufe0e\ufe0f")
PREPENDED_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
PREPENDED_SIGNS |= frozenset("\U000110bd\U000110cd")
UNTIMED = settings(deadline=None)

# Text in which hidden characters are as likely as letters, and next to what could excuse them.
hostile = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("ab1# \t\n\r\u0301\u0334\u20e3\u200b\u200c\u200d\u200e\u202e\u2066\ufe0f"),
        st.sampled_from("\U0001f600\U0001f3fd\u2764\u0645\u06cc\u0915\u094d\u09cd\ufeff\U000e0041"),
        st.sampled_from("\xa0\u3000\u2028\ud800\x00\x85\x1b"),
    ),
    max_size=60,
)


def is_seen(character: str) -> bool:
    """An oracle of its own: by Unicode category, where the code goes by a list."""
    if character in "\n\t" or character in PREPENDED_SIGNS:
        return True
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return unicodedata.category(character) not in hidden


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x00", "[U+0000]"),
        ("\x1b", "[U+001B]"),
        ("\x0b", "[U+000B]"),
        ("\x7f", "[U+007F]"),
        ("\x85", "[U+0085]"),
        ("\xad", "[U+00AD]"),
        ("\u034f", "[U+034F]"),
        ("\u061c", "[U+061C]"),
        ("\u115f", "[U+115F]"),
        ("\u180e", "[U+180E]"),
        ("\u200b", "[U+200B]"),
        ("\u200d", "[U+200D]"),
        ("\u200f", "[U+200F]"),
        ("\u2028", "[U+2028]"),
        ("\u2029", "[U+2029]"),
        ("\u202e", "[U+202E]"),
        ("\u2060", "[U+2060]"),
        ("\u2066", "[U+2066]"),
        ("\u2800", "[U+2800]"),
        ("\u3164", "[U+3164]"),
        ("\ud800", "[U+D800]"),
        ("\ue000", "[U+E000]"),
        ("\ufe0f", "[U+FE0F]"),
        ("\ufeff", "[U+FEFF]"),
        ("\uffa0", "[U+FFA0]"),
        ("\ufffe", "[U+FFFE]"),
        ("\U0001ffff", "[U+1FFFF]"),
        ("\U000e0041", "[U+E0041]"),
        ("\U000e0100", "[U+E0100]"),
        ("\U0010fffd", "[U+10FFFD]"),
    ],
)
def test_a_hidden_character_is_written_out(hidden: str, shown: str) -> None:
    assert visible(f"a{hidden}b") == f"a{shown}b"


@pytest.mark.parametrize(
    "text",
    [
        "Delete db-1?\n\tReally.",
        "Größe, naïve, 東京、ソウル 서울",
        "مرحبا بالعالم",
        "שָׁלוֹם",
        "می\u200cخواهم",
        "क्\u200dष ശ്രീ ශ්\u200dරී র\u200d্যাব",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525",
        "1\ufe0f\u20e3 \U0001f44d\U0001f3fd \U0001f1e9\U0001f1ea",
        "e\u0301 and Việt",
    ],
)
def test_living_languages_and_emoji_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200db", "a[U+200D]b"),
        ("\U0001f600\u200d\u200d\U0001f600", "\U0001f600[U+200D][U+200D]\U0001f600"),
        ("\U0001f600\ufe0f\ufe0f", "\U0001f600\ufe0f[U+FE0F]"),
        ("می\u200c\u200cخواهم", "می[U+200C][U+200C]خواهم"),
        ("1\ufe0f", "1[U+FE0F]"),
    ],
)
def test_joiners_and_selectors_carry_no_hidden_text(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb", "a\nb"),
        ("a\rb", "a[U+000D]b"),
        ("a\xa0b\u2003c", "a b c"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("a" + "\n \t" * 500 + "\nend", "a\n\n\nend"),
        ("a" + " " * 5000 + "end", "a" + " " * 40 + "end"),
        ("z" + "\u0301" * 6, "z" + "\u0301" * 6),
        ("z" + "\u0301" * 500 + "end", "z" + "\u0301" * 6 + "[+494 combining marks]end"),
    ],
)
def test_nothing_pushes_the_end_out_of_sight(text: str, shown: str) -> None:
    assert visible(text) == shown


@UNTIMED
@given(hostile)
@example("\r\r\n")
@example("\u0915" + "\u0301" * 6 + "\u094d\u200d")
def test_visible_is_idempotent_and_leaves_nothing_invisible(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert [one for one in shown if not is_seen(one) and one not in KEPT_IN_CONTEXT] == []
    shown.encode()


@UNTIMED
@given(hostile)
def test_visible_keeps_every_letter_and_digit_in_order(text: str) -> None:
    remaining = iter(visible(text))
    assert all(one in remaining for one in text if one.isalnum() and one.isascii())


@UNTIMED
@given(hostile, st.integers(min_value=1, max_value=30))
def test_one_line_is_one_line_within_its_limit_and_idempotent(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert one_line(line, limit) == line


@UNTIMED
@given(st.text(st.sampled_from("ab c\n"), max_size=40), st.text("xyz", min_size=9, max_size=9))
def test_one_line_keeps_the_start_and_the_end(middle: str, edge: str) -> None:
    line = one_line(f"{edge}{middle}{edge}", 20)
    assert line.startswith(edge)
    assert line.endswith(edge)


def test_one_line_elides_between_characters_not_inside_an_emoji_sequence() -> None:
    family = "\U0001f468\u200d\U0001f469"
    for size in range(2, 12):
        line = one_line(family * 6, size)
        head, _, tail = line.partition("…")
        assert not head.endswith("\u200d")
        assert not tail.startswith("\u200d")


@pytest.mark.parametrize(
    ("tool", "message", "shown"),
    [
        ("deploy", "Really?\nSay yes.", "deploy: Really? Say yes."),
        (None, "Really?", "Really?"),
        (" ", "Really?", "Really?"),
        ("de\u202eploy", "a\u200bb", "de[U+202E]ploy: a[U+200B]b"),
    ],
)
def test_a_summary_names_the_tool_and_the_message_on_one_line(
    tool: str | None, message: str, shown: str
) -> None:
    assert summary(tool, message) == shown


def test_a_summary_of_a_long_question_has_300_characters_and_its_end() -> None:
    told = summary("deploy", "x" * 5000 + " the end?")
    assert len(told) == SUMMARY_LIMIT == 300
    assert told.startswith("deploy: x")
    assert told.endswith("x the end?")


def test_a_long_tool_name_leaves_room_for_the_message() -> None:
    assert "delete everything" in summary("t" * 5000, "delete everything")


@pytest.mark.parametrize(
    "unit", ["\n \n a", "\u200d", "\U0001f600\u200d", "\u0301", " ", "\n", "e\u0301"]
)
def test_hostile_repetition_is_read_to_its_end(unit: str) -> None:
    """A quadratic pattern would not come back from half a megabyte within the test run."""
    assert visible(unit * (500_000 // len(unit)) + "end").endswith("end")
