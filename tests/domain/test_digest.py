"""Equal JSON has equal digests, and nothing else has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.digest import digest

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON))
def test_the_order_of_names_does_not_matter(value: dict[str, Any]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, "3"),
        (3, 3.0),
        (1, True),
        (0, False),
        (None, "null"),
        ([1, 2], [2, 1]),
        ([[1], 2], [[1, 2]]),
        ({"a": 1}, [["a", 1]]),
        ({"a": None}, {}),
        ("a", "a "),
        ("\u00e9", "e\u0301"),
        ("", None),
    ],
)
def test_what_differs_in_type_order_or_spelling_differs(one: Any, other: Any) -> None:
    assert digest(one) != digest(other)
