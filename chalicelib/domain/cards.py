"""A pending URL elicitation of one tool call: its states, and how it is told on the wire.

    pending -> accept | decline    (a person)
    pending -> timeout             (the clock)
    pending -> cancelled           (a new message, or the turn's cancellation)

Shapes are those of the seed `everruns-url-elicitation`. The upstream's request state is never here:
it is stored encrypted beside the row and leaves only for the upstream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import InvalidInput, NotFound
from chalicelib.domain.principal import Actor
from chalicelib.domain.urls import ElicitationUrl

CALL_ID_PREFIX: Final = "url_elicitation_"
CONFIRM_TOOL: Final = "confirm_url_elicitation"
MAX_MESSAGE_LENGTH: Final = 2000
DEFAULT_MESSAGE: Final = "This tool needs you to finish a step in your browser."


class CardStatus(StrEnum):
    """A card's state; all but `pending` are final."""

    PENDING = "pending"
    ACCEPT = "accept"
    DECLINE = "decline"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One URL elicitation shown to a person, bound to the call that it interrupted.

    Instants are aware UTC. `request_key` is the upstream's own key for the request: the answer goes
    back under it. `arguments_digest` is `domain.digest.digest` of the call's arguments.
    """

    call_id: str
    session_id: str
    turn_id: str
    server: str
    tool: str
    message: str
    url: str
    host: str
    is_punycode: bool
    origin: str
    arguments_digest: str
    request_key: str
    created_at: datetime
    expires_at: datetime
    status: CardStatus = CardStatus.PENDING
    decided_at: datetime | None = None
    decided_by: Actor | None = None

    @property
    def retry_tool(self) -> str:
        """The name under which the agent calls the tool."""
        return retry_tool(self.server, self.tool)

    def is_open(self, now: datetime) -> bool:
        """Pending and before its deadline: the only state in which a person may decide."""
        return self.status is CardStatus.PENDING and now < self.expires_at


def retry_tool(server: str, tool: str) -> str:
    """`mcp_<server>__<tool>`, with two underscores between (seed)."""
    return f"mcp_{server}__{tool}"


def new_call_id(now: datetime, entropy: bytes) -> str:
    """`url_elicitation_` and a dashed UUIDv7 (RFC 9562) of `now` and 10 random bytes.

    Raises `ValueError` when `entropy` is not exactly 10 bytes.
    """
    if len(entropy) != 10:
        raise ValueError("entropy must be 10 bytes")
    head = int(now.timestamp() * 1000).to_bytes(6, "big")
    raw = bytearray(head + entropy)
    raw[6] = raw[6] & 0x0F | 0x70
    raw[8] = raw[8] & 0x3F | 0x80
    return f"{CALL_ID_PREFIX}{UUID(bytes=bytes(raw))}"


def is_call_id(text: str) -> bool:
    """Whether `text` names a card: such calls are decided by consent and by nothing else."""
    return text.startswith(CALL_ID_PREFIX)


def card_message(raw: object) -> str:
    """The upstream's message, bounded; a general sentence for none. It stays untrusted text."""
    if not isinstance(raw, str) or not raw.strip():
        return DEFAULT_MESSAGE
    if len(raw) <= MAX_MESSAGE_LENGTH:
        return raw
    return raw[: MAX_MESSAGE_LENGTH - 1] + "…"


def decide(card: Card, action: Action, actor: Actor, now: datetime) -> Card:
    """The person's decision. Raises `NotFound` for a card that is no longer open (seed: 404) and
    `InvalidInput` for `cancel`, which a card does not take."""
    if action is Action.CANCEL:
        raise InvalidInput("action must be accept or decline")
    if not card.is_open(now):
        raise NotFound("This tool call is not a pending elicitation.")
    return replace(card, status=CardStatus(action.value), decided_at=now, decided_by=actor)


def time_out(card: Card, now: datetime) -> Card:
    """The clock's decision; a card that is decided, or not yet due, stays as it is."""
    if card.status is not CardStatus.PENDING or now < card.expires_at:
        return card
    return replace(card, status=CardStatus.TIMEOUT, decided_at=now)


def cancel(card: Card, now: datetime) -> Card:
    """The card's turn goes on without it; a decided card stays as it is."""
    if card.status is not CardStatus.PENDING:
        return card
    return replace(card, status=CardStatus.CANCELLED, decided_at=now)


def confirm_arguments(card: Card) -> dict[str, Any]:
    """The `arguments` of `confirm_url_elicitation`: the seed's seven keys, then two additions.

    `expires_at` is RFC 3339 in UTC; `action` is the card's status (`pending` until it is decided).
    """
    return {
        "server": card.server,
        "tool": card.tool,
        "retry_tool": card.retry_tool,
        "message": card.message,
        "url": card.url,
        "url_host": card.host,
        "url_is_punycode": card.is_punycode,
        "expires_at": card.expires_at.isoformat(),
        "action": card.status.value,
    }


def confirm_call(card: Card) -> dict[str, Any]:
    """The card as an entry of `tool.call_requested`'s `tool_calls`."""
    return {"id": card.call_id, "name": CONFIRM_TOOL, "arguments": confirm_arguments(card)}


def informational(
    *, server: str, tool: str, message: str, link: ElicitationUrl, declined: bool = False
) -> dict[str, Any]:
    """The tool result of a client that cannot pause (seed, "Clients that cannot pause").

    `declined` is true when the person already said no to this in the same turn.
    """
    return {
        "code": "url_elicitation_required",
        "url": link.url,
        "url_host": link.host,
        "url_is_punycode": link.is_punycode,
        "server": server,
        "tool": tool,
        "retry_tool": retry_tool(server, tool),
        "message": message,
        "declined": declined,
    }


_COMPLETIONS: Final[Mapping[CardStatus, tuple[bool, str]]] = {
    CardStatus.ACCEPT: (True, "success"),
    CardStatus.DECLINE: (True, "success"),
    CardStatus.TIMEOUT: (False, "timeout"),
    CardStatus.CANCELLED: (False, "cancelled"),
}


def completion(card: Card) -> dict[str, Any]:
    """`tool.completed` of the confirm call. A decline is a success too: `action` tells.

    Raises `ValueError` for a card that is still pending.
    """
    if card.status is CardStatus.PENDING:
        raise ValueError("a pending card has no completion")
    success, status = _COMPLETIONS[card.status]
    return {
        "tool_call_id": card.call_id,
        "tool_name": CONFIRM_TOOL,
        "success": success,
        "status": status,
        "action": card.status.value,
        "server": card.server,
        "host": card.host,
    }
