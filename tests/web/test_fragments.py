"""Fragments that need not be sent twice."""

from __future__ import annotations

import pytest

from chalicelib.web.fragments import render_fragment, unless_known
from chalicelib.web.inbox import inbox_fragment
from tests.web.gallery import some_inbox

FRAGMENT = inbox_fragment(some_inbox("words"))
TAG = FRAGMENT.headers["ETag"]


@pytest.mark.parametrize("known", [TAG, f"W/{TAG}", f" {TAG} "])
def test_a_reader_that_holds_the_text_gets_304_and_no_body(known: str) -> None:
    answer = unless_known(FRAGMENT, known)
    assert (answer.status, answer.html) == (304, "")
    assert answer.headers["ETag"] == TAG


@pytest.mark.parametrize("known", [None, "", "*", '"other"', TAG.strip('"')])
def test_any_other_reader_gets_the_text(known: str | None) -> None:
    assert unless_known(FRAGMENT, known) is FRAGMENT


def test_a_fragment_is_no_document() -> None:
    page = render_fragment(
        "message.html", base_path="", title="t", lines=[], link=None, viewer=None
    )
    assert page.headers["ETag"].startswith('"')
    assert "<html" not in FRAGMENT.html
