"""The smallest rules of fit, where the tables of `test_answers.py` do not reach."""

from __future__ import annotations

import pytest

from chalicelib.domain.form_schema.values import is_encodable, lines_folded


@pytest.mark.parametrize(("text", "good"), [("ä\U0001f600", True), ("a\ud800", False)])
def test_a_lone_surrogate_cannot_be_encoded(text: str, *, good: bool) -> None:
    assert is_encodable(text) is good


def test_a_form_post_carries_one_kind_of_line_break() -> None:
    assert lines_folded("a\r\nb\rc\nd") == "a\nb\nc\nd"
