"""Domain values to rows and back. No decisions here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from chalicelib.domain.elicitation import Elicitation, Mode, Status
from chalicelib.domain.events import Event, NumberedEvent
from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import HostStatus, Session
from chalicelib.storage import keys
from chalicelib.storage.attributes import (
    Item,
    from_ms,
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

CHECK_MARKED_EVERY: Final = timedelta(minutes=4)
"""Marked sessions are looked at by every cleanup (5 minutes) but not twice by one."""


def session_to_item(session: Session, *, attempt: str, retention: timedelta) -> Item:
    """The whole row of a session; in the `live` index only while questions are live in it."""
    marked = bool(session.live) and not session.is_ended
    last_needed = max([session.updated_at, *session.live.values(), *session.cards.values()])
    return keys.key(keys.session_pk(session.id)) | present(
        {
            "kind": text("session"),
            "id": text(session.id),
            "owner": text(session.owner),
            "created_at": instant(session.created_at),
            "updated_at": instant(session.updated_at),
            "secret": text(session.secret),
            "status": text(session.status.value),
            "version": number(session.version),
            "title": _optional(session.title),
            "agent_id": _optional(session.agent_id),
            "hints": to_json(dict(session.hints)) if session.hints else None,
            "metadata": to_json(dict(session.metadata)) if session.metadata else None,
            "mcp_servers": to_json(list(session.mcp_servers)) if session.mcp_servers else None,
            "live": _deadlines(session.live),
            "cards": _deadlines(session.cards),
            "lost": to_json(_lost_to_json(session.lost)) if session.lost else None,
            "token_generation": number(session.token_generation),
            "turn_id": _optional(session.turn_id),
            "attempt": text(attempt),
            "list_pk": text(keys.sessions_pk(session.id)),
            "list_at": text(_list_at(session.created_at, session.id)),
            "live_pk": text(keys.marked_pk(session.id)) if marked else None,
            "live_at": instant(session.updated_at + CHECK_MARKED_EVERY) if marked else None,
            "ttl": number(to_ms(last_needed + retention) // 1000),
        }
    )


def session_from_item(item: Item) -> Session:
    """A session from its row."""
    lost = get_json(item, "lost")
    return Session(
        id=item["id"]["S"],
        owner=item["owner"]["S"],
        created_at=need_instant(item, "created_at"),
        updated_at=need_instant(item, "updated_at"),
        secret=item["secret"]["S"],
        status=HostStatus(item["status"]["S"]),
        version=get_number(item, "version"),
        title=get_text(item, "title"),
        agent_id=get_text(item, "agent_id"),
        hints=get_json(item, "hints", {}),
        metadata=get_json(item, "metadata", {}),
        mcp_servers=tuple(get_json(item, "mcp_servers", ())),
        live=_deadlines_from(item, "live"),
        cards=_deadlines_from(item, "cards"),
        lost=_lost_from_json(lost) if lost else None,
        token_generation=get_number(item, "token_generation", 1),
        turn_id=get_text(item, "turn_id"),
    )


def elicitation_to_item(elicitation: Elicitation, *, retention: timedelta) -> Item:
    """The row of a new elicitation: pending, in the `live` index, with its notice due."""
    return keys.key(keys.elicitation_pk(elicitation.key)) | present(
        {
            "kind": text("elicitation"),
            "id": text(elicitation.key),
            "session_id": text(elicitation.session_id),
            "request_id": text(elicitation.request_id),
            "mode": text(elicitation.mode.value),
            "message": text(elicitation.message),
            "schema": to_json(dict(elicitation.schema)),
            "url": _optional(elicitation.url),
            "tool_name": _optional(elicitation.tool_name),
            "context": _optional(elicitation.context),
            "created_at": instant(elicitation.created_at),
            "expires_at": instant(elicitation.expires_at),
            "body_digest": text(elicitation.body_digest),
            "status": text(elicitation.status.value),
            "attempt": text(elicitation.attempt),
            "live_pk": text(keys.live_pk(elicitation.key)),
            "live_at": instant(elicitation.expires_at),
            "list_pk": text(keys.of_session_pk(elicitation.session_id)),
            "list_at": text(_list_at(elicitation.created_at, elicitation.key)),
            "ttl": number(to_ms(elicitation.expires_at + retention) // 1000),
        }
        | notice_due(elicitation.key, "needs_input", elicitation.created_at)
    )


def notice_due(key: str, kind: str, since: datetime) -> Item:
    """The outbox flags of a row: which notice is to be delivered, and since when."""
    return {
        "outbox_pk": text(keys.outbox_pk(key)),
        "outbox_at": instant(since),
        "notice_due": text(kind),
    }


def elicitation_from_item(item: Item) -> Elicitation:
    """An elicitation from its row, whatever state it is in."""
    by = get_json(item, "answered_by")
    return Elicitation(
        key=item["id"]["S"],
        session_id=item["session_id"]["S"],
        request_id=item["request_id"]["S"],
        mode=Mode(item["mode"]["S"]),
        message=item["message"]["S"],
        schema=get_json(item, "schema", {}),
        url=get_text(item, "url"),
        tool_name=get_text(item, "tool_name"),
        context=get_text(item, "context"),
        created_at=need_instant(item, "created_at"),
        expires_at=need_instant(item, "expires_at"),
        body_digest=get_text(item, "body_digest") or "",
        status=Status(item["status"]["S"]),
        content=get_json(item, "content"),
        answered_at=get_instant(item, "answered_at"),
        answered_by=Actor(by[0], Channel(by[1])) if by else None,
        reason=get_text(item, "reason"),
        receipt_at=get_instant(item, "receipt_at"),
        last_seen_at=get_instant(item, "last_seen_at"),
        reminded_at=get_instant(item, "reminder_sent_at"),
        notified_at=get_instant(item, "needs_input_sent_at"),
        attempt=get_text(item, "attempt") or "",
    )


def outcome_attributes(after: Elicitation) -> Item:
    """What an outcome sets on an elicitation's row."""
    by = after.answered_by
    return present(
        {
            "status": text(after.status.value),
            "content": to_json(dict(after.content)) if after.content is not None else None,
            "answered_at": instant(after.answered_at) if after.answered_at else None,
            "answered_by": to_json([by.name, by.channel.value]) if by else None,
            "reason": _optional(after.reason),
            "attempt": text(after.attempt),
        }
    )


