"""The console mailbox: what people and operators would get by e-mail, printed and kept as files.

A queue is subscribed to both topics (`resources.py`); its messages are SNS envelopes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from chalicelib.domain.text import one_line, visible
from infra.local.context import LambdaContext
from infra.local.resources import MAILBOX
from infra.local.triggers import QueueHandler

RULE: Final = "-" * 72
KEYS: Final = ("link", "request_id", "session_id", "subject", "text", "attributes")


def mailbox(folder: Path, show: Callable[[str], None]) -> QueueHandler:
    """The handler of the mailbox queue: one file a notice in `folder`, and the notice to `show`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def deliver(event: dict[str, Any], _context: LambdaContext) -> None:
        for record in event["Records"]:
            envelope = json.loads(record["body"])
            notice = notice_of(envelope)
            write_json(folder / file_name(envelope), notice)
            show(as_mail(notice))

    # One at a time: a notice that cannot be written must not print the others twice.
    return QueueHandler("mailbox", MAILBOX, 1, deliver)


def notice_of(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of `KEYS` from an SNS envelope; a body that is not a JSON object is the text."""
    body = _parsed(envelope["Message"])
    attributes = envelope.get("MessageAttributes", {})
    return {
        "link": body.get("link"),
        "request_id": body.get("request_id"),
        "session_id": body.get("session_id"),
        "subject": envelope.get("Subject") or body.get("subject") or "",
        "text": body.get("text") or envelope["Message"],
        "attributes": {name: value["Value"] for name, value in attributes.items()},
    }


def as_mail(notice: Mapping[str, Any]) -> str:
    """The notice as a terminal shows it: nothing that a stranger wrote can move the cursor."""
    text = visible(str(notice["text"])).rstrip()
    return f"{RULE}\nSubject: {one_line(str(notice['subject']), 120)}\n\n{text}\n{RULE}"


def file_name(envelope: Mapping[str, Any]) -> str:
    """Sorts by the time of sending; the same message always has the same name."""
    sent = datetime.fromisoformat(envelope["Timestamp"]).astimezone(UTC)
    return f"{sent:%Y%m%dT%H%M%S}.{sent.microsecond // 1000:03d}Z-{envelope['MessageId']}.json"


def write_json(path: Path, value: Any) -> None:
    """Write a file that only its owner reads; a reader sees all of it or none."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 (mode)
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
    draft.replace(path)


def _parsed(message: str) -> dict[str, Any]:
    try:
        body = json.loads(message)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
