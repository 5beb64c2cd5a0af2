"""One question put to a person, and the one outcome it may have.

    pending -> accept | decline | cancel   (a person, or the asker taking it back)
    pending -> expired                     (the clock)

All four outcomes are terminal (seed `zimmer-elicitation`, "Statuses"). Only an accept carries
content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.domain.principal import Actor

LAST_SEEN_EVERY = timedelta(minutes=1)
"""The asker's polls are noted at most this often, so that a poll stays one read."""

SILENT_AFTER = timedelta(minutes=3)
"""An asker not seen for this long before the deadline had stopped waiting: three times the grain of
`last_seen_at`, and many times the longest poll interval that clients of the protocol use."""

CLOSING_MARGIN = timedelta(seconds=10)
"""People are shown a deadline this much earlier than the real one: the asker looks only every few
seconds and never at or after its own deadline, so an answer in the last moments may go unread."""


class Status(StrEnum):
    """Exactly these words stand on the wire: clients take any other for a decline."""

    PENDING = "pending"
    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"
    EXPIRED = "expired"


class Action(StrEnum):
    """What a person may answer. `cancel` is the protocol's "dismissed without answering"."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class Mode(StrEnum):
    """`form`: fields on Parley's page. `url`: the person finishes something on another page."""

    FORM = "form"
    URL = "url"


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A question as stored. Instants are aware UTC.

    `key` finds the row and is the `requestId` on the wire; `request_id` is the asker's own id,
    echoed in `_meta`. `reason` says why a `cancel` came from someone other than an answerer.
    """

    key: str
    session_id: str
    request_id: str
    message: str
    created_at: datetime
    expires_at: datetime
    mode: Mode = Mode.FORM
    schema: Mapping[str, Any] = field(default_factory=dict)
    url: str | None = None
    tool_name: str | None = None
    context: str | None = None
    body_digest: str = ""
    status: Status = Status.PENDING
    content: Mapping[str, Any] | None = None
    answered_at: datetime | None = None
    answered_by: Actor | None = None
    reason: str | None = None
    receipt_at: datetime | None = None
    last_seen_at: datetime | None = None
    reminded_at: datetime | None = None
    notified_at: datetime | None = None
    attempt: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether no outcome is recorded, deadline or not."""
        return self.status is Status.PENDING

    def is_live(self, now: datetime) -> bool:
        """Pending and before its deadline: the only state in which it may be answered."""
        return self.is_pending and now < self.expires_at

    def is_due(self, now: datetime) -> bool:
        """Pending at or after its deadline: the clock is its outcome."""
        return self.is_pending and now >= self.expires_at

    def asker_was_silent(self) -> bool:
        """Whether the asker had stopped polling well before the deadline (its process is gone)."""
        seen = self.last_seen_at or self.created_at
        return self.expires_at - seen > SILENT_AFTER

    def wants_last_seen(self, now: datetime) -> bool:
        """Whether this poll is the one in a minute that is noted."""
        return self.is_pending and now - (self.last_seen_at or self.created_at) >= LAST_SEEN_EVERY

    def wants_receipt(self) -> bool:
        """Whether the next poll is the first that carries the outcome."""
        return not self.is_pending and self.receipt_at is None
