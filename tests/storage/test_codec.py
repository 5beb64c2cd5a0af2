"""Rows hold everything that a session, an elicitation or an event is, and index attributes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.elicitation import Elicitation, Mode, Status
from chalicelib.domain.events import Event, NumberedEvent
from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import HostStatus, Session
from chalicelib.storage import keys
from chalicelib.storage.codec import (
    elicitation_from_item,
    elicitation_to_item,
    event_from_item,
    event_to_item,
    outcome_attributes,
    session_from_item,
    session_to_item,
)

NOW = datetime(2026, 5, 4, 9, 0, 0, 123_000, tzinfo=UTC)
DAY = timedelta(days=1)

instants = st.integers(0, 10**13).map(
    lambda ms: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text("abcXYZ019_-", min_size=1, max_size=20)
bags = st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=3)
losses = st.builds(
    Lost,
    reason=st.sampled_from(LostReason),
    at=instants,
    request_id=st.none() | names,
    summary=st.none() | texts,
)
sessions = st.builds(
    Session,
    id=names,
    owner=texts,
    created_at=instants,
    updated_at=instants,
    secret=names,
    status=st.sampled_from(HostStatus),
    version=st.integers(0, 10**11),
    title=st.none() | texts,
    agent_id=st.none() | texts,
    hints=bags,
    metadata=bags,
    mcp_servers=st.lists(names, max_size=3).map(tuple),
    live=st.dictionaries(names, instants, max_size=3),
    cards=st.dictionaries(names, instants, max_size=2),
    lost=st.none() | losses,
    token_generation=st.integers(1, 99),
    turn_id=st.none() | names,
)
questions = st.builds(
    Elicitation,
    key=names,
    session_id=names,
    request_id=texts.filter(bool),
    message=texts,
    created_at=instants,
    expires_at=instants,
    mode=st.sampled_from(Mode),
    schema=bags,
    url=st.none() | texts,
    tool_name=st.none() | texts,
    context=st.none() | texts,
    body_digest=names,
    attempt=names,
)


@given(sessions)
def test_a_session_is_read_back_as_it_was(session: Session) -> None:
    item = session_to_item(session, attempt="a", retention=DAY)
    assert session_from_item(item) == session


@given(questions)
def test_a_question_is_read_back_as_it_was(asked: Elicitation) -> None:
    assert elicitation_from_item(elicitation_to_item(asked, retention=DAY)) == asked


@given(
    questions,
    st.sampled_from([Status.ACCEPT, Status.DECLINE, Status.CANCEL, Status.EXPIRED]),
    st.none() | bags,
    st.none() | st.builds(Actor, texts, st.sampled_from(Channel)),
    st.none() | texts,
)
def test_an_outcome_is_read_back_as_it_was(
    asked: Elicitation,
    status: Status,
    content: dict[str, Any] | None,
    by: Actor | None,
    reason: str | None,
) -> None:
    after = replace(
        asked,
        status=status,
        content=content,
        answered_at=NOW,
        answered_by=by,
        reason=reason,
        attempt="b",
    )
    row = elicitation_to_item(asked, retention=DAY) | outcome_attributes(after)
    assert elicitation_from_item(row) == after


@given(names, st.integers(1, 10**12 - 1), st.builds(Event, type=names, at=instants, data=bags))
def test_an_event_is_read_back_with_its_number(session_id: str, version: int, event: Event) -> None:
    item = event_to_item(session_id, version, event, attempt="a", retention=DAY)
    assert event_from_item(item) == NumberedEvent(version=version, event=event)
    assert keys.event_sk(version) < keys.AFTER_ALL_EVENTS


@given(st.integers(1, 10**12 - 2))
def test_events_sort_as_text_in_the_order_of_their_numbers(version: int) -> None:
    assert keys.event_sk(version) < keys.event_sk(version + 1)


ASKED = Elicitation(
    key="k",
    session_id="s",
    request_id="k",
    message="m",
    created_at=NOW,
    expires_at=NOW + timedelta(hours=1),
)
SESSION = Session(id="s", owner="o", created_at=NOW, updated_at=NOW, secret="x")


def test_a_new_question_is_live_listed_and_to_be_told() -> None:
    item = elicitation_to_item(ASKED, retention=DAY)
    assert item["live_pk"] == {"S": keys.live_pk("k")}
    assert item["live_at"]["N"] == str(int(ASKED.expires_at.timestamp() * 1000))
    assert item["list_pk"] == {"S": "E#s"}
    assert item["notice_due"] == {"S": "needs_input"}


def test_a_session_is_in_the_live_index_only_while_questions_are_live_in_it() -> None:
    """178: stranded ones and ended ones have nothing that cleanup could mend."""
    stranded = Lost(reason=LostReason.STRANDED, at=NOW)
    live = {"k": NOW + DAY}
    for session, is_in in (
        (SESSION, False),
        (replace(SESSION, live=live), True),
        (replace(SESSION, lost=stranded), False),
        (replace(SESSION, live=live, status=HostStatus.ARCHIVED), False),
    ):
        item = session_to_item(session, attempt="a", retention=DAY)
        assert ("live_pk" in item, "live_at" in item) == (is_in, is_in)


def test_rows_are_kept_for_the_retention_after_they_last_mattered() -> None:
    """TTL is in seconds, and retention only: never the clock of a deadline."""
    late = NOW + timedelta(days=7)
    kept = elicitation_to_item(replace(ASKED, expires_at=late), retention=DAY)["ttl"]["N"]
    assert int(kept) == int((late + DAY).timestamp())
    session = session_to_item(replace(SESSION, live={"k": late}), attempt="a", retention=DAY)
    assert int(session["ttl"]["N"]) == int((late + DAY).timestamp())


def test_shards_spread_and_never_move() -> None:
    """A row is found again for as long as it lives."""
    assert {keys.shard(f"k{number}") for number in range(50)} == set(range(keys.SHARDS))
    assert [keys.shard(name) for name in ("a", "b", "session_1")] == [3, 1, 2]
