"""The four formats of MCP forms."""

from __future__ import annotations

import pytest

from chalicelib.domain.form_schema.formats import is_date, is_date_time, is_email, is_uri


@pytest.mark.parametrize(
    "text",
    ["me@example.com", "a.b+c@mail.example.org", "me@intranet", "o'neil@xn--bcher-kva.example"],
)
def test_an_email_address_is_accepted(text: str) -> None:
    assert is_email(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "me",
        "@example.org",
        "me@",
        "a@b@example.org",
        " me@example.org",
        "me@example.org\n",
        "Me <me@example.org>",
        "me@example..org",
        "jörg@example.org",
        "a" * 300 + "@example.org",
    ],
)
def test_what_is_no_email_address_is_refused(text: str) -> None:
    assert not is_email(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org",
        "HTTPS://user@example.org:8443/a%20b;c?d=[e]".replace("[e]", "e/?") + "#f?/",
        "http://[2001:db8::1]:80/",
        "mailto:me@example.org",
        "urn:isbn:0451450523",
        "foo:bar:foo:",
        "file:///etc/hosts",
        "tel:+1-201-555-0123",
    ],
)
def test_an_absolute_uri_is_accepted(text: str) -> None:
    assert is_uri(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org",
        "//example.org/a",
        "/a/b",
        "1http://example.org",
        "https:",
        "https://",
        "https:///path",
        "https://example.org/a b",
        "https://example.org/ä",
        "https://example.org/%zz",
        "https://example.org/#a#b",
        "https://example.org/[a]",
        "https://example.org:port/",
        "https://example.org:99999/",
        "https://[::1/",
        "https://example.org/\n",
        "https://exa\tmple.org/",
        "https://example.org/\\a",
    ],
)
def test_what_is_no_absolute_uri_is_refused(text: str) -> None:
    assert not is_uri(text)


@pytest.mark.parametrize("text", ["2026-08-31", "2024-02-29", "0001-01-01"])
def test_a_day_that_exists_is_accepted(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-02-29",
        "2026-13-01",
        "20260831",
        "2026-8-31",
        "31.08.2026",
        "2026-08-31 ",
        "٢٠٢٦-08-31",
    ],
)
def test_what_is_no_day_is_refused(text: str) -> None:
    assert not is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-08-31T14:30:00Z",
        "2026-08-31t14:30:00z",
        "2026-08-31T14:30:00.123456789+05:30",
        "2026-08-31T00:00:00-23:59",
        "0001-01-01T00:00:00+12:00",
    ],
)
def test_an_instant_with_its_zone_is_accepted(text: str) -> None:
    assert is_date_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-08-31",
        "2026-08-31T14:30:00",
        "2026-08-31T14:30Z",
        "2026-08-31 14:30:00Z",
        "2026-02-29T14:30:00Z",
        "2026-08-31T24:00:00Z",
        "2026-08-31T14:60:00Z",
        "2026-06-30T23:59:60Z",
        "2026-08-31T14:30:00+24:00",
        "2026-08-31T14:30:00+0530",
        "2026-08-31T14:30:00.Z",
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    assert not is_date_time(text)
