"""Can the endpoint be reached: one GET, nothing kept, nothing followed, never an exception.

The head of the answer is all that is read. Proxies from the environment are ignored, as the askers'
client ignores them. What a result means for operators is `domain/incident.py`.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit

from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.domain.text import one_line

PROBE_NAME: Final = "parley-reachability-probe"
OUR_MARK: Final = b"x-parley"
OURSELVES: Final = b"1"
"""The gateway marks what it answers in our stead as `gateway`: reached, but not us."""

MAX_HEAD: Final = 65_536
"""Bytes of status line and headers; what sends more is not HTTP in good faith."""

_TOKENS: Final = re.compile(rf"(/(?:a|session)/)(?!{PROBE_NAME}(?:/|$))[^/\s?#]+")
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")


def probe_url(base_url: str) -> str:
    """The token route's poll with the probe's name as token and id; Parley answers it with 401."""
    return f"{base_url.rstrip('/')}/api/v1/elicitations/session/{PROBE_NAME}/{PROBE_NAME}"


def redacted(url: str) -> str:
    """The URL without tokens, user name, password, query and fragment."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    return one_line(_TOKENS.sub(r"\1[token]", re.sub(r"//[^/@]*@", "//", bare)), 200)


def probe(
    url: str,
    *,
    connect_timeout: float = 5.0,
    read_timeout: float = 5.0,
    total_timeout: float = 10.0,
    trust: ssl.SSLContext | None = None,
) -> ProbeResult:
    """GET `url` once. Times in seconds; `total_timeout` bounds name look-up, drip and all.

    Any HTTP answer counts as reached (seed, "Where the request goes"); one without our mark, or a
    5xx, is degraded. `trust` replaces the system's certificate authorities. Never raises.
    """
    started = time.monotonic()
    shown = redacted(url)
    limits = _Limits(connect_timeout, read_timeout, started + total_timeout)
    try:
        kind, detail, status = _judge(_head(_checked(url), limits, trust), shown)
    except Exception as error:  # whatever it is, the caller needs a result
        kind, detail = _classify(error)
        status = None
    return ProbeResult(
        kind=kind,
        detail=detail,
        url=shown,
        status=status,
        elapsed_ms=round((time.monotonic() - started) * 1000),
    )


class _BadUrl(ValueError):
    """The URL cannot be asked for."""


class _NotHttp(OSError):
    """Something answered, but not HTTP."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """Seconds for one step, within one deadline on the monotonic clock."""

    connect: float
    read: float
    deadline: float

    def left(self, step: float) -> float:
        """Seconds for a step that may take `step`; raises `TimeoutError` when none are left."""
        left = min(step, self.deadline - time.monotonic())
        if left <= 0:
            raise TimeoutError("the whole probe took too long")
        return left


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
        host = (parts.hostname or "").encode("idna")
    except (ValueError, UnicodeError) as error:
        raise _BadUrl("not a URL") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise _BadUrl("not an http(s) URL with a host")
    if parts.username is not None:
        raise _BadUrl("carries a user name, which askers' clients refuse")
    if re.search(r"[\x00-\x20\x7f]", url):
        raise _BadUrl("contains blanks or control characters")
    return parts


def _head(parts: SplitResult, limits: _Limits, trust: ssl.SSLContext | None) -> bytes:
    """The answer's status line and headers."""
    host = (parts.hostname or "").encode("idna").decode()
    with _connect(host, parts.port or (443 if parts.scheme == "https" else 80), limits) as plain:
        if parts.scheme == "http":
            return _ask(plain, parts, limits)
        context = trust or ssl.create_default_context()
        plain.settimeout(limits.left(limits.connect))
        with context.wrap_socket(plain, server_hostname=host) as secure:
            return _ask(secure, parts, limits)


def _connect(host: str, port: int, limits: _Limits) -> socket.socket:
    """A connection to the first address that takes one."""
    failure: OSError | None = None
    for address in _addresses(host, port, limits):
        try:
            return socket.create_connection(address, timeout=limits.left(limits.connect))
        except OSError as error:
            failure = failure or error
    raise failure or socket.gaierror("no address")


def _addresses(host: str, port: int, limits: _Limits) -> list[tuple[str, int]]:
    """The host's addresses. The resolver has no time limit, so a slow one is left on its thread."""
    found: list[tuple[str, int]] = []
    failures: list[OSError] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend((str(answer[4][0]), port) for answer in answers)
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(limits.left(limits.connect))
    if thread.is_alive():
        raise socket.gaierror(socket.EAI_AGAIN, "the name look-up took too long")
    if failures:
        raise failures[0]
    return found


def _ask(connection: socket.socket, parts: SplitResult, limits: _Limits) -> bytes:
    """Send the request and read until the head of the answer is complete."""
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = f"?{quote(parts.query, safe='/%:@!$&()*+,;=~-._?')}" if parts.query else ""
    connection.settimeout(limits.left(limits.read))
    connection.sendall(
        f"GET {path}{query} HTTP/1.1\r\nHost: {_host_header(parts)}\r\nAccept: application/json\r\n"
        "User-Agent: parley-probe\r\nConnection: close\r\n\r\n".encode()
    )
    head = b""
    while not (end := _END_OF_HEAD.search(head)):
        connection.settimeout(limits.left(limits.read))
        received = connection.recv(4096)
        head += received
        if not received:
            raise ConnectionResetError("the connection was closed before an answer")
        if len(head) > MAX_HEAD or not b"HTTP/1.".startswith(head[:7]):
            raise _NotHttp("the answer is not HTTP")
    return head[: end.end()]


def _host_header(parts: SplitResult) -> str:
    host = (parts.hostname or "").encode("idna").decode()
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{parts.port}" if parts.port else host


def _judge(head: bytes, shown: str) -> tuple[ProbeKind, str, int]:
    """An answer's kind, words and status."""
    match = _STATUS_LINE.match(head)
    if match is None:
        raise _NotHttp("the answer is not HTTP")
    status = int(match[1])
    fields = (line.partition(b":") for line in head.splitlines()[1:])
    marks = {value.strip() for name, _, value in fields if name.strip().lower() == OUR_MARK}
    said = f"HTTP {status} from {shown}"
    if OURSELVES not in marks:
        return ProbeKind.DEGRADED, f"{said}, but not answered by Parley", status
    if status >= 500:
        return ProbeKind.DEGRADED, f"{said}, which is an error of Parley's own", status
    return ProbeKind.OK, said, status


def _classify(error: Exception) -> tuple[ProbeKind, str]:
    """A failure's kind and words; the words never quote the URL."""
    kinds: tuple[tuple[type[Exception], ProbeKind, str], ...] = (
        (_BadUrl, ProbeKind.BAD_URL, "the URL is unusable"),
        (socket.gaierror, ProbeKind.DNS, "the host name does not resolve"),
        (ssl.SSLError, ProbeKind.TLS, "no secure connection"),
        (TimeoutError, ProbeKind.TIMEOUT, "no answer in time"),
        (ConnectionRefusedError, ProbeKind.REFUSED, "the connection was refused"),
        (ConnectionError, ProbeKind.RESET, "the connection broke"),
    )
    for family, kind, words in kinds:
        if isinstance(error, family):
            return kind, f"{words}: {_said(error)}"
    return ProbeKind.OTHER, f"{type(error).__name__}: {_said(error)}"


def _said(error: Exception) -> str:
    return one_line(getattr(error, "verify_message", "") or str(error), 160)
