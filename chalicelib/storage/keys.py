"""How rows are found. One table, `pk` and `sk`; three sparse indexes.

    S#<session id>  META             the session
    S#<session id>  EV#<version>     its journal; 12 digits, so that text order is number order
    E#<key>         META             an elicitation
    S#<session id>  TURN#<turn id>   a turn; CARD#, ROUND#, CONSENT#<call id> and UP#<server> too
    KEY#<key id>    META             an API key (hash only)
    UPSTREAM        <name>           a registered upstream server

Indexes (a row stands in one only while it has the index's attributes):

    live      live_pk, live_at      pending elicitations and open cards by deadline; marked sessions
                                    by next check; turns that want a worker by when to look
    outbox    outbox_pk, outbox_at  notices not yet delivered, by the instant they were due
    sessions  list_pk, list_at      sessions by age; a session's elicitations by age

Index keys that all rows of a kind share are spread over shards, since DynamoDB serves one partition
key from one partition (1,000 writes a second).
"""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

SHARDS: Final = 4

LIVE: Final = "live"
OUTBOX: Final = "outbox"
SESSIONS: Final = "sessions"

META: Final = "META"

AFTER_ALL_EVENTS: Final = "EV#~"
"""Sorts after every event, whatever its number."""


def key(pk: str, sk: str = META) -> dict[str, Any]:
    """A primary key as the low-level client takes it."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def session_pk(session_id: str) -> str:
    """The partition of a session and its journal."""
    return f"S#{session_id}"


def event_sk(version: int) -> str:
    """Where the event with this number stands in the journal."""
    return f"EV#{version:012d}"


def turn_sk(turn_id: str) -> str:
    """Where a turn stands in its session's partition."""
    return f"TURN#{turn_id}"


def card_sk(call_id: str) -> str:
    """Where a card stands in its session's partition."""
    return f"CARD#{call_id}"


def round_sk(call_id: str) -> str:
    """Where the round stands that a call's server asked."""
    return f"ROUND#{call_id}"


def consent_sk(call_id: str) -> str:
    """Where a card's consent stands until it is used."""
    return f"CONSENT#{call_id}"


def elicitation_pk(key_: str) -> str:
    """The partition of an elicitation."""
    return f"E#{key_}"


def shard(identity: str) -> int:
    """The shard of a row: the same for ever for the same identity."""
    return crc32(identity.encode()) % SHARDS


def live_pk(key_: str) -> str:
    """The shard of `live` in which a pending elicitation stands."""
    return f"L#{shard(key_)}"


def turns_pk(identity: str) -> str:
    """The shard of `live` in which open cards stand, and turns that want a worker."""
    return f"T#{shard(identity)}"


def marked_pk(session_id: str) -> str:
    """The shard of `live` in which a marked session waits for its next check."""
    return f"M#{shard(session_id)}"


def outbox_pk(key_: str) -> str:
    """The shard of `outbox` of a row with an undelivered notice."""
    return f"O#{shard(key_)}"


def sessions_pk(session_id: str) -> str:
    """The shard of `sessions` of a session."""
    return f"S#{shard(session_id)}"


def of_session_pk(session_id: str) -> str:
    """The partition of `sessions` that lists one session's elicitations."""
    return f"E#{session_id}"
