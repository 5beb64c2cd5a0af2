"""What a consent covers, and how a decision is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.cards import Card, cancel, decide, time_out
from chalicelib.domain.consent import (
    CONSENT_LASTS,
    binding_of,
    decision_text,
    grant,
    timeout_text,
)
from chalicelib.domain.digest import digest
from chalicelib.domain.elicitation import Action
from chalicelib.domain.principal import Actor, Channel

NOW = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)
DEADLINE = NOW + timedelta(minutes=5)
ANNA = Actor("anna", Channel.API)

CARD = Card(
    call_id="url_elicitation_01a063cf-c0bb-7891-926e-fd83aeb24d88",
    session_id="session_1",
    turn_id="turn_1",
    server="acme_analytics",
    tool="charge",
    message="Confirm the charge.",
    url="https://pay.acme.example/c?t=opaque",
    host="pay.acme.example",
    is_punycode=False,
    origin="https://pay.acme.example:443",
    arguments_digest=digest({"amount": 10}),
    request_key="confirm",
    created_at=NOW,
    expires_at=DEADLINE,
)
ACCEPTED = decide(CARD, Action.ACCEPT, ANNA, NOW)
DECLINED = decide(CARD, Action.DECLINE, ANNA, NOW)


def test_an_accept_grants_a_short_consent_to_exactly_what_was_shown() -> None:
    consent = grant(ACCEPTED)
    assert (consent.call_id, consent.granted_by, consent.granted_at) == (CARD.call_id, ANNA, NOW)
    assert consent.covers(binding_of(CARD), NOW)
    assert consent.covers(binding_of(CARD), DEADLINE + CONSENT_LASTS - timedelta(milliseconds=1))
    assert not consent.covers(binding_of(CARD), DEADLINE + CONSENT_LASTS)
    assert CARD.url not in repr(consent)


@pytest.mark.parametrize(
    "other",
    [
        replace(CARD, session_id="session_2"),
        replace(CARD, server="acme"),
        replace(CARD, tool="charge_more"),
        replace(CARD, origin="https://acme.example:443"),
        replace(CARD, origin="https://pay.acme.example:8443"),
        replace(CARD, origin="http://pay.acme.example:443"),
        replace(CARD, arguments_digest=digest({"amount": 9999})),
        replace(CARD, arguments_digest=digest({"amount": "10"})),
    ],
)
def test_nothing_else_is_covered(other: Card) -> None:
    assert not grant(ACCEPTED).covers(binding_of(other), NOW)


def test_another_page_of_the_same_origin_is_covered() -> None:
    other = replace(CARD, url="https://pay.acme.example/c?t=fresh", call_id="url_elicitation_2")
    assert grant(ACCEPTED).covers(binding_of(other), NOW)


@pytest.mark.parametrize("card", [CARD, DECLINED, time_out(CARD, DEADLINE), cancel(CARD, NOW)])
def test_only_an_accept_records_anything(card: Card) -> None:
    with pytest.raises(ValueError, match="only an accepted card"):
        grant(card)


def test_the_decision_is_told_in_the_first_person_without_internal_ids() -> None:
    accepted, declined = decision_text(ACCEPTED), decision_text(DECLINED)
    assert accepted.startswith("I ")
    assert CARD.host in accepted
    assert CARD.server in accepted
    assert declined.startswith("I ")
    assert CARD.host in declined
    assert "go on without it and do not ask me for it again" in declined
    for text in (accepted, declined):
        assert not any(secret in text for secret in (CARD.call_id, CARD.retry_tool, CARD.url))


@pytest.mark.parametrize("card", [CARD, time_out(CARD, DEADLINE), cancel(CARD, NOW)])
def test_without_a_person_there_is_no_user_turn(card: Card) -> None:
    with pytest.raises(ValueError, match="no person"):
        decision_text(card)


def test_a_timeout_is_told_to_the_model_without_the_url() -> None:
    text = timeout_text(CARD)
    assert CARD.host in text
    assert CARD.url not in text
