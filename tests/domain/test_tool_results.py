"""Results as the journal and the final word tell them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.domain.tool_results import (
    EXCERPT_LIMIT,
    RESULT_LIMIT,
    elicited,
    failed,
    from_upstream,
    text_of,
    text_part,
)
from chalicelib.domain.turn import AskedUrl, ToolCall
from chalicelib.domain.urls import check_elicitation_url

LINK = check_elicitation_url("https://acme.example/x", allow_loopback_http=False)
WISH = ToolCall("acme", "report", {})


def test_a_result_is_passed_on_as_it_is() -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    given = {"content": [text_part("hi"), image], "structuredContent": {"n": 3.0}}
    told = from_upstream(given).as_data()
    assert told == {
        "success": True,
        "status": "success",
        "result": [text_part("hi"), image],
        "structured_content": {"n": 3.0},
    }


@pytest.mark.parametrize(
    "given", [{}, {"content": None}, {"content": "text"}, {"content": [1, "x", None]}]
)
def test_content_that_is_none_is_left_out(given: dict[str, Any]) -> None:
    assert from_upstream(given).as_data() == {"success": True, "status": "success"}


def test_a_tools_own_error_is_an_error_in_its_words() -> None:
    told = from_upstream({"content": [text_part("no such month")], "isError": True}).as_data()
    assert (told["success"], told["status"], told["error"]) == (False, "error", "no such month")
    assert from_upstream({"isError": True}).error == "the tool failed"
    assert from_upstream({"isError": "yes"}).is_ok


@pytest.mark.parametrize("key", ["content", "structuredContent"])
def test_too_long_a_result_is_cut_and_says_so(key: str) -> None:
    long = "z" * (RESULT_LIMIT + 1)
    given: dict[str, Any] = {key: [text_part(long)] if key == "content" else {"z": long}}
    result = from_upstream(given)
    assert result.structured is None
    assert len(json.dumps(result.as_data())) < RESULT_LIMIT
    assert text_of(result.content).endswith("[... cut short]")


def test_the_final_word_has_an_excerpt() -> None:
    assert 1_900 < len(failed("x" * 9_999).told("t").text) <= EXCERPT_LIMIT
    assert from_upstream({"content": [text_part("ok")]}).told("t").text == "ok"


def test_an_elicitation_is_a_success_with_one_payload_a_page() -> None:
    asked = [AskedUrl("a", "One.", LINK), AskedUrl("b", "Two.", LINK)]
    result = elicited(WISH, asked, declined=True)
    assert result.is_ok
    payloads = [json.loads(part["text"]) for part in result.content]
    assert [payload["message"] for payload in payloads] == ["One.", "Two."]
    assert all(payload["declined"] is True for payload in payloads)
