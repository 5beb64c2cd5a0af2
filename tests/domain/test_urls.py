"""Which URLs a person may be sent to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.urls import MAX_URL_LENGTH, check_elicitation_url, upstream_origin


@pytest.mark.parametrize(
    ("url", "host", "is_punycode", "origin"),
    [
        ("https://acme.example/connect?ref=1", "acme.example", False, "https://acme.example:443"),
        ("HTTPS://Acme.EXAMPLE/A", "acme.example", False, "https://acme.example:443"),
        ("https://acme.example:8443/", "acme.example", False, "https://acme.example:8443"),
        ("https://acme.example:443", "acme.example", False, "https://acme.example:443"),
        ("https://a_b.acme.example/", "a_b.acme.example", False, "https://a_b.acme.example:443"),
        (
            "https://xn--80ak6aa92e.com/",
            "xn--80ak6aa92e.com",
            True,
            "https://xn--80ak6aa92e.com:443",
        ),
        ("https://login.XN--80AK6AA92E.com/", "login.xn--80ak6aa92e.com", True, None),
        ("https://аррӏе.com/", "xn--80ak6aa92e.com", True, "https://xn--80ak6aa92e.com:443"),
        ("https://straße.example/", "xn--strae-oqa.example", True, None),
        ("https://ｅxample.com/", "example.com", True, "https://example.com:443"),
        ("https://acme.example/xn--a?b=xn--c", "acme.example", False, None),
        ("https://acme.example/grüße", "acme.example", False, None),
        ("https://acme.example/@user", "acme.example", False, None),
        ("https://acme.example#a@b", "acme.example", False, None),
    ],
)
def test_an_https_url_on_a_full_domain_name_is_shown_by_its_ascii_host(
    url: str, host: str, is_punycode: bool, origin: str | None
) -> None:
    checked = check_elicitation_url(url, allow_loopback_http=False)
    assert checked.url == url
    assert (checked.host, checked.is_punycode) == (host, is_punycode)
    assert checked.origin == origin or origin is None
    assert "".join(checked.parts) == url


@pytest.mark.parametrize(
    "raw",
    [
        None,
        3,
        b"https://acme.example/",
        "",
        "/relative",
        "acme.example/x",
        "//acme.example/x",
        "http://acme.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "ftp://acme.example/",
        "blob:https://acme.example/1",
        "https:acme.example",
        "https:/acme.example",
        "https:///acme.example",
        "https://",
        "https://:443/",
        "https://bank.example@evil.example/",
        "https://user:pw@acme.example/",
        "https://@acme.example/",
        "https://acme.example\\@evil.example/",
        "https://acme.example/a b",
        " https://acme.example/",
        "https://acme.example/\n",
        "https://ac\tme.example/",
        "https://acme.example/\u202egpj.exe",
        "https://acme.example/a\u200bb",
        "https://acme.example/\u3164",
        "https://acme.example/\x00",
        "https://acme.example/\u2003",
        "https://acme.example./",
        "https://acme..example/",
        "https://.example/",
        "https://-acme.example/",
        "https://acme-.example/",
        "https://ac%6De.example/",
        "https://acme.example:0/",
        "https://acme.example:/",
        "https://acme.example:65536/",
        "https://acme.example:44x/",
        "https://intranet/",
        "https://8.8.8.8/",
        "https://134744072/",
        "https://0x08.8.8.8/",
        "https://8.8.2056/",
        "https://acme.1/",
        "https://[2606:4700::1111]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://[::1/",
        "https://" + "a" * 64 + ".example/",
        "https://" + "a." * 130 + "example/",
        "https://acme.example℀.evil.example/",
        "https://\u00ad.example/",
        "https://acme.example/" + "a" * MAX_URL_LENGTH,
    ],
)
def test_every_other_url_is_refused_naming_the_field(raw: object) -> None:
    for allowed in (False, True):
        with pytest.raises(InvalidInput) as refusal:
            check_elicitation_url(raw, allow_loopback_http=allowed)
        assert [field.path for field in refusal.value.fields] == ["url"]
        assert refusal.value.message.startswith("url ")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://localhost:8000/a", "localhost"),
        ("https://localhost/a", "localhost"),
        ("http://127.0.0.1:8000/a", "127.0.0.1"),
        ("http://１２７.0.0.1/a", "127.0.0.1"),
        ("http://[::1]:8000/a", "[::1]"),
        ("http://[0:0:0:0:0:0:0:1]:8000/a", "[::1]"),
    ],
)
def test_loopback_passes_only_in_local_mode(url: str, host: str) -> None:
    checked = check_elicitation_url(url, allow_loopback_http=True)
    assert checked.host == host
    assert "".join(checked.parts) == url
    with pytest.raises(InvalidInput):
        check_elicitation_url(url, allow_loopback_http=False)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.2/", "http://localhost.evil.example/", "http://127.0.0.1.evil.example/"],
)
def test_local_mode_opens_nothing_but_the_three_loopback_hosts(url: str) -> None:
    with pytest.raises(InvalidInput):
        check_elicitation_url(url, allow_loopback_http=True)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://acme.example:8443/acme.example", "acme.example"),
        ("https://Acme.example", "Acme.example"),
        ("https://аррӏе.com?x", "аррӏе.com"),
    ],
)
def test_the_parts_emphasise_the_host_where_it_stands(url: str, shown: str) -> None:
    before, host, after = check_elicitation_url(url, allow_loopback_http=False).parts
    assert (before, host) == ("https://", shown)
    assert before + host + after == url


@given(st.text(max_size=40))
def test_whatever_passes_has_an_ascii_lower_case_host_without_surprises(text: str) -> None:
    for raw in (text, f"https://{text}", f"https://{text}.example/", f"https://a.example/{text}"):
        try:
            checked = check_elicitation_url(raw, allow_loopback_http=False)
        except InvalidInput:
            continue
        assert checked.url == raw
        assert checked.host.isascii()
        assert checked.host == checked.host.lower()
        assert not set(checked.host) & set(":/@\\%?# ")
        assert checked.origin.startswith(f"https://{checked.host}:")
        assert "".join(checked.parts) == raw


@pytest.mark.parametrize(
    ("url", "local", "origin"),
    [
        ("https://mcp.acme.example/mcp", False, "https://mcp.acme.example:443"),
        ("https://tools:8443/mcp", False, "https://tools:8443"),
        ("https://10.0.0.8/mcp", False, "https://10.0.0.8:443"),
        ("https://[2606:4700::1111]/mcp", False, "https://[2606:4700::1111]:443"),
        ("http://127.0.0.1:9000/mcp", True, "http://127.0.0.1:9000"),
        ("http://127.0.0.1:9000/mcp", False, None),
        ("http://tools/mcp", True, None),
        ("https://user@acme.example/mcp", False, None),
        ("ftp://acme.example/mcp", False, None),
        (None, False, None),
    ],
)
def test_an_upstream_is_https_or_local_loopback(
    url: object, local: bool, origin: str | None
) -> None:
    if origin is not None:
        assert upstream_origin(url, allow_loopback_http=local) == origin
        return
    with pytest.raises(InvalidInput):
        upstream_origin(url, allow_loopback_http=local)
