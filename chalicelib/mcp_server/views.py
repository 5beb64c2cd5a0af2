"""Elicitations and sessions as tool results tell them: fields for programs, lines for models."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.session import Session
from chalicelib.domain.text import one_line
from chalicelib.mcp_server.untrusted import quoted, quoted_json, visible_values

SUMMARY_CHARACTERS: Final = 200


def elicitation_fields(
    elicitation: Elicitation, now: datetime, *, brief: bool = False
) -> dict[str, Any]:
    """The question as `schemas.ELICITATION`; `brief` is for lists: a summary, no schema."""
    by = elicitation.answered_by
    return _present(
        request_id=elicitation.key,
        session_id=elicitation.session_id,
        status=shown_status(elicitation, now).value,
        mode=elicitation.mode.value,
        created_at=_instant(elicitation.created_at),
        expires_at=_instant(elicitation.expires_at),
        answered_at=_instant(elicitation.answered_at),
        answered_by=f"{one_line(by.name)} ({by.channel.value})" if by else None,
        untrusted=_brief(elicitation) if brief else _full(elicitation),
    )


def shown_status(elicitation: Elicitation, now: datetime) -> Status:
    """The recorded status; past its deadline a pending one is told as expired."""
    return Status.EXPIRED if elicitation.is_due(now) else elicitation.status


def elicitation_lines(fields: Mapping[str, Any]) -> str:
    """The same for a model; what strangers wrote is quoted line by line."""
    asked = fields["untrusted"]
    head = f"{fields['request_id']} in session {fields['session_id']}: {fields['status']}"
    lines = [f"{head}, {fields['mode']} mode, deadline {fields['expires_at']}"]
    if "answered_by" in fields:
        lines += ["Answered by:", quoted(fields["answered_by"])]
    for name in ("tool_name", "message", "context", "url"):
        if name in asked:
            lines += [f"{name}:", quoted(asked[name])]
    for name in ("schema", "content"):
        if name in asked:
            lines += [f"{name} (JSON):", quoted_json(asked[name])]
    return "\n".join(lines)


def session_fields(
    session: Session, now: datetime, *, secret_names: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """The session as `schemas.SESSION`."""
    lost = session.lost
    told = lost and _present(
        reason=lost.reason.value, at=_instant(lost.at), request_id=lost.request_id
    )
    return _present(
        session_id=session.id,
        status=session.shown_status(now),
        needs_input=session.needs_input(now),
        live_request_ids=list(session.live_keys(now)),
        created_at=_instant(session.created_at),
        updated_at=_instant(session.updated_at),
        secret_names=None if secret_names is None else list(secret_names),
        lost=told,
        untrusted=visible_values(
            _present(
                title=session.title,
                agent_id=session.agent_id,
                lost_summary=lost.summary if lost else None,
            )
        ),
    )


def session_lines(fields: Mapping[str, Any]) -> str:
    """The same for a model."""
    waits = ", waits for a person" if fields["needs_input"] else ""
    lines = [f"Session {fields['session_id']}: {fields['status']}{waits}"]
    if fields["live_request_ids"]:
        lines.append(f"Live elicitations: {', '.join(fields['live_request_ids'])}")
    if "lost" in fields:
        lines.append(f"Lost: a question ended without an answer ({fields['lost']['reason']})")
    if "secret_names" in fields:
        lines.append(f"Secrets: {', '.join(fields['secret_names']) or 'none'}")
    for name, value in fields["untrusted"].items():
        lines += [f"{name}:", quoted(value)]
    return "\n".join(lines)


def _full(elicitation: Elicitation) -> dict[str, Any]:
    asked = _present(
        message=elicitation.message,
        tool_name=elicitation.tool_name,
        context=elicitation.context,
        url=elicitation.url,
        schema=elicitation.schema or None,
        content=elicitation.content,
    )
    value: dict[str, Any] = visible_values(asked)
    return value


def _brief(elicitation: Elicitation) -> dict[str, Any]:
    tool_name = elicitation.tool_name
    return _present(
        message=one_line(elicitation.message, SUMMARY_CHARACTERS),
        tool_name=one_line(tool_name) if tool_name is not None else None,
    )


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _instant(at: datetime | None) -> str | None:
    """RFC 3339 in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at is not None else None
