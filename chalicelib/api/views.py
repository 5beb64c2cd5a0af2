"""Domain values as JSON bodies. Text that strangers wrote is passed on as data, exactly as
asked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.events import NumberedEvent
from chalicelib.domain.session import Session


def instant(at: datetime | None) -> str | None:
    """RFC 3339 in UTC with milliseconds and `Z`."""
    if at is None:
        return None
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def poll_body(elicitation: Elicitation) -> dict[str, Any]:
    """What the asker reads: one of five words, content with accept only, and `_meta`."""
    meta = {
        "com.pulsemcp/request-id": elicitation.request_id,
        "com.pulsemcp/expires-at": instant(elicitation.expires_at),
    }
    if not elicitation.is_pending:
        meta["com.pulsemcp/responded-at"] = instant(elicitation.answered_at)
    if elicitation.reason is not None:
        meta["com.parley/reason"] = elicitation.reason
    body: dict[str, Any] = {"action": elicitation.status.value}
    if elicitation.content is not None:
        body["content"] = dict(elicitation.content)
    return body | {"_meta": meta}


DEGRADED: dict[str, Any] = {"action": "pending", "_meta": {"com.parley/degraded": True}}
"""A poll that could not look: the asker keeps waiting, which is always safe."""


def created_body(elicitation: Elicitation, poll_url: str) -> dict[str, Any]:
    """The answer to a create: `requestId` is what the client puts into poll URLs."""
    meta = {
        "com.pulsemcp/request-id": elicitation.request_id,
        "com.pulsemcp/poll-url": poll_url,
        "com.pulsemcp/expires-at": instant(elicitation.expires_at),
    }
    return {"requestId": elicitation.key, "action": elicitation.status.value, "_meta": meta}


def elicitation_body(elicitation: Elicitation) -> dict[str, Any]:
    """An elicitation for hosts and answerers, with its receipt."""
    by = elicitation.answered_by
    body = {
        "request_id": elicitation.key,
        "session_id": elicitation.session_id,
        "mode": elicitation.mode.value,
        "message": elicitation.message,
        "requested_schema": dict(elicitation.schema),
        "url": elicitation.url,
        "tool_name": elicitation.tool_name,
        "context": elicitation.context,
        "status": elicitation.status.value,
        "content": dict(elicitation.content) if elicitation.content is not None else None,
        "reason": elicitation.reason,
        "created_at": instant(elicitation.created_at),
        "expires_at": instant(elicitation.expires_at),
        "answered_at": instant(elicitation.answered_at),
        "answered_by": {"name": by.name, "channel": by.channel.value} if by else None,
        "receipt_at": instant(elicitation.receipt_at),
        "asker_last_seen_at": instant(elicitation.last_seen_at),
    }
    return {name: value for name, value in body.items() if value is not None}


def session_body(session: Session, now: datetime) -> dict[str, Any]:
    """A session as its host reads it. Absent optionals are left out."""
    lost = session.lost
    body = {
        "id": session.id,
        "status": session.shown_status(now),
        "host_status": session.status.value,
        "needs_input": session.needs_input(now),
        "live": list(session.live_keys(now)),
        "title": session.title,
        "agent_id": session.agent_id,
        "hints": dict(session.hints),
        "metadata": dict(session.metadata),
        "mcp_servers": list(session.mcp_servers),
        "lost": {
            "reason": lost.reason.value,
            "at": instant(lost.at),
            "request_id": lost.request_id,
            "summary": lost.summary,
        }
        if lost
        else None,
        "version": session.version,
        "created_at": instant(session.created_at),
        "updated_at": instant(session.updated_at),
    }
    return {name: value for name, value in body.items() if value is not None}


def event_body(session_id: str, numbered: NumberedEvent) -> dict[str, Any]:
    """A journal event; `sequence` is its place in the session's journal."""
    return {
        "id": f"event_{numbered.version:012d}",
        "sequence": numbered.version,
        "type": numbered.event.type,
        "ts": instant(numbered.event.at),
        "session_id": session_id,
        "context": dict(numbered.event.context),
        "data": dict(numbered.event.data),
    }
