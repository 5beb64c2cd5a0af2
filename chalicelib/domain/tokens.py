"""Signed tokens: the answer link, the session's right to ask, the signed-in cookie.

Signing is itsdangerous' (a maintained library) with a key list, newest last: every key verifies,
the last one signs, so a rotation breaks no link that is out. Each kind has its own salt: one kind
never passes for another. Expiries are checked here, against the caller's clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from itsdangerous import BadData, URLSafeSerializer

from chalicelib.domain.errors import NotFound, Unauthenticated

LINK_OUTLIVES_DEADLINE: Final = timedelta(days=30)
"""A link still says what happened this long after the deadline."""

POLL_OUTLIVES_TOKEN: Final = timedelta(days=7)
"""A question asked just before its session's token ended can be polled to its own deadline."""


LONGEST_TOKEN: Final = 1_024


@dataclass(frozen=True, slots=True)
class SessionToken:
    """What a session's token says: the session, the generation it belongs to, and its end (UTC)."""

    session_id: str
    generation: int
    expires_at: datetime


class KeySource(Protocol):
    """Where the signing keys come from, newest last; at least one."""

    def keys(self) -> Sequence[str]:
        """The keys as far as known."""

    def newer_keys(self) -> Sequence[str] | None:
        """The keys looked up anew because one did not fit; None when that was done just now."""


def end_of_day(at: datetime) -> datetime:
    """The midnight after an instant (UTC). Session tokens end there, so that all of one day are the
    same and a host that writes the five variables again changes nothing."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


class Tokens:
    """Makes and reads tokens. What the key source raises (`TryAgain`) passes."""

    def __init__(self, source: KeySource) -> None:
        self._source = source

    def sign(self, kind: str, payload: Any) -> str:
        """A URL-safe token over a JSON payload (readable by its holder, not changeable)."""
        token = _serializer(kind, self._source.keys()).dumps(payload)
        return token if isinstance(token, str) else token.decode()

    def read(self, kind: str, token: str) -> Any:
        """The payload of a token of this kind, or None when it is not one of ours.

        A token may be signed with a key that a rotation made a moment ago, elsewhere.
        """
        payload = _loads(kind, token, self._source.keys())
        if payload is None and len(token) < LONGEST_TOKEN and token.count(".") == 1:
            newer = self._source.newer_keys()
            payload = None if newer is None else _loads(kind, token, newer)
        return payload

    def link(self, key: str, deadline: datetime) -> str:
        """The token of an answer link: one elicitation and its deadline, nothing else."""
        return self.sign("link", [key, int(deadline.timestamp())])

    def read_link(self, token: str, now: datetime) -> str:
        """The elicitation's key. Raises `NotFound` for a broken link or one long past its
        deadline."""
        match self.read("link", token):
            case [str(key), int(deadline)]:
                end = datetime.fromtimestamp(deadline, UTC) + LINK_OUTLIVES_DEADLINE
                if now < end:
                    return key
        raise NotFound("This link is not valid.")

    def session_token(self, token: SessionToken) -> str:
        """The path segment that lets an asker ask and poll for one session."""
        end = int(token.expires_at.timestamp())
        return self.sign("session", [token.session_id, token.generation, end])

    def read_session_token(self, token: str, now: datetime, *, polling: bool) -> SessionToken:
        """Raises `Unauthenticated`; for polls the token lives `POLL_OUTLIVES_TOKEN` longer."""
        match self.read("session", token):
            case [str(session_id), int(generation), int(end)]:
                expires_at = datetime.fromtimestamp(end, UTC)
                grace = POLL_OUTLIVES_TOKEN if polling else timedelta(0)
                if now < expires_at + grace:
                    return SessionToken(session_id, generation, expires_at)
        raise Unauthenticated("The session token in the URL is not valid.")


def _serializer(kind: str, keys: Sequence[str]) -> URLSafeSerializer:
    return URLSafeSerializer(list(keys), salt=f"parley.{kind}")


def _loads(kind: str, token: str, keys: Sequence[str]) -> Any:
    if not token.isascii():  # ours always are; half a character could not even be encoded
        return None
    try:
        return _serializer(kind, keys).loads(token)
    except BadData:
        return None
