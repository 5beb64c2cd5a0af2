"""Guarded HTTP to registered servers: the only way in which Parley calls out for someone else.

Only registered origins, only permitted addresses, only redirects inside the origin, everything
bounded. One guard may be used by many threads.
"""

from __future__ import annotations

import functools
import http.client
import ssl
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.urls import upstream_origin
from chalicelib.outbound.addresses import AddressPolicy
from chalicelib.outbound.connection import (
    Answer,
    Connection,
    Limits,
    Resolver,
    broken,
    checked_addresses,
    dial,
    secure,
    system_resolver,
    timed_out,
)
from chalicelib.outbound.failures import OutboundFailure, OutboundProblem
from chalicelib.outbound.timed_socket import Deadline, Monotonic, TimedSocket

_REDIRECTS: Final = frozenset({301, 302, 307, 308})
_SAFE: Final = "/?%:@!$&'()*+,;=~[]"


@dataclass(frozen=True, slots=True)
class OutboundRequest:
    """One request; header values may hold credentials, so they stay out of its repr."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


@functools.cache
def _system_tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class Guard:
    """Sends requests to `origins`, written as `domain.urls.upstream_origin` does."""

    def __init__(
        self,
        origins: Collection[str],
        *,
        policy: AddressPolicy,
        limits: Limits | None = None,
        resolve: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._origins = frozenset(origins)
        self._policy = policy
        self._limits = limits or Limits()
        self._resolve = resolve
        self._tls = tls
        self._monotonic = monotonic

    @contextmanager
    def send(self, request: OutboundRequest) -> Iterator[Answer]:
        """The answer to `request`, after at most `Limits.redirects` redirects inside its origin.

        Method and body are kept on every redirect; a 303, which would turn a POST into a GET, and a
        redirect to another origin are refused. Raises `OutboundFailure`, here or while reading.
        """
        deadline = Deadline(self._limits.total, self._monotonic)
        answer = self._follow(request, deadline)
        try:
            yield answer
        finally:
            answer.close()

    def _follow(self, request: OutboundRequest, deadline: Deadline) -> Answer:
        origin = self._origin(request.url)
        if origin not in self._origins:
            raise OutboundFailure(OutboundProblem.REFUSED, "the server is not registered")
        for _ in range(self._limits.redirects + 1):
            answer = self._exchange(request, deadline)
            if answer.status not in _REDIRECTS and answer.status != 303:
                return answer
            answer.close()
            target = _redirect_target(request.url, answer)
            if target is None or self._origin(target) != origin:
                message = "the server redirects to another place"
                raise OutboundFailure(OutboundProblem.REFUSED, message)
            request = replace(request, url=target)
        raise OutboundFailure(OutboundProblem.REFUSED, "the server redirects too often")

    def _origin(self, url: str) -> str:
        try:
            return upstream_origin(url, allow_loopback_http=self._policy.allow_loopback)
        except InvalidInput as error:
            raise OutboundFailure(OutboundProblem.REFUSED, error.message) from error

    def _exchange(self, request: OutboundRequest, deadline: Deadline) -> Answer:
        connection = self._connect(self._origin(request.url), deadline)
        parts = urlsplit(request.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {**request.headers, "Connection": "close"}
        try:
            connection.request(request.method, quote(target, _SAFE), request.body, headers)
            return Answer(connection, self._limits.body)
        except TimeoutError as error:
            connection.close()
            raise timed_out(sent=True) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise broken() from error
        except ValueError:
            connection.close()
            # The original names the header's value, which may be a credential.
            message = "a header has a value that HTTP cannot carry"
            raise OutboundFailure(OutboundProblem.REFUSED, message) from None

    def _connect(self, origin: str, deadline: Deadline) -> Connection:
        scheme, _, rest = origin.partition("://")
        host, _, digits = rest.rpartition(":")
        port = int(digits)
        addresses = checked_addresses(host, port, resolve=self._resolve, policy=self._policy)
        try:
            sock = dial(addresses, port, deadline, seconds=self._limits.connect)
            if scheme == "https":
                seconds = deadline.left(self._limits.connect)
                sock = secure(sock, host, self._tls or _system_tls(), seconds)
        except TimeoutError as error:
            raise timed_out(sent=False) from error
        except ssl.SSLError as error:
            message = "no trusted TLS connection could be made"
            raise OutboundFailure(OutboundProblem.UNREACHABLE, message) from error
        except OSError as error:
            message = "no connection could be made"
            raise OutboundFailure(OutboundProblem.UNREACHABLE, message) from error
        timed = TimedSocket(sock, deadline, step=self._limits.read)
        return Connection(scheme, host, port, timed)


def _redirect_target(url: str, answer: Answer) -> str | None:
    """Where a redirect leads; None for a 303, which would drop the body, and for no URL."""
    if answer.status == 303:
        return None
    try:
        return urljoin(url, answer.headers.get("location", ""))
    except ValueError:
        return None
