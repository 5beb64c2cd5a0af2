"""A recorded answer in words."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.elicitation import Status
from chalicelib.domain.form_schema import derive_fields
from chalicelib.domain.principal import Actor, Channel
from chalicelib.web.recorded import Recorded, action_in_words, by_whom, recorded
from tests.web.samples import WHOLE, elicitation

FIELDS = derive_fields(WHOLE)


def told(content: dict[str, Any] | None) -> dict[str, str | None]:
    answered = elicitation(status=Status.ACCEPT, content=content)
    return {one.title: one.value for one in recorded(answered, FIELDS)}


@pytest.mark.parametrize(
    ("content", "title", "value"),
    [
        ({"environment": "prod"}, "Target environment", "Production (prod)"),
        ({"zone": "zone-1"}, "Zone", "zone-1"),
        ({"regions": ["eu", "us"]}, "Regions", "Europe (eu), United States (us)"),
        ({"regions": []}, "Regions", "None of them"),
        ({"dry_run": False}, "Dry run first", "No"),
        ({"dry_run": True}, "Dry run first", "Yes"),
        ({"replicas": 0}, "Replicas", "0"),
        ({"ratio": 0.1}, "Canary share", "0.1"),
        ({"note": "a\nb"}, "Release note", "a\nb"),
        ({}, "Release note", None),
        (None, "Release note", None),
    ],
)
def test_each_field_is_told_with_its_title_and_its_options_title(
    content: dict[str, Any] | None, title: str, value: str | None
) -> None:
    assert told(content)[title] == value


def test_content_of_no_field_is_told_too() -> None:
    answered = elicitation(status=Status.ACCEPT, content={"odd": 1})
    assert recorded(answered, ()) == [Recorded("odd", "1")]


@pytest.mark.parametrize("status", [Status.DECLINE, Status.CANCEL, Status.EXPIRED])
def test_only_an_accept_carries_something(status: Status) -> None:
    assert recorded(elicitation(status=status, content={"note": "x"}), FIELDS) == []


@pytest.mark.parametrize(
    ("actor", "words"),
    [
        (Actor("link holder", Channel.LINK), "by someone with the link"),
        (Actor("alice", Channel.INBOX), "by alice in the inbox"),
        (Actor("ci", Channel.API), "by ci through the API"),
        (Actor("bob\u202e", Channel.MCP), "by bob[U+202E] through MCP"),
        (Actor("asker", Channel.ASKER), "by the agent’s side"),
        (Actor("cleanup", Channel.SYSTEM), "by Parley itself"),
        (None, "by someone"),
    ],
)
def test_who_answered_is_told_with_the_channel(actor: Actor | None, words: str) -> None:
    assert by_whom(elicitation(answered_by=actor)) == words


def test_every_status_has_its_word() -> None:
    assert len({action_in_words(status) for status in Status}) == len(Status)
