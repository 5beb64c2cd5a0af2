"""The part of a page that changes, fetched again by the script: a validator, and 304 when nothing
changed."""

from __future__ import annotations

import hashlib
from typing import Any

from chalicelib.web.page import Page
from chalicelib.web.render import render_page


def render_fragment(template: str, *, base_path: str, **values: Any) -> Page:
    """A fragment with an `ETag` of its text.

    Templates of fragments hold no seconds, so it stays while a reader would see no change.
    """
    page = render_page(template, base_path=base_path, **values)
    digest = hashlib.sha256(page.html.encode()).hexdigest()[:20]
    return Page(page.status, page.html, {**page.headers, "ETag": f'"{digest}"'})


def unless_known(fragment: Page, if_none_match: str | None) -> Page:
    """304 without a body when the reader holds this very text (the value of `If-None-Match`)."""
    known = (if_none_match or "").strip().removeprefix("W/")
    return Page(304, "", fragment.headers) if known == fragment.headers["ETag"] else fragment
