"""Which URLs a person may be sent to, which upstream servers may be registered, and their origins.

Pure text rules: nothing here resolves a name or opens a connection (`outbound/` checks addresses).
They are stricter than browsers where a browser's reading could differ from ours.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, NoReturn
from urllib.parse import SplitResult, urlsplit

from chalicelib.domain.errors import FieldProblem, InvalidInput
from chalicelib.domain.text import visible

MAX_URL_LENGTH: Final = 2048
"""Characters. Longer URLs cannot be read by the person who has to judge them."""

_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class ElicitationUrl:
    """A URL that passed the rules.

    `url` is byte-equal to what the server sent. `host` is lower-case ASCII without the port;
    `is_punycode` is true when it has an `xn--` label, or was written in other letters. `origin` is
    `scheme://host:port` with the port always written out.
    """

    url: str
    host: str
    is_punycode: bool
    origin: str

    @property
    def parts(self) -> tuple[str, str, str]:
        """`url` as (before, host as written, after), for surfaces that emphasise the host."""
        start = self.url.index("://") + 3
        shown = re.match(r"\[[^\]]*\]|[^:/?#]*", self.url[start:])
        end = start + (shown.end() if shown else 0)
        return self.url[:start], self.url[start:end], self.url[end:]


def check_elicitation_url(raw: object, *, allow_loopback_http: bool) -> ElicitationUrl:
    """The URL that a person is asked to open. Raises `InvalidInput` naming `url`.

    https on a public host name (facts everruns 3 and 8.12). Decided here: any port from 1 to 65535
    is allowed and is part of the origin; a trailing dot, a single label and an IP literal are
    refused, since they name a place that the person's own network chooses or that nobody can judge.
    With `allow_loopback_http` (local mode) `localhost`, `127.0.0.1` and `[::1]` pass, on http too.
    """
    parts = _split(raw)
    host = _ascii_host(parts)
    if host in _LOOPBACK:
        if not allow_loopback_http:
            _refuse("must not point to the reader's own machine")
    elif parts.scheme != "https":
        _refuse("must be an https URL")
    elif _is_address(host) or "." not in host:
        _refuse("must name its host by a full domain name")
    is_punycode = not parts.netloc.isascii() or any(
        label.startswith("xn--") for label in host.split(".")
    )
    return ElicitationUrl(str(raw), host, is_punycode, _origin(parts, host))


def upstream_origin(raw: object, *, allow_loopback_http: bool) -> str:
    """The origin (`scheme://host:port`) of an upstream MCP server's URL.

    https, or http on loopback in local mode. Short names and addresses pass here: an operator
    registers the server, and what a name resolves to is checked at each connection. Raises
    `InvalidInput` naming `url`.
    """
    parts = _split(raw)
    host = _ascii_host(parts)
    if parts.scheme != "https" and not (allow_loopback_http and host in _LOOPBACK):
        _refuse("must be an https URL")
    return _origin(parts, host)


def _split(raw: object) -> SplitResult:
    """Structural rules that hold for every URL, with the parts it has."""
    if not isinstance(raw, str) or not raw:
        _refuse("must be a URL")
    if len(raw) > MAX_URL_LENGTH:
        _refuse(f"must have at most {MAX_URL_LENGTH} characters")
    if visible(raw) != raw or "\\" in raw or any(char.isspace() for char in raw):
        _refuse("must not contain blanks, backslashes, hidden or control characters")
    try:
        parts = urlsplit(raw)
        port = parts.port
    except ValueError:
        _refuse("is not a URL")
    if parts.scheme not in _DEFAULT_PORTS:
        _refuse("must be an https URL")
    if "@" in parts.netloc:
        _refuse("must not carry a user name or password")
    if port == 0 or parts.netloc.endswith(":"):
        _refuse("has no usable port")
    return parts


def _ascii_host(parts: SplitResult) -> str:
    """The host in the form that goes on the wire; IPv6 addresses keep their brackets."""
    host = parts.hostname or ""
    if "[" in parts.netloc:
        return f"[{_ipv6(host)}]"
    if not host.isascii():
        host = _to_ascii(host)
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _refuse("has no valid host")
    if _NUMBER.fullmatch(labels[-1]) and not _is_address(host):
        _refuse("has no valid host")
    return host


def _ipv6(text: str) -> str:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        _refuse("has no valid host")
    if address.scope_id:
        _refuse("has no valid host")
    return address.compressed


def _to_ascii(host: str) -> str:
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        _refuse("has no valid host")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _origin(parts: SplitResult, host: str) -> str:
    return f"{parts.scheme}://{host}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


def _refuse(what: str) -> NoReturn:
    raise InvalidInput(f"url {what}", fields=[FieldProblem("url", what)])