def event_to_item(
    session_id: str, version: int, event: Event, *, attempt: str, retention: timedelta
) -> Item:
    """The row of one journal event."""
    return keys.key(keys.session_pk(session_id), keys.event_sk(version)) | present(
        {
            "kind": text("event"),
            "type": text(event.type),
            "at": instant(event.at),
            "data": to_json(dict(event.data)),
            "context": to_json(dict(event.context)) if event.context else None,
            "attempt": text(attempt),
            "ttl": number(to_ms(event.at + retention) // 1000),
        }
    )


def event_from_item(item: Item) -> NumberedEvent:
    """A journal event from its row."""
    event = Event(
        type=item["type"]["S"],
        at=need_instant(item, "at"),
        data=get_json(item, "data", {}),
        context=get_json(item, "context", {}),
    )
    return NumberedEvent(version=int(item["sk"]["S"][3:]), event=event)


def _optional(value: str | None) -> Item | None:
    return None if value is None else text(value)


def _list_at(at: datetime, identity: str) -> str:
    """Sorts by age; also the cursor of a page, so it stands in a URL as it is."""
    return f"{to_ms(at):015d}.{identity}"


def _deadlines(live: Mapping[str, datetime]) -> Item | None:
    return {"M": {key: instant(at) for key, at in live.items()}} if live else None


def _deadlines_from(item: Item, name: str) -> dict[str, datetime]:
    found = item.get(name)
    return {key: from_ms(int(at["N"])) for key, at in found["M"].items()} if found else {}


def _lost_to_json(lost: Lost) -> dict[str, Any]:
    told = {"reason": lost.reason.value, "at": to_ms(lost.at)}
    return told | {"request_id": lost.request_id, "summary": lost.summary}


def _lost_from_json(raw: dict[str, Any]) -> Lost:
    return Lost(
        reason=LostReason(raw["reason"]),
        at=from_ms(raw["at"]),
        request_id=raw.get("request_id"),
        summary=raw.get("summary"),
    )
