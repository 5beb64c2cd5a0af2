"""Turns, rounds, cards and consents to rows and back. No decisions here, but which index a row
stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from chalicelib.domain.cards import Card, CardStatus
from chalicelib.domain.consent import Binding, Consent
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.turn import AskedUrl, Call, CallState, Phase, Round, Told, ToolCall, Turn
from chalicelib.domain.urls import ElicitationUrl
from chalicelib.storage import keys
from chalicelib.storage.attributes import (
    Item,
    get_instant,
    get_json,
    get_number,
    get_text,
    instant,
    need_instant,
    number,
    present,
    text,
    to_json,
    to_ms,
)

LOOK_AFTER: Final = timedelta(minutes=1)
"""A turn that wants a worker and has none after that long is queued again by cleanup."""

_PLAIN: Final = ("driver", "controls", "can_pause", "is_attended", "acts", "notes", "refused")


def turn_to_item(turn: Turn, *, attempt: str, now: datetime, retention: timedelta) -> Item:
    """The whole row of a turn; in the `live` index while it wants a worker."""
    look_at = (turn.leased_until or now) + LOOK_AFTER
    return keys.key(keys.session_pk(turn.session_id), keys.turn_sk(turn.id)) | present(
        {
            "kind": text("turn"),
            "id": text(turn.id),
            "session_id": text(turn.session_id),
            "message_id": text(turn.message_id),
            "created_at": instant(turn.created_at),
            "phase": text(turn.phase.value),
            "version": number(turn.version),
            "plain": to_json({name: getattr(turn, name) for name in _PLAIN}),
            "named": to_json([asdict(wish) for wish in turn.named]),
            "calls": to_json([asdict(call) for call in turn.calls]),
            "told": to_json([asdict(told) for told in turn.told]),
            "decisions": to_json(dict(turn.decisions)),
            "cards_opened": number(turn.cards_opened),
            "asked_at": number(turn.asked_at),
            "worker": text(turn.worker) if turn.worker else None,
            "leased_until": instant(turn.leased_until) if turn.leased_until else None,
            "runs": number(turn.runs),
            "attempt": text(attempt),
            "live_pk": text(keys.turns_pk(turn.id)) if turn.wants_worker else None,
            "live_at": instant(look_at) if turn.wants_worker else None,
            "ttl": number(to_ms(now + retention) // 1000),
        }
    )


def turn_from_item(item: Item) -> Turn:
    """A turn from its row."""
    plain = get_json(item, "plain")
    return Turn(
        id=item["id"]["S"],
        session_id=item["session_id"]["S"],
        message_id=item["message_id"]["S"],
        created_at=need_instant(item, "created_at"),
        driver=plain["driver"],
        controls=plain["controls"],
        can_pause=plain["can_pause"],
        is_attended=plain["is_attended"],
        acts=plain["acts"],
        notes=tuple(plain["notes"]),
        refused=tuple((a, b, c) for a, b, c in plain["refused"]),
        named=tuple(ToolCall(**wish) for wish in get_json(item, "named")),
        phase=Phase(item["phase"]["S"]),
        version=get_number(item, "version"),
        calls=tuple(_call(call) for call in get_json(item, "calls")),
        told=tuple(Told(**told) for told in get_json(item, "told")),
        decisions={k: CardStatus(v) for k, v in get_json(item, "decisions").items()},
        cards_opened=get_number(item, "cards_opened"),
        asked_at=get_number(item, "asked_at"),
        worker=get_text(item, "worker"),
        leased_until=get_instant(item, "leased_until"),
        runs=get_number(item, "runs"),
    )


def _call(raw: Mapping[str, Any]) -> Call:
    return Call(
        **{
            **raw,
            "wish": ToolCall(**raw["wish"]),
            "state": CallState(raw["state"]),
            "cards": tuple(raw["cards"]),
        }
    )


def round_to_item(session_id: str, asked: Round, *, now: datetime, retention: timedelta) -> Item:
    """The row of a round; the state in it is ciphertext."""
    return keys.key(keys.session_pk(session_id), keys.round_sk(asked.call_id)) | present(
        {
            "kind": text("round"),
            "id": text(asked.call_id),
            "asked": to_json([asdict(one) for one in asked.asked]),
            "sealed": {"L": [{"B": part} for part in asked.sealed]} if asked.sealed else None,
            "has_state": {"BOOL": asked.has_state},
            "is_legacy": {"BOOL": asked.is_legacy},
            "ttl": number(to_ms(now + retention) // 1000),
        }
    )


def round_from_item(item: Item) -> Round:
    """A round from its row."""
    return Round(
        call_id=item["id"]["S"],
        asked=tuple(
            AskedUrl(one["key"], one["message"], ElicitationUrl(**one["link"]))
            for one in get_json(item, "asked")
        ),
        sealed=tuple(part["B"] for part in item["sealed"]["L"]) if "sealed" in item else (),
        has_state=item["has_state"]["BOOL"],
        is_legacy=item["is_legacy"]["BOOL"],
    )


_CARD_TEXTS: Final = (
    *("call_id", "session_id", "turn_id", "server", "tool", "message", "url", "host"),
    *("origin", "arguments_digest", "request_key"),
)


def card_to_item(card: Card, *, attempt: str, retention: timedelta) -> Item:
    """The row of a new card: in the `live` index, with its notice due. `id` names it in queues."""
    identity = f"{card.session_id}/{card.call_id}"
    return (
        keys.key(keys.session_pk(card.session_id), keys.card_sk(card.call_id))
        | {name: text(getattr(card, name)) for name in _CARD_TEXTS}
        | {
            "kind": text("card"),
            "id": text(identity),
            "is_punycode": {"BOOL": card.is_punycode},
            "created_at": instant(card.created_at),
            "expires_at": instant(card.expires_at),
            "status": text(card.status.value),
            "attempt": text(attempt),
            "live_pk": text(keys.turns_pk(card.call_id)),
            "live_at": instant(card.expires_at),
            "outbox_pk": text(keys.outbox_pk(identity)),
            "outbox_at": instant(card.created_at),
            "notice_due": text("card"),
            "ttl": number(to_ms(card.expires_at + retention) // 1000),
        }
    )


def decision_attributes(card: Card) -> Item:
    """What a decision sets on a card's row."""
    by = card.decided_by
    return present(
        {
            "status": text(card.status.value),
            "decided_at": instant(card.decided_at) if card.decided_at else None,
            "decided_by": to_json([by.name, by.channel.value]) if by else None,
        }
    )


