"""Pages that only say something."""

from __future__ import annotations

from chalicelib.web.messages import error_page, signed_out_page, unknown_link_page
from tests.web.html import parse


def test_an_error_has_its_status_and_when_to_try_again() -> None:
    page = error_page(503, title="Busy", text="Nothing is lost.", base_path="", retry_after=5)
    assert (page.status, page.headers["Retry-After"]) == (503, "5")
    assert parse(page.html).one("h1").text == "Busy"
    assert "Retry-After" not in error_page(404, title="t", text="t", base_path="").headers


def test_a_broken_link_does_not_tell_what_exists() -> None:
    page = unknown_link_page(base_path="")
    assert page.status == 404
    assert not parse(page.html).all("a", href="/")


def test_after_signing_out_there_is_a_way_back_in() -> None:
    page = parse(signed_out_page(base_path="/prod").html)
    assert page.one("a", href="/prod/sign-in")
