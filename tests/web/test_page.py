"""Headers that every page has."""

from __future__ import annotations

import pytest

from tests.web.gallery import gallery

PAGES = gallery()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_the_headers_that_keep_it_to_itself(name: str) -> None:
    headers = PAGES[name].headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-DNS-Prefetch-Control"] == "off"


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    policy = PAGES["answer"].headers["Content-Security-Policy"]
    assert policy.split("; ") == [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
