"""The words of a notice: per protocol, bounded, sanitised, and without content."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.elicitation import Elicitation, Mode
from chalicelib.domain.session import Session
from chalicelib.messaging import texts
from chalicelib.usecases.ports import Notice

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
LINK = "https://parley.example/a/token"
ASKED = Elicitation(
    key="k",
    session_id="session_1",
    request_id="k",
    message="Deploy to production?\n\nIt is Friday.",
    tool_name="deploy",
    context="private context",
    created_at=NOW,
    expires_at=NOW + timedelta(hours=1),
    content={"note": "hunter2"},
)
SESSION = Session(
    id="session_1",
    owner="host",
    created_at=NOW,
    updated_at=NOW,
    secret="session secret",
    title="Nightly",
    agent_id="agent-7",
)
ASKS = Notice("needs_input", ASKED, SESSION)
KINDS = ("needs_input", "reminder", "lost")
PROTOCOLS = {"default", "email", "email-json", "sms", "http", "https", "lambda", "sqs"}

HOSTILE = "\u202e\u200b\x00\x1b[31m\r\nSubject: forged\n" + "\U000e0041" * 50


@pytest.mark.parametrize("kind", KINDS)
def test_every_protocol_has_a_rendering_with_the_link(kind: str) -> None:
    """SNS demands `default`; a structure without a protocol's key sends that one."""
    made = json.loads(texts.structure(replace(ASKS, kind=kind), LINK, NOW))
    assert set(made) == PROTOCOLS
    for protocol, text in made.items():
        assert isinstance(text, str)
        assert LINK in text, protocol


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_private_is_in_any_rendering(kind: str) -> None:
    notice = replace(ASKS, kind=kind)
    everything = texts.structure(notice, LINK, NOW) + texts.subject(notice)
    everything += str(texts.attributes(notice))
    for private in ("hunter2", "private context", "session secret"):
        assert private not in everything


def test_an_email_says_who_asks_what_until_when_and_where() -> None:
    text = texts.email(ASKS, LINK, NOW)
    for part in ("Deploy to production?", "It is Friday.", "deploy", "Nightly", "10:00 UTC", LINK):
        assert part in text
    assert "about 59 minutes" in text, "counted to the margin before the deadline"


def test_a_reminder_and_a_loss_say_so() -> None:
    assert "still waiting" in texts.email(replace(ASKS, kind="reminder"), LINK, NOW)
    lost = texts.email(replace(ASKS, kind="lost"), LINK, NOW)
    assert "nobody answered" in lost
    assert "Answer by" not in lost


def test_machines_read_the_same_facts() -> None:
    made = json.loads(texts.structure(ASKS, LINK, NOW))
    for protocol in ("http", "https", "lambda", "email-json", "sqs"):
        told = json.loads(made[protocol])
        assert told["request_id"] == "k"
        assert told["session_id"] == "session_1"
        assert told["kind"] == "needs_input"
        assert told["expires_at"] == "2026-05-04T10:00:00+00:00"


def test_a_url_question_names_the_pages_host_and_never_its_url() -> None:
    """A URL may carry what only the person should open."""
    url = "https://pay.example/connect?state=secret"
    asked = replace(ASKED, mode=Mode.URL, url=url)
    made = texts.structure(replace(ASKS, elicitation=asked), LINK, NOW)
    assert "pay.example" in made
    assert "state=secret" not in made


@given(
    message=st.text(max_size=3_000),
    tool=st.none() | st.text(max_size=200),
    title=st.none() | st.text(max_size=200),
    kind=st.sampled_from(KINDS),
)
def test_subjects_and_attributes_are_what_sns_accepts(
    message: str, tool: str | None, title: str | None, kind: str
) -> None:
    """ASCII, one line, under 100 characters, beginning with a letter; attributes not empty."""
    asked = replace(ASKED, message=message, tool_name=tool)
    notice = Notice(kind, asked, replace(SESSION, title=title))
    subject = texts.subject(notice)
    assert subject.isascii()
    assert subject.isprintable()
    assert 0 < len(subject) < 100
    assert subject[0].isalpha()
    for value in texts.attributes(notice).values():
        assert value
        assert "\n" not in value
        assert len(value) <= 120
    assert len(texts.structure(notice, LINK, NOW).encode()) < 256 * 1024


def test_a_strangers_text_can_neither_hide_nor_forge() -> None:
    """5 of the weaknesses."""
    asked = replace(ASKED, message=HOSTILE * 3, tool_name=HOSTILE, context=HOSTILE)
    notice = Notice("needs_input", asked, replace(SESSION, title=HOSTILE))
    made = json.loads(texts.structure(notice, LINK, NOW))
    for protocol in ("default", "email", "sms"):
        for hidden in ("\u202e", "\u200b", "\x00", "\x1b", "\U000e0041", "\r"):
            assert hidden not in made[protocol], (protocol, hidden)
    for line in made["email"].splitlines():
        assert not line.startswith("Subject:")


def test_a_long_message_is_cut_and_says_so() -> None:
    notice = replace(ASKS, elicitation=replace(ASKED, message="x" * 16_000))
    text = texts.email(notice, LINK, NOW)
    assert len(text) < 1_500
    assert "The whole message is on the page" in text
    assert len(texts.sms(notice, LINK)) < 200


def test_a_notice_without_a_session_is_still_told() -> None:
    """The session was deleted meanwhile."""
    notice = Notice("lost", ASKED, None)
    assert "session_1" in texts.email(notice, LINK, NOW)
    assert texts.attributes(notice)["session"] == "session_1"
    assert "agent" not in texts.attributes(notice)
