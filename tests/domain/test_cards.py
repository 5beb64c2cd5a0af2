"""A card's states, and the shapes that the seed fixes."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.cards import (
    DEFAULT_MESSAGE,
    MAX_MESSAGE_LENGTH,
    Card,
    CardStatus,
    cancel,
    card_message,
    completion,
    confirm_arguments,
    confirm_call,
    decide,
    informational,
    is_call_id,
    new_call_id,
    retry_tool,
    time_out,
)
from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import InvalidInput, NotFound
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.urls import check_elicitation_url

NOW = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)
DEADLINE = NOW + timedelta(minutes=5)
ANNA = Actor("anna", Channel.API)

CARD = Card(
    call_id="url_elicitation_01a063cf-c0bb-7891-926e-fd83aeb24d88",
    session_id="session_1",
    turn_id="turn_1",
    server="acme_analytics",
    tool="run_revenue_report",
    message="Acme Analytics needs your API key before it can run this report.",
    url="https://acme-analytics.example/connect?ref=rev-2026-08",
    host="acme-analytics.example",
    is_punycode=False,
    origin="https://acme-analytics.example:443",
    arguments_digest="d",
    request_key="api_key",
    created_at=NOW,
    expires_at=DEADLINE,
)


def test_the_confirm_call_is_the_seeds_with_two_additions() -> None:
    arguments = confirm_arguments(CARD)
    assert arguments.pop("expires_at") == "2026-11-03T12:05:00+00:00"
    assert arguments.pop("action") == "pending"
    assert arguments == {
        "server": "acme_analytics",
        "tool": "run_revenue_report",
        "retry_tool": "mcp_acme_analytics__run_revenue_report",
        "message": "Acme Analytics needs your API key before it can run this report.",
        "url": "https://acme-analytics.example/connect?ref=rev-2026-08",
        "url_host": "acme-analytics.example",
        "url_is_punycode": False,
    }
    call = confirm_call(CARD)
    assert (call["id"], call["name"]) == (CARD.call_id, "confirm_url_elicitation")
    assert call["arguments"] == confirm_arguments(CARD)


def test_a_client_that_cannot_pause_gets_the_seeds_payload_and_nothing_else() -> None:
    link = check_elicitation_url(CARD.url, allow_loopback_http=False)
    assert informational(server=CARD.server, tool=CARD.tool, message=CARD.message, link=link) == {
        "code": "url_elicitation_required",
        "url": CARD.url,
        "url_host": "acme-analytics.example",
        "url_is_punycode": False,
        "server": "acme_analytics",
        "tool": "run_revenue_report",
        "retry_tool": retry_tool("acme_analytics", "run_revenue_report"),
        "message": CARD.message,
        "declined": False,
    }


def test_call_ids_are_dashed_uuid7s_that_sort_by_time() -> None:
    first = new_call_id(NOW, bytes(10))
    last = new_call_id(NOW + timedelta(milliseconds=1), b"\xff" * 10)
    assert re.fullmatch(r"url_elicitation_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first)
    assert first < last
    for call_id in (first, last):
        value = uuid.UUID(call_id.removeprefix("url_elicitation_"))
        assert (value.version, value.variant) == (7, uuid.RFC_4122)
        assert is_call_id(call_id)
    assert not is_call_id("call_1")
    with pytest.raises(ValueError, match="10 bytes"):
        new_call_id(NOW, bytes(9))


@pytest.mark.parametrize("raw", [None, 3, "", " \n"])
def test_a_missing_message_gets_a_general_one(raw: object) -> None:
    assert card_message(raw) == DEFAULT_MESSAGE


def test_a_long_message_is_bounded_and_says_so() -> None:
    assert card_message("a" * MAX_MESSAGE_LENGTH) == "a" * MAX_MESSAGE_LENGTH
    bounded = card_message("a" * (MAX_MESSAGE_LENGTH + 1))
    assert len(bounded) == MAX_MESSAGE_LENGTH
    assert bounded.endswith("…")


@pytest.mark.parametrize("action", [Action.ACCEPT, Action.DECLINE])
def test_a_person_decides_an_open_card_once(action: Action) -> None:
    decided = decide(CARD, action, ANNA, NOW)
    assert (decided.status.value, decided.decided_at, decided.decided_by) == (action, NOW, ANNA)
    with pytest.raises(NotFound):
        decide(decided, action, ANNA, NOW)


def test_a_card_at_its_deadline_is_no_longer_pending_to_a_person() -> None:
    decide(CARD, Action.ACCEPT, ANNA, DEADLINE - timedelta(milliseconds=1))
    with pytest.raises(NotFound):
        decide(CARD, Action.ACCEPT, ANNA, DEADLINE)


def test_a_card_takes_no_cancel_from_a_person() -> None:
    with pytest.raises(InvalidInput):
        decide(CARD, Action.CANCEL, ANNA, NOW)


def test_the_clock_decides_only_what_is_due_and_open() -> None:
    assert time_out(CARD, DEADLINE - timedelta(milliseconds=1)) is CARD
    timed_out = time_out(CARD, DEADLINE)
    assert (timed_out.status, timed_out.decided_by) == (CardStatus.TIMEOUT, None)
    assert time_out(timed_out, DEADLINE) is timed_out
    accepted = decide(CARD, Action.ACCEPT, ANNA, NOW)
    assert time_out(accepted, DEADLINE) is accepted


def test_a_cancelled_card_stays_cancelled_and_a_decided_one_is_not_cancelled() -> None:
    cancelled = cancel(CARD, NOW)
    assert cancelled.status is CardStatus.CANCELLED
    assert cancel(cancelled, DEADLINE) is cancelled
    declined = decide(CARD, Action.DECLINE, ANNA, NOW)
    assert cancel(declined, NOW) is declined


def test_completions_tell_a_decline_from_an_accept() -> None:
    told = {
        card.status: completion(card)
        for card in (
            decide(CARD, Action.ACCEPT, ANNA, NOW),
            decide(CARD, Action.DECLINE, ANNA, NOW),
            time_out(CARD, DEADLINE),
            cancel(CARD, NOW),
        )
    }
    assert {status: (c["success"], c["status"], c["action"]) for status, c in told.items()} == {
        CardStatus.ACCEPT: (True, "success", "accept"),
        CardStatus.DECLINE: (True, "success", "decline"),
        CardStatus.TIMEOUT: (False, "timeout", "timeout"),
        CardStatus.CANCELLED: (False, "cancelled", "cancelled"),
    }
    assert {c["tool_call_id"] for c in told.values()} == {CARD.call_id}
    assert all(CARD.url not in str(c) for c in told.values())
    with pytest.raises(ValueError, match="pending"):
        completion(CARD)
