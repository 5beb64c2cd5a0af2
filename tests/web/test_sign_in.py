"""Signing in."""

from __future__ import annotations

import pytest

from chalicelib.web.sign_in import SignInProblem, sign_in_page
from tests.web.html import parse


def test_the_form_posts_key_next_and_token_below_the_base_path() -> None:
    page = sign_in_page(csrf="token", base_path="/prod", next_path="/sessions/s")
    form = parse(page.html).one("form")
    assert form["action"] == "/prod/sign-in"
    assert form.one("input", name="next")["value"] == "/sessions/s"
    assert form.one("input", name="csrf")["value"] == "token"
    assert form.one("input", name="key")["type"] == "password"
    assert page.status == 200


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (SignInProblem.WRONG_KEY, 401),
        (SignInProblem.STALE_FORM, 403),
        (SignInProblem.TOO_MANY_TRIES, 429),
    ],
)
def test_a_problem_stands_beside_the_field_and_no_key_comes_back(
    problem: SignInProblem, status: int
) -> None:
    page = sign_in_page(csrf="token", base_path="", problem=problem)
    field = parse(page.html).one("input", name="key")
    assert page.status == status
    assert not field.has("value")
    assert field["aria-invalid"] == "true"
    assert "key-error" in field["aria-describedby"]


@pytest.mark.parametrize(("seconds", "words"), [(60, "in 1 minute."), (61, "in 2 minutes.")])
def test_too_many_tries_tell_when_to_come_back(seconds: int, words: str) -> None:
    page = sign_in_page(
        csrf="t", base_path="", problem=SignInProblem.TOO_MANY_TRIES, retry_after=seconds
    )
    assert page.headers["Retry-After"] == str(seconds)
    assert words in page.html
