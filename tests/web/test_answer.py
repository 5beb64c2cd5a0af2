"""The page that asks."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema import derive_fields
from chalicelib.web.answer import answer_page
from chalicelib.web.page import Page
from tests.web.html import parse
from tests.web.samples import CONFIRM, MINUTE, NOW, VIEWER, WHOLE, elicitation


def page(schema: dict[str, Any], **over: Any) -> Page:
    given: dict[str, Any] = {
        "fields": derive_fields(schema),
        "session_title": "Nightly release",
        "now": NOW,
        "action_path": "/a/token",
        "base_path": "",
    }
    asked = over.pop("asked", elicitation())
    return answer_page(asked, **(given | over))


def test_the_form_posts_its_controls_by_place_to_the_link() -> None:
    shown = parse(page(WHOLE).html)
    form = shown.one("form")
    assert form["action"] == "/a/token"
    names = [e["name"] for e in form.every() if e.has("name")]
    assert list(dict.fromkeys(names)) == [f"f{n}" for n in range(12)] + ["action"]


def test_send_comes_first_so_that_enter_sends() -> None:
    buttons = parse(page(WHOLE).html).all("button")
    assert [(button.text, button["value"]) for button in buttons] == [
        ("Send answer", "accept"),
        ("Decline", "decline"),
        ("Dismiss", "cancel"),
    ]


def test_a_lone_boolean_is_two_buttons_that_accept() -> None:
    yes_no, outs = parse(page(CONFIRM).html).all("form")
    assert not [e for e in yes_no.every() if e.attributes.get("type") in {"radio", "checkbox"}]
    assert [(b["name"], b["value"]) for b in yes_no.all("button")] == [
        ("f0", "true"),
        ("f0", "false"),
    ]
    assert yes_no.one("input", type="hidden", name="action")["value"] == "accept"
    assert [b["value"] for b in outs.all("button")] == ["decline", "cancel"]
    assert not outs.all("input", name="f0")


def test_a_boolean_beside_another_field_is_three_states() -> None:
    schema = {"properties": {"a": {"type": "boolean"}, "b": {"type": "integer"}}}
    shown = parse(page(schema).html)
    assert [radio["value"] for radio in shown.all("input", type="radio")] == ["true", "false", ""]


def test_a_form_without_fields_says_that_sending_accepts() -> None:
    shown = parse(page({}).html)
    assert "There is nothing to fill in." in shown.text
    assert shown.one("button", value="accept")


def test_line_breaks_of_the_message_stay() -> None:
    words = parse(page(WHOLE).html).all("div", **{"class": "words"})
    assert words[0].text == "Which environment?\n\nThe last release was on Friday."


def test_who_asks_is_told_as_a_strangers_word() -> None:
    text = parse(page(WHOLE).html).text
    assert "Tool deploy" in " ".join(text.split())
    assert "Nightly release" in text
    assert "does not vouch for them" in text


def test_a_session_without_a_title_goes_by_its_id() -> None:
    assert "session_1" in page(WHOLE, session_title=None).html


def test_the_time_left_is_there_without_a_script() -> None:
    shown = parse(page(WHOLE).html)
    assert "About 42 minutes left" in shown.text
    times = shown.all("time", datetime="2026-12-01T03:42:10Z")
    assert [time.text for time in times] == ["1 Dec 2026, 03:42 UTC"]


def test_in_the_last_moments_it_says_that_an_answer_may_come_too_late() -> None:
    closing = page(WHOLE, asked=elicitation(expires_at=NOW + MINUTE / 10))
    assert "may come too late" in closing.html
    assert "may come too late" not in page(WHOLE).html


def test_errors_stand_beside_the_field_and_in_a_summary_that_has_the_focus() -> None:
    problems = [FieldProblem("replicas", "Must be a whole number, in digits.")]
    answer = page(WHOLE, values={"f7": ["eleven"]}, problems=problems)
    shown = parse(answer.html)
    assert answer.status == 422
    field = shown.one("input", id="f7")
    assert field["value"] == "eleven"
    assert field["aria-invalid"] == "true"
    assert "f7-error" in field["aria-describedby"].split()
    assert "Must be a whole number" in shown.one("p", id="f7-error").text
    summary = shown.one("section", id="problems")
    assert summary.has("autofocus")
    assert summary["role"] == "alert"
    assert [(a["href"], a.text) for a in summary.all("a")] == [
        ("#f7", "Replicas: Must be a whole number, in digits.")
    ]
    assert shown.one("title").text.startswith("Error: ")


def test_an_error_of_no_field_is_still_told() -> None:
    shown = parse(page(WHOLE, values={}, problems=[FieldProblem("x", "Unknown field.")]).html)
    assert [item.text for item in shown.one("section", id="problems").all("li")] == [
        "Unknown field."
    ]


def test_a_summary_link_leads_to_the_first_input_of_a_group() -> None:
    problems = [FieldProblem("environment", "Is required.")]
    shown = parse(page(WHOLE, values={}, problems=problems).html)
    assert shown.one("input", id="f0")["type"] == "radio"
    group = shown.one("fieldset", role="radiogroup", **{"aria-invalid": "true"})
    assert group["aria-describedby"] == "f0-error"


@pytest.mark.parametrize("schema", [WHOLE, CONFIRM])
def test_only_a_signed_in_viewer_gets_a_token_and_a_bar(schema: dict[str, Any]) -> None:
    without = parse(page(schema).html)
    assert not without.all("input", name="csrf")
    assert not without.all("nav")
    signed_in = parse(page(schema, viewer=VIEWER).html)
    assert all(form.one("input", name="csrf") for form in signed_in.all("form"))


def test_a_leading_line_break_of_a_text_survives_html() -> None:
    schema = {"properties": {"a": {"type": "string", "default": "\nx"}, "b": {"type": "string"}}}
    assert ">\n\nx</textarea>" in page(schema).html
