"""The session's `.env`: its dialect, whose value wins, and our block in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.dotenv import BEGIN, END, MAX_BYTES, edit, overrides, parse
from tests.hostenv.examples import VALUES

BLOCK = "\n".join([BEGIN, *(f"{name}={value}" for name, value in VALUES.items()), END]) + "\n"


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("A=1", {"A": "1"}),
        ("  A=  1  ", {"A": "1"}),
        ("A=", {"A": ""}),
        ("A=b=c", {"A": "b=c"}),
        ('A="x y"', {"A": "x y"}),
        ("A='x'", {"A": "x"}),
        ("A=\"x'", {"A": "\"x'"}),
        ('A="', {"A": '"'}),
        ("A=1\r", {"A": "1"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A=$B # kept", {"A": "$B # kept"}),
        ("_a9=x", {"_a9": "x"}),
        ("# A=1", {}),
        ("A = 1", {}),
        ("export A=1", {}),
        ("9A=1", {}),
        ("\u00c4=1", {}),
        ("no assignment", {}),
        ("=x", {}),
        ("", {}),
    ],
)
def test_the_dialect_is_the_orchestrators(line: str, values: dict[str, str]) -> None:
    assert parse(line) == values


def test_only_non_blank_values_of_the_five_override() -> None:
    text = (
        "OTHER=1\nELICITATION_TTL_MS=\nELICITATION_SESSION_ID=' '\nELICITATION_POLL_URL=http://x\n"
    )
    assert overrides(text) == {"ELICITATION_POLL_URL": "http://x"}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", BLOCK),
        ("A=1\n", "A=1\n" + BLOCK),
        ("A=1", "A=1\n" + BLOCK),
        ("# c\r\nA=1\r\n", "# c\r\nA=1\r\n" + BLOCK.replace("\n", "\r\n")),
        ("A=1\n" + BLOCK.replace("sess-1", "old") + "B=2\n", "A=1\nB=2\n" + BLOCK),
        (
            "ELICITATION_TTL_MS=9\n",
            "ELICITATION_TTL_MS=9\n" + BLOCK.replace("ELICITATION_TTL_MS=3600000\n", ""),
        ),
        ("ELICITATION_TTL_MS=\n", "ELICITATION_TTL_MS=\n" + BLOCK),
    ],
)
def test_our_block_holds_what_the_operator_has_not_set(text: str, after: str) -> None:
    once = edit(text, VALUES).text
    assert once == after
    assert edit(once, VALUES).text == once


def test_what_we_wrote_ourselves_is_no_override() -> None:
    once = edit("A=1\n", VALUES).text
    assert overrides(once) == {}
    newer = {**VALUES, "ELICITATION_SESSION_ID": "sess-2"}
    assert edit(once, newer).text == once.replace("sess-1", "sess-2")


def test_no_block_is_left_when_the_operator_sets_everything() -> None:
    theirs = "".join(f"{name}=theirs\n" for name in VALUES)
    assert edit(theirs + BLOCK, VALUES).text == theirs


def test_the_values_after_an_injection_are_reported() -> None:
    [place] = edit("ELICITATION_TTL_MS=9\n", VALUES).places
    assert place.current == {**VALUES, "ELICITATION_TTL_MS": "9"}


@pytest.mark.parametrize(
    "text", [BEGIN + "\nA=1\n", f"{BEGIN}\nA=1\n{END}\n", END + "\n", "x" * (MAX_BYTES + 1)]
)
def test_a_damaged_block_and_a_file_that_runtimes_ignore_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        edit(text, VALUES)


@given(
    st.text(st.characters(exclude_characters="\r", codec="utf-8")).filter(
        lambda text: "parley hostenv" not in text
    )
)
def test_every_byte_of_the_operators_stays(text: str) -> None:
    after = edit(text, VALUES).text
    assert after.startswith(text)
    assert {name: parse(after)[name] for name in VALUES} == VALUES | overrides(text)
