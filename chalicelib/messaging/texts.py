"""The words of a notice, per protocol. Stranger-written text is sanitised and capped; no content,
ever."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib.domain.elicitation import CLOSING_MARGIN, Elicitation, Mode
from chalicelib.domain.text import one_line, visible
from chalicelib.usecases.ports import Notice

SUBJECT_LIMIT: Final = 100
"""SNS: a subject is ASCII, one line, under 100 characters."""

MESSAGE_LIMIT: Final = 1_000
SMS_LIMIT: Final = 140

_HEADINGS: Final = {
    "needs_input": "An agent asks",
    "reminder": "Still waiting",
    "lost": "Nobody answered",
    "card": "An agent waits for you",
}


def subject(notice: Notice) -> str:
    """The subject of an e-mail: what kind, from which tool."""
    who = _one(notice.elicitation.tool_name) or _title(notice) or "your agent"
    line = f"{_HEADINGS[notice.kind]}: {one_line(who, 60)}"
    return line.encode("ascii", "replace").decode()[: SUBJECT_LIMIT - 1]


def email(notice: Notice, link: str, now: datetime) -> str:
    """The text of an e-mail. Says who asks, what, until when, and where to answer."""
    elicitation = notice.elicitation
    lines = [_opening(notice), ""]
    lines += [f"  {line}" for line in _message(elicitation).splitlines()]
    lines += ["", *_who(notice), ""]
    if notice.kind == "lost":
        lines += [f"What happened: {link}"]
    else:
        left = int((elicitation.expires_at - CLOSING_MARGIN - now).total_seconds() // 60)
        until = elicitation.expires_at.strftime("%Y-%m-%d %H:%M UTC")
        lines += [f"Answer by {until} (about {max(left, 0)} minutes from now):", link]
    return "\n".join(lines) + "\n"


def sms(notice: Notice, link: str) -> str:
    """A text message: the kind, the tool, the link; the message only as far as it fits."""
    head = f"Parley: {_HEADINGS[notice.kind].lower()}"
    what = one_line(notice.elicitation.message, max(SMS_LIMIT - len(head) - 2, 20))
    return f"{head}: {what}\n{link}"


def data(notice: Notice, link: str) -> dict[str, Any]:
    """The machine-readable notice, for HTTPS, Lambda and SQS subscribers."""
    elicitation = notice.elicitation
    told: dict[str, Any] = {
        "kind": notice.kind,
        "link": link,
        "request_id": elicitation.key,
        "session_id": elicitation.session_id,
        "mode": elicitation.mode.value,
        "message": _message(elicitation),
        "tool_name": _one(elicitation.tool_name),
        "title": _title(notice),
        "expires_at": elicitation.expires_at.isoformat(),
    }
    if elicitation.mode is Mode.URL and elicitation.url:
        told["url_host"] = urlsplit(elicitation.url).hostname
    if notice.server is not None:
        told["server"] = _one(notice.server)
    return told


def structure(notice: Notice, link: str, now: datetime) -> str:
    """The body for SNS's `MessageStructure=json`: one rendering per protocol."""
    text, plain = email(notice, link, now), json.dumps(data(notice, link))
    with_text = json.dumps(data(notice, link) | {"subject": subject(notice), "text": text})
    return json.dumps(
        {
            "default": text,
            "email": text,
            "email-json": plain,
            "sms": sms(notice, link),
            "http": plain,
            "https": plain,
            "lambda": plain,
            "sqs": with_text,
        }
    )


def attributes(notice: Notice) -> dict[str, str]:
    """What subscription filters can match on."""
    session = notice.session
    wanted = {
        "kind": notice.kind,
        "session": notice.elicitation.session_id,
        "agent": session.agent_id if session else None,
        "tool": notice.elicitation.tool_name,
        "mode": notice.elicitation.mode.value,
        "server": notice.server,
    }
    shown = {name: _one(value) for name, value in wanted.items()}
    return {name: value for name, value in shown.items() if value}


def _opening(notice: Notice) -> str:
    if notice.kind == "lost":
        return "A question went unanswered. The agent was told that nobody answered."
    if notice.kind == "reminder":
        return "A question is still waiting for an answer."
    if notice.elicitation.mode is Mode.URL:
        return "An agent asks you to finish something in your browser."
    return "An agent asks a question and waits for the answer."


def _who(notice: Notice) -> list[str]:
    rows = {
        "Server": _one(notice.server),
        "Tool": _one(notice.elicitation.tool_name),
        "Session": _title(notice) or notice.elicitation.session_id,
    }
    if notice.elicitation.mode is Mode.URL and notice.elicitation.url:
        rows["Page at"] = urlsplit(notice.elicitation.url).hostname
    return [f"{name}: {value}" for name, value in rows.items() if value]


def _message(elicitation: Elicitation) -> str:
    shown = visible(elicitation.message)
    if len(shown) <= MESSAGE_LIMIT:
        return shown
    return shown[: MESSAGE_LIMIT - 60] + "\n[...] The whole message is on the page."


def _title(notice: Notice) -> str | None:
    return _one(notice.session.title) if notice.session else None


def _one(value: str | None) -> str | None:
    """One line, or None when nothing of it is seen (SNS refuses empty attributes)."""
    return one_line(value, 120) or None if value else None
