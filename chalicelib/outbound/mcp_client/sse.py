"""Server-sent events from a byte stream (WHATWG HTML, section 9.2), sizes bounded.

It parses and nothing else: what a message means, and when to stop, is the reader's business.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

MAX_EVENT: Final = 1024 * 1024
"""Characters of one line, and of one event's data."""


class EventTooLarge(Exception):
    """One event is over `MAX_EVENT`."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `last_id` is the stream's newest id; `retry_ms` the newest `retry`, if any."""

    data: str
    last_id: str | None
    retry_ms: int | None


def lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Lines without their ends (LF, CR or CRLF, also across chunks).

    What follows the last line end is dropped: it belongs to an event that never came whole.
    """
    utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
    decoder = io.IncrementalNewlineDecoder(utf8, translate=True)
    pending: list[str] = []
    size = 0
    for chunk in chain(chunks, [b""]):
        first, *more = decoder.decode(chunk, final=not chunk).split("\n")
        pending.append(first)
        size += len(first)
        if size > MAX_EVENT:
            raise EventTooLarge
        if more:
            yield "".join(pending)
            yield from more[:-1]
            pending, size = [more[-1]], len(more[-1])


def events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """A stream's events, those without data too (they carry ids). Raises `EventTooLarge`."""
    data: list[str] = []
    size = 0
    last_id: str | None = None
    retry_ms: int | None = None
    for line in lines(chunks):
        if not line:
            yield ServerEvent("\n".join(data), last_id, retry_ms)
            data, size = [], 0
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
            size += len(value) + 1
            if size > MAX_EVENT:
                raise EventTooLarge
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            retry_ms = int(value[:9])
