"""A connected socket whose reads and writes all end by one deadline.

`socket.settimeout` bounds one system call: a peer that sends a byte now and then would hold a
reader for ever. Here each call gets what is left of the whole.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Monotonic = Callable[[], float]


class Deadline:
    """An end on the monotonic clock, `seconds` from now."""

    def __init__(self, seconds: float, monotonic: Monotonic = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def left(self, at_most: float) -> float:
        """Seconds that one operation may take. Raises `TimeoutError` when the time is over."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, at_most)


class TimedSocket:
    """The part of a socket that `http.client` uses: `sendall`, `makefile("rb")`, `close`."""

    def __init__(self, sock: socket.socket, deadline: Deadline, *, step: float) -> None:
        self._sock = sock
        self._deadline = deadline
        self._step = step

    def sendall(self, data: ReadableBuffer) -> None:
        """Send all of `data` or raise."""
        self._sock.settimeout(self._deadline.left(self._step))
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """A buffered reader; the connection stays open until it is closed too."""
        if mode != "rb":
            raise ValueError("this socket is read as bytes only")
        return io.BufferedReader(_TimedReader(self._sock, self._deadline, self._step))

    def close(self) -> None:
        """Close this end; an open reader keeps the connection."""
        self._sock.close()


class _TimedReader(io.RawIOBase):
    """Reads a socket; each read waits no longer than the deadline allows."""

    def __init__(self, sock: socket.socket, deadline: Deadline, step: float) -> None:
        super().__init__()
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline
        self._step = step

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        self._sock.settimeout(self._deadline.left(self._step))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