def card_from_item(item: Item) -> Card:
    """A card from its row."""
    by = get_json(item, "decided_by")
    return Card(
        **{name: item[name]["S"] for name in _CARD_TEXTS},
        is_punycode=item["is_punycode"]["BOOL"],
        created_at=need_instant(item, "created_at"),
        expires_at=need_instant(item, "expires_at"),
        status=CardStatus(item["status"]["S"]),
        decided_at=get_instant(item, "decided_at"),
        decided_by=Actor(by[0], Channel(by[1])) if by else None,
    )


def consent_to_item(consent: Consent, *, attempt: str, retention: timedelta) -> Item:
    """The row of a consent."""
    pk = keys.session_pk(consent.binding.session_id)
    return keys.key(pk, keys.consent_sk(consent.call_id)) | {
        "kind": text("consent"),
        "id": text(consent.call_id),
        "binding": to_json(asdict(consent.binding)),
        "granted_by": to_json([consent.granted_by.name, consent.granted_by.channel.value]),
        "granted_at": instant(consent.granted_at),
        "expires_at": instant(consent.expires_at),
        "attempt": text(attempt),
        "ttl": number(to_ms(consent.expires_at + retention) // 1000),
    }


def consent_from_item(item: Item) -> Consent | None:
    """A consent from its row; an unreadable one is no consent."""
    try:
        name, channel = get_json(item, "granted_by")
        return Consent(
            call_id=item["id"]["S"],
            binding=Binding(**get_json(item, "binding")),
            granted_by=Actor(name, Channel(channel)),
            granted_at=need_instant(item, "granted_at"),
            expires_at=need_instant(item, "expires_at"),
        )
    except (KeyError, TypeError, ValueError):
        return None
