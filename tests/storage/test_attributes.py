"""Values keep their exact value on the way to a row and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.storage.attributes import (
    from_ms,
    get_instant,
    get_json,
    get_number,
    get_text,
    instant,
    present,
    to_json,
    to_ms,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.integers(-62_135_596_800_000, 253_402_300_799_000))
def test_instants_are_exact_to_the_millisecond(ms: int) -> None:
    """No float in between, which would be off by one for some."""
    assert to_ms(from_ms(ms)) == ms


def test_instants_are_rounded_down() -> None:
    at = datetime(2026, 5, 4, 9, 0, 0, 999_999, tzinfo=UTC)
    assert from_ms(to_ms(at)) == at - timedelta(microseconds=999)
    assert get_instant({"at": instant(at)}, "at") == at - timedelta(microseconds=999)


@given(JSON)
def test_json_comes_back_with_its_types(value: Any) -> None:
    got = get_json({"x": to_json(value)}, "x")
    assert (got, repr(got)) == (value, repr(value))


def test_absent_stays_absent() -> None:
    assert present({"a": None, "b": {"S": ""}}) == {"b": {"S": ""}}
    assert get_text({}, "a") is None
    assert get_instant({}, "a") is None
    assert (get_number({}, "a", 7), get_json({}, "a", [])) == (7, [])
