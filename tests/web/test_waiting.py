"""What a search in the inbox finds."""

from __future__ import annotations

import pytest

from chalicelib.web.waiting import (
    Query,
    found,
    lines,
    query_from,
    waiting_card,
    waiting_elicitation,
)
from tests.web.samples import MINUTE, NOW, card, elicitation

DEPLOY = waiting_elicitation(elicitation(key="k1"), session_title="Nightly release", path="/a/1")
DELETE = waiting_elicitation(
    elicitation(
        key="k2",
        session_id="session_2",
        tool_name="delete_rows",
        message="Really delete STRASSE?",
        context=None,
        expires_at=NOW + MINUTE,
    ),
    session_title=None,
    path="/a/2",
)
CARD = waiting_card(card(), session_title="Nightly release", path="/cards/1")
ALL = [DEPLOY, DELETE, CARD]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), ALL),
        (Query(text="environment"), [DEPLOY]),
        (Query(text="FRIDAY release"), [DEPLOY]),
        (Query(text="straße"), [DELETE]),
        (Query(text="delete nothing"), []),
        (Query(text="nightly"), [DEPLOY, CARD]),
        (Query(text="4.2.1"), [DEPLOY]),
        (Query(text="github"), [CARD]),
        (Query(text="k2"), [DELETE]),
        (Query(text="k"), []),
        (Query(tool="delete_rows"), [DELETE]),
        (Query(tool="delete"), []),
        (Query(session="session_2"), [DELETE]),
        (Query(session="session_1", text="connect"), [CARD]),
    ],
)
def test_every_word_must_occur_and_session_and_tool_are_exact(
    query: Query, expected: list[object]
) -> None:
    assert found(ALL, query) == expected


def test_what_has_the_least_time_left_comes_first() -> None:
    assert [line.one for line in lines(ALL, NOW)] == [DELETE, CARD, DEPLOY]


@pytest.mark.parametrize(
    ("query", "string"),
    [
        (Query(), ""),
        (Query(text="a b&c", tool="t"), "q=a+b%26c&tool=t"),
    ],
)
def test_a_search_goes_into_the_url_and_back(query: Query, string: str) -> None:
    assert query.as_string() == string
    assert query.is_empty is (string == "")
    assert query_from({"q": query.text, "session": query.session, "tool": query.tool}) == query


def test_a_search_without_parameters_shows_everything() -> None:
    assert query_from({}).is_empty


def test_only_pages_that_lead_elsewhere_say_so() -> None:
    assert [one.leads_elsewhere for one in ALL] == [False, False, True]
