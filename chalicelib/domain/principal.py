"""Who is calling, and what they may do.

A session's token is not a principal: it can ask and poll for its one session, and can never answer
(an agent must not be able to approve itself).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What an API key allows."""

    HOST = "host"  # open sessions, run them, read its own
    ANSWER = "answer"  # see and answer every question
    READ = "read"  # see everything, change nothing
    ADMIN = "admin"  # all of the above, upstream servers, incidents


class Channel(StrEnum):
    """Through which surface an answer came."""

    LINK = "link"
    INBOX = "inbox"
    API = "api"
    MCP = "mcp"
    ASKER = "asker"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did something, as recorded beside what they did."""

    name: str
    channel: Channel


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of an API key; `name` is shown to people, `key_id` finds the key."""

    name: str
    scopes: frozenset[Scope]
    key_id: str

    def may(self, scope: Scope) -> bool:
        """Whether the key allows `scope`; `admin` allows everything."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def sees_all_sessions(self) -> bool:
        """Answerers and readers see every session; a host sees only the ones it opened."""
        return bool(self.scopes & {Scope.ADMIN, Scope.READ, Scope.ANSWER})
