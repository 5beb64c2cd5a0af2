"""One HTTP exchange over a connection to an address that was checked before it was dialled.

The name is resolved once and the socket goes to that very address, with the name in SNI, in the
certificate check and in `Host`: a second, different DNS answer has no effect.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.outbound.addresses import Address, AddressPolicy
from chalicelib.outbound.failures import OutboundFailure, OutboundProblem
from chalicelib.outbound.timed_socket import Deadline, TimedSocket

Resolver = Callable[[str, int], Sequence[str]]
"""Host (no brackets) and port to addresses. It bounds its own time; the system's does by its
configuration."""

_CHUNK: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for connecting, for one read, for everything; bytes of a body; redirects followed."""

    connect: float = 5.0
    read: float = 30.0
    total: float = 60.0
    body: int = 1024 * 1024
    redirects: int = 3


def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the operating system says; raises `OSError`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def checked_addresses(
    host: str, port: int, *, resolve: Resolver, policy: AddressPolicy
) -> list[Address]:
    """Every address of the host. Raises `OutboundFailure` when one of them may not be dialled: a
    name that mixes allowed and forbidden addresses is an attempt at rebinding."""
    try:
        addresses = [ipaddress.ip_address(text) for text in resolve(host.strip("[]"), port)]
    except (OSError, ValueError):
        addresses = []
    if not addresses:
        raise OutboundFailure(OutboundProblem.UNREACHABLE, "the host's name cannot be resolved")
    if not all(policy.permits(address) for address in addresses):
        message = "the host has an address that is not allowed"
        raise OutboundFailure(OutboundProblem.REFUSED, message)
    return addresses


def dial(
    addresses: Sequence[Address], port: int, deadline: Deadline, seconds: float
) -> socket.socket:
    """Connect to the first address that takes the connection. Raises the last `OSError`."""
    problem: OSError = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((str(address), port), deadline.left(seconds))
        except OSError as error:
            problem = error
    raise problem


class Connection(http.client.HTTPConnection):
    """HTTP to a host over a socket that is connected already; it never dials."""

    auto_open = 0

    def __init__(self, scheme: str, host: str, port: int, sock: TimedSocket) -> None:
        super().__init__(host, port)
        self.default_port = 443 if scheme == "https" else 80
        self.sock = sock


def secure(
    sock: socket.socket, host: str, context: ssl.SSLContext, seconds: float
) -> socket.socket:
    """TLS over `sock`, for `host`. Closes `sock` when that fails."""
    try:
        sock.settimeout(seconds)
        return context.wrap_socket(sock, server_hostname=host.strip("[]"))
    except OSError:
        sock.close()
        raise


class Answer:
    """A response being read; it owns its connection. `headers` have lower-case names."""

    def __init__(self, connection: Connection, limit: int) -> None:
        self._connection = connection
        self._response = connection.getresponse()
        self._limit = limit
        self.status = self._response.status
        self.headers: Mapping[str, str] = {
            name.lower(): value for name, value in self._response.getheaders()
        }

    def chunks(self) -> Iterator[bytes]:
        """The body as it arrives, up to the limit. Raises `OutboundFailure`."""
        size = 0
        try:
            while chunk := self._response.read1(_CHUNK):
                size += len(chunk)
                if size > self._limit:
                    message = f"the answer is larger than {self._limit} bytes"
                    raise OutboundFailure(OutboundProblem.TOO_LARGE, message, sent=True)
                yield chunk
        except TimeoutError as error:
            raise timed_out(sent=True) from error
        except (OSError, http.client.HTTPException) as error:
            raise broken() from error
        if self._response.length:
            raise broken()

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks())

    def close(self) -> None:
        """Drop the connection; what is unread is lost."""
        self._response.close()
        self._connection.close()


def timed_out(*, sent: bool) -> OutboundFailure:
    """The failure for a time limit that was reached."""
    return OutboundFailure(OutboundProblem.TIMED_OUT, "no complete answer in time", sent=sent)


def broken() -> OutboundFailure:
    """The failure for an answer that was cut off or is not HTTP."""
    return OutboundFailure(OutboundProblem.BROKEN, "the answer was cut off", sent=True)
