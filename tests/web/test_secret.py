"""The page where a secret is typed."""

from __future__ import annotations

import pytest

from chalicelib.web.page import Page
from chalicelib.web.secret import (
    secret_done_page,
    secret_gone_page,
    secret_page,
    secret_refused_page,
)
from tests.web.html import parse
from tests.web.samples import MINUTE, NOW, VIEWER


def page(*, replaces: bool = False, problem: str | None = None) -> Page:
    return secret_page(
        name="STRIPE_API_KEY",
        session_title="Nightly release",
        replaces=replaces,
        expires_at=NOW + 10 * MINUTE,
        now=NOW,
        action_path="/secrets/token",
        base_path="",
        viewer=VIEWER,
        problem=problem,
    )


@pytest.mark.parametrize("problem", [None, "A value is needed."])
def test_the_value_is_hidden_never_filled_in_and_never_sent_back(problem: str | None) -> None:
    shown = page(problem=problem)
    field = parse(shown.html).one("input", name="value")
    assert field["type"] == "password"
    assert field["autocomplete"] == "off"
    assert not field.has("value")
    assert shown.status == (422 if problem else 200)
    assert field.has("aria-invalid") is (problem is not None)


def test_it_names_secret_and_session_and_can_be_refused() -> None:
    shown = parse(page().html)
    assert "STRIPE_API_KEY" in shown.text
    assert "Nightly release" in shown.text
    assert [button["value"] for button in shown.all("button", name="action")] == [
        "accept",
        "decline",
        "cancel",
    ]


def test_replacing_is_said_beforehand() -> None:
    assert "Storing replaces it." in page(replaces=True).html
    assert "Storing replaces it." not in page().html


@pytest.mark.parametrize(("stored", "words"), [(True, "is stored"), (False, "Nothing was stored")])
def test_afterwards_it_says_whether_anything_is_stored(stored: bool, words: str) -> None:
    shown = secret_done_page(name="N", stored=stored, base_path="", viewer=VIEWER)
    assert shown.status == 200
    assert words in parse(shown.html).one("h1").text


def test_a_stranger_is_refused_without_a_name() -> None:
    shown = secret_refused_page(base_path="", viewer=VIEWER)
    assert shown.status == 403
    assert "not for you" in parse(shown.html).one("h1").text


@pytest.mark.parametrize(("used", "words"), [(True, "already used"), (False, "expired")])
def test_a_page_works_once_and_for_a_time(used: bool, words: str) -> None:
    shown = secret_gone_page(used=used, base_path="")
    assert shown.status == 410
    assert words in parse(shown.html).one("h1").text
