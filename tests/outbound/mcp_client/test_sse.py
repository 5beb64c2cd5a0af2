"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outbound.mcp_client.sse import MAX_EVENT, EventTooLarge, ServerEvent, events


def read(*chunks: bytes) -> list[ServerEvent]:
    return list(events(chunks))


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [("a", None, None)]),
        (b"data:a\r\n\r\n", [("a", None, None)]),
        (b"data: a\r\r", [("a", None, None)]),
        (b"data: a\ndata: b\ndata:\n\n", [("a\nb\n", None, None)]),
        (b": hello\n\ndata: a\n: again\n\n", [("", None, None), ("a", None, None)]),
        (b"data:  two blanks\n\n", [(" two blanks", None, None)]),
        (b"data\n\n", [("", None, None)]),
        (b"event: message\nid: 7\nretry: 20\ndata: a\n\n", [("a", "7", 20)]),
        (b"id: 7\ndata: a\n\ndata: b\n\n", [("a", "7", None), ("b", "7", None)]),
        (b"id: 7\n\nid\ndata: a\n\n", [("", "7", None), ("a", "", None)]),
        (b"id: a\0b\nretry: 2x\nunknown: x\ndata: a\n\n", [("a", None, None)]),
        ("\ufeffdata: ü\n\n".encode(), [("ü", None, None)]),
        (b"data: \xff\n\n", [("\ufffd", None, None)]),
        (b"data: whole\n\ndata: cut off\n", [("whole", None, None)]),
        (b"data: whole\n\ndata: cut", [("whole", None, None)]),
        (b"", []),
    ],
)
def test_a_stream_is_read_as_the_standard_says(
    stream: bytes, expected: list[tuple[str, str | None, int | None]]
) -> None:
    assert read(stream) == [ServerEvent(*event) for event in expected]


@given(st.integers(1, 9), st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_where_the_chunks_are_cut_does_not_matter(size: int, end: bytes) -> None:
    stream = end.join([b"id: 1", "data: ü€𝄞".encode(), b"data: b", b"", b"data: c", b"", b""])
    chunks = [stream[i : i + size] for i in range(0, len(stream), size)]
    assert read(*chunks) == [ServerEvent("ü€𝄞\nb", "1", None), ServerEvent("c", "1", None)]


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * (MAX_EVENT + 1)],
        [b"x" * 1000] * (MAX_EVENT // 1000 + 1),
        [b"data: " + b"x" * 1000 + b"\n"] * (MAX_EVENT // 1000 + 1),
    ],
)
def test_an_event_that_does_not_end_is_given_up(chunks: list[bytes]) -> None:
    with pytest.raises(EventTooLarge):
        read(*chunks)
