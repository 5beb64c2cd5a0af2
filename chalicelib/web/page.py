"""A finished page, and the headers that every page has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CONTENT_SECURITY_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Links that strangers wrote stand on these pages: not even their host is looked up before a
    # click (MCP, URL mode: no prefetch).
    "X-DNS-Prefetch-Control": "off",
    "X-Robots-Tag": "noindex",
}


@dataclass(frozen=True, slots=True)
class Page:
    """An HTTP answer in plain values: status, HTML text, headers by name."""

    status: int
    html: str
    headers: dict[str, str]
