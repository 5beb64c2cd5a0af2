"""What holds for every page: whole HTML, nothing inline, strangers' text escaped and sanitised."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from jinja2 import UndefinedError

from chalicelib.web.render import render, render_page
from tests.web.gallery import gallery
from tests.web.html import Element, parse

TAG = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'"
HIDDEN = "pay\u202edab\u200b \U000e0041{{ 7*7 }}"
BASE = "/prod"

NAMES = list(gallery())
HOSTILE = {name: parse(page.html) for name, page in gallery(TAG, BASE).items()}
SNEAKY = {name: parse(page.html) for name, page in gallery(HIDDEN, BASE).items()}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def test_tags_of_strangers_never_become_elements(name: str) -> None:
    page = HOSTILE[name]
    assert not page.all("img")
    assert [script["src"].partition("?")[0] for script in page.all("script")] == [
        "/prod/static/app.js"
    ]
    for element in page.every():
        assert not [key for key in element.attributes if key.startswith("on")]


def test_hidden_characters_of_strangers_are_written_out(name: str) -> None:
    kept_raw = {"value", "data-row", "href", "id", "for"}
    page = SNEAKY[name]
    shown = page.text
    for element in page.every():
        if element.tag == "textarea":
            shown = shown.replace(element.text, "")
        shown += "".join(
            value or "" for key, value in element.attributes.items() if key not in kept_raw
        )
    assert not re.search("[\u202e\u200b\U000e0041]", shown)


def test_nothing_is_inline(name: str) -> None:
    page = HOSTILE[name]
    assert not page.all("style")
    for element in page.every():
        assert not element.has("style")
        assert not element["href"].startswith("javascript:") if element.has("href") else True


def test_everything_it_asks_for_is_below_the_base_path(name: str) -> None:
    page = HOSTILE[name]
    asked = [
        element.attributes[key] or ""
        for element in page.every()
        for key in ("href", "src", "action", "data-refresh", "data-receipt")
        if element.has(key)
    ]
    elsewhere = {url for url in asked if not url.startswith(("/prod/", "#", "data:image/"))}
    assert elsewhere <= {
        "",
        "https://xn--pypal-4ve.example/login?next=%2F&state=0f4ad0e4b1c24b0c8f7f",
    }


def test_it_is_one_document_with_a_language_a_title_and_one_heading(name: str) -> None:
    page = HOSTILE[name]
    assert page.one("html")["lang"] == "en"
    assert page.one("title").text.endswith(" – Parley")
    assert page.one("meta", name="viewport")
    assert len(page.all("h1")) == 1
    assert page.one("main")["id"] == "main"


def test_heading_levels_do_not_skip(name: str) -> None:
    page = HOSTILE[name]
    levels = [int(e.tag[1]) for e in page.every() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_everything_named_exists(name: str) -> None:
    page = HOSTILE[name]
    ids = [element["id"] for element in page.every() if element.has("id")]
    assert len(ids) == len(set(ids))
    for element in page.every():
        for key in ("aria-describedby", "aria-labelledby", "for", "form"):
            named = element[key].split() if element.has(key) else []
            assert set(named) <= set(ids), (key, named)


def test_every_control_has_a_label(name: str) -> None:
    page = HOSTILE[name]
    controls = [
        element
        for element in page.every()
        if element.tag in {"input", "select", "textarea"}
        and element.attributes.get("type") != "hidden"
    ]
    labelled = {label["for"] for label in page.all("label") if label.has("for")}
    wrapped = [id(e) for label in page.all("label") for e in label.every()]
    for control in controls:
        assert control.attributes.get("id") in labelled or id(control) in wrapped


def test_no_control_blocks_the_ways_out(name: str) -> None:
    page = HOSTILE[name]
    assert not [element for element in page.every() if element.has("required")]
    for value in ("decline", "cancel"):
        for button in page.all("button", name="action", value=value):
            assert button.has("formnovalidate")


def posting_forms(page: Element) -> list[Element]:
    """Forms that change something."""
    return page.all("form", method="post")


SIGNED_IN = [
    name
    for name in NAMES
    if name.startswith(("inbox", "session", "decline", "secret")) and name != "secret-gone"
]


@pytest.mark.parametrize("signed_in", SIGNED_IN)
def test_every_form_of_a_signed_in_page_carries_the_token(signed_in: str) -> None:
    forms = posting_forms(HOSTILE[signed_in])
    assert forms
    for form in forms:
        assert form.one("input", name="csrf")["value"] == "csrf-token"


def test_a_value_that_a_template_needs_cannot_be_forgotten() -> None:
    with pytest.raises(UndefinedError):
        render("message.html", base_path="")


def test_headers_of_the_caller_stand_on_top() -> None:
    page = render_page(
        "message.html",
        base_path="",
        status=503,
        headers={"Retry-After": "5"},
        title="t",
        lines=[],
        link=None,
        viewer=None,
    )
    assert page.status == 503
    assert page.headers["Retry-After"] == "5"
    assert "Content-Security-Policy" in page.headers
