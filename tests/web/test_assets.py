"""Static files: a closed list, and URLs that change with the content."""

from __future__ import annotations

import re

import pytest

from chalicelib.web.assets import asset, asset_url
from tests.web.gallery import gallery


@pytest.mark.parametrize("name", ["../page.py", "app.css/../../page.py", "", "APP.CSS"])
def test_only_the_named_files_are_given(name: str) -> None:
    with pytest.raises(KeyError):
        asset(name)


def test_a_file_has_its_type_and_a_quoted_etag() -> None:
    assert asset("app.css").content_type == "text/css; charset=utf-8"
    assert asset("app.js").content_type == "text/javascript; charset=utf-8"
    assert re.fullmatch('"[0-9a-f]{16}"', asset("app.css").etag)
    assert asset("app.css").etag != asset("app.js").etag


@pytest.mark.parametrize("base", ["", "/", "/prod", "/prod/"])
def test_urls_stand_below_the_base_path_and_name_the_content(base: str) -> None:
    version = asset("app.js").etag.strip('"')
    assert asset_url(base, "app.js") == f"{base.rstrip('/')}/static/app.js?v={version}"


def test_the_style_sheet_has_a_rule_for_every_class_that_pages_use() -> None:
    css = asset("app.css").body
    used = {
        name
        for page in gallery().values()
        for names in re.findall(r'class="([^"]*)"', page.html)
        for name in names.split()
    }
    assert {name for name in used if f".{name}" not in css} == set()


def test_neither_file_asks_another_site_for_anything() -> None:
    for name in ("app.css", "app.js"):
        assert not re.search(r"https?:|//[a-z]|@import|url\(", asset(name).body)
