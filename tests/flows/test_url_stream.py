"""The event stream: nothing lost, nothing twice, whoever comes late sees the open card.

Numbers are those of the behaviours that the seed `everruns-url-elicitation` implies.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from chalicelib.domain.principal import Scope
from tests.flows.url_host import UrlHost
from tests.parley import Answer


@dataclass
class Frame:
    """One event as a client parses it."""

    name: str = "message"
    id: str | None = None
    data: Any = None
    fields: list[str] = field(default_factory=list)


def parsed(text: str) -> list[Frame]:
    """The frames of a stream, as the HTML standard says; comments are passed over."""
    found = []
    for block in text.split("\n\n"):
        frame = Frame()
        for line in block.splitlines():
            name, _, value = line.partition(": ")
            frame.fields.append(name)
            if name == "event":
                frame.name = value
            elif name == "id":
                frame.id = value
            elif name == "data":
                frame.data = json.loads(value)
        if frame.fields and frame.data is not None:
            found.append(frame)
    return found


def stream(host: UrlHost, session: str, query: str = "", **headers: str) -> Answer:
    """One connection that does not wait."""
    path = f"/api/v1/sessions/{session}/sse?wait=0{query}"
    return host.parley.http("GET", path, headers=headers)


def told(answer: Answer) -> list[Frame]:
    """The journal's frames of a connection."""
    assert answer.status == 200, answer.text
    return [frame for frame in parsed(answer.text) if frame.id]


def test_a_connection_says_hello_and_goodbye(host: UrlHost) -> None:
    """116, 123."""
    got = stream(host, host.session())
    assert got.headers["content-type"].startswith("text/event-stream")
    first, last = parsed(got.text)[0], parsed(got.text)[-1]
    assert (first.name, first.data, first.id) == ("connected", {"status": "connected"}, None)
    assert last.name == "disconnecting"
    assert last.data == {"reason": "connection_cycle", "retry_ms": 100}
    assert last.id is None


def test_frames_name_what_they_carry(host: UrlHost) -> None:
    """117, 119, 125."""
    session, _ = host.paused()
    frames = told(stream(host, session, "&after_sequence=0"))
    assert [frame.name for frame in frames] == host.types(session)
    for number, frame in enumerate(frames, start=1):
        assert frame.name == frame.data["type"]
        assert frame.id == frame.data["id"] == f"event_{number:012d}"
        assert frame.data["sequence"] == number
        assert frame.data["session_id"] == session
        assert "retry" in frame.fields


@pytest.mark.parametrize("how", ["since_id", "header", "after_sequence"])
def test_a_cursor_goes_on_where_the_client_was(host: UrlHost, how: str) -> None:
    """118: also across the pause."""
    session, (card,) = host.paused()
    seen = told(stream(host, session, "&after_sequence=0"))
    host.acme.done = True
    host.consent(session, card)
    host.work()
    last = str(seen[-1].id)
    if how == "since_id":
        more = stream(host, session, f"&since_id={last}")
    elif how == "header":
        more = stream(host, session, "&since_id=event_000000000001", **{"Last-Event-ID": last})
    else:
        more = stream(host, session, f"&after_sequence={len(seen)}")
    assert [frame.name for frame in seen + told(more)] == host.types(session)


def test_without_a_cursor_only_what_comes(host: UrlHost) -> None:
    session = host.session()
    host.post(session, "plain")
    host.work()
    assert told(stream(host, session)) == []


def test_who_comes_late_still_sees_the_open_cards(host: UrlHost) -> None:
    session, cards = host.paused("report", "report")
    frames = told(stream(host, session))
    assert frames[0].name == "tool.call_requested"
    assert [call["id"] for call in frames[0].data["data"]["tool_calls"]] == cards
    host.consent(session, cards[0], "decline")
    frames = told(stream(host, session))
    assert [frame.name for frame in frames] == host.types(session)[-len(frames) :]
    assert frames[0].name == "tool.call_requested"
    assert len({frame.id for frame in frames}) == len(frames)


@pytest.mark.parametrize(
    "query", ["&since_id=event_1&after_sequence=1", "&since_id=nope", "&after_sequence=x"]
)
def test_a_cursor_that_makes_no_sense_is_refused(host: UrlHost, query: str) -> None:
    """120, 121."""
    assert stream(host, host.session(), query).status == 422


def test_a_cursor_ahead_of_the_journal_waits_at_its_end(host: UrlHost) -> None:
    """121."""
    session = host.session()
    assert told(stream(host, session, "&since_id=event_000000000099")) == []
    host.post(session, "plain")
    assert told(stream(host, session, "&since_id=event_000000000001")) != []


def test_types_are_chosen_and_left_out_by_repeated_keys(host: UrlHost) -> None:
    """122."""
    session, _ = host.paused()
    query = "&after_sequence=0&types=tool.started&types=act.started&exclude=act.started"
    got = stream(host, session, query)
    assert [frame.name for frame in told(got)] == ["tool.started"]
    assert stream(host, session, "&types=tool.strated").status == 422


def test_the_cursor_moves_past_what_was_not_wanted(host: UrlHost) -> None:
    session, _ = host.paused()
    got = stream(host, session, "&after_sequence=0&types=session.opened")
    assert f"id: event_{len(host.types(session)):012d}\n\nevent: disconnecting" in got.text


def test_events_of_other_sessions_never_come(host: UrlHost) -> None:
    """126."""
    one, _ = host.paused()
    two, _ = host.paused()
    frames = told(stream(host, one, "&after_sequence=0"))
    assert {frame.data["session_id"] for frame in frames} == {one}
    assert two not in json.dumps([frame.data for frame in frames])


def test_numbers_have_no_gap_under_concurrent_writers(host: UrlHost) -> None:
    """125."""
    session, cards = host.paused("report", "report", "report")
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda card: host.consent(session, card, "decline").status, cards * 2))
    host.work()
    frames = told(stream(host, session, "&after_sequence=0"))
    assert [frame.data["sequence"] for frame in frames] == list(range(1, len(frames) + 1))


def test_a_stream_needs_a_key_or_a_visit(host: UrlHost) -> None:
    session = host.session()
    path = f"/api/v1/sessions/{session}/sse?wait=0"
    assert host.parley.http("GET", path, key=None).status == 401
    bearer = {"Authorization": f"Bearer {host.parley.key}"}
    assert host.parley.http("GET", path, key=None, headers=bearer).status == 200
    cookie = {"Cookie": visit(host, Scope.ANSWER)}
    assert host.parley.http("GET", path, key=None, headers=cookie).status == 200
    assert host.parley.http("GET", path, key=None, headers={"Cookie": "parley=x"}).status == 401


def visit(host: UrlHost, *scopes: Scope) -> str:
    """The cookie of somebody who is signed in."""
    from chalicelib.api.signed_in import signed_in_cookie

    services = host.parley.services
    principal = services.authenticator.principal(host.parley.new_key("Ann", *scopes))
    return signed_in_cookie(principal, services).partition(";")[0]
