"""The style sheet and the script: their text, and URLs that change when they do."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {
    "app.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
}

CACHE_CONTROL: Final = "public, max-age=31536000, immutable"
"""For a request with the content's hash in its query: what such a URL names never changes."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file. `etag` is quoted, as in the header."""

    body: str
    content_type: str
    etag: str


@cache
def asset(name: str) -> Asset:
    """The static file of that name. Raises `KeyError` for any other name: no path is ever built
    from what a request says."""
    content_type = _TYPES[name]
    body = (_STATIC / name).read_text(encoding="utf-8")
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    return Asset(body, content_type, f'"{digest}"')


def asset_url(base_path: str, name: str) -> str:
    """Where the page finds the file; `base_path` is what stands before the app's own paths."""
    version = asset(name).etag.strip('"')
    return f"{base_path.rstrip('/')}/static/{name}?v={version}"
