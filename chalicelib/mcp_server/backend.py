"""What Parley's tools need from the rest of the service. The composition root implements it.

Every method takes the principal who calls and does its own authorization: what the principal may
not know of is `NotFound`. `ParleyError`s become results that a model can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar

from chalicelib.domain.elicitation import Action, Elicitation
from chalicelib.domain.principal import Principal
from chalicelib.domain.secret import SecretState
from chalicelib.domain.session import Session

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Page(Generic[ItemT]):
    """Part of a list; `cursor` continues it, None at the end."""

    items: tuple[ItemT, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What `create` asks. Unchecked beyond types and lengths; `lifetime` None means the default."""

    message: str
    schema: Mapping[str, Any]
    request_id: str | None = None
    tool_name: str | None = None
    context: str | None = None
    lifetime: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPage:
    """An open request for a secret's value, as the tool needs it.

    `url` is the page where the principal who started it, signed in, types the value. `handle` is
    random (128 bits or more) and opens nothing alone.
    """

    handle: str
    url: str
    state: SecretState
    expires_at: datetime


class Elicitations(Protocol):
    """Questions, as the tools see them."""

    def list_live(
        self, *, principal: Principal, session_id: str | None, limit: int, cursor: str | None
    ) -> Page[Elicitation]:
        """Live questions, soonest deadline first. `InvalidInput` for a cursor that is not ours."""
        ...

    def get(self, *, principal: Principal, request_id: str, wait_seconds: int) -> Elicitation:
        """One question; while it is live, held back up to `wait_seconds` (0..20) for an outcome.

        Waiting for a question of the principal's own session is the asker's look, as a poll is: it
        tells that somebody still waits, and that the outcome was read.
        """
        ...

    def respond(
        self,
        *,
        principal: Principal,
        request_id: str,
        action: Action,
        content: Mapping[str, Any] | None,
    ) -> Elicitation:
        """Record an answer (channel `mcp`); the question with its outcome.

        `Forbidden` when the principal's own session asks and the operator does not allow that (who
        asks may not answer), and for accepting a URL-mode question, which only its page can.
        `InvalidContent`, `AlreadyAnswered`, `DeadlinePassed`, `Withdrawn` as over HTTP.
        """
        ...

    def create(self, *, principal: Principal, session_id: str, question: Question) -> Elicitation:
        """Ask in a session of the principal's own; a replay of the same question is not new."""
        ...

    def withdraw(self, *, principal: Principal, request_id: str) -> Elicitation:
        """Take back a live question of a session of the principal's own."""
        ...


class Sessions(Protocol):
    """Sessions, as the tools see them."""

    def list_sessions(
        self, *, principal: Principal, needs_input: bool, limit: int, cursor: str | None
    ) -> Page[Session]:
        """Sessions, newest first; with `needs_input` only those that wait for a person."""
        ...

    def get_session(self, *, principal: Principal, session_id: str) -> Session:
        """One session."""
        ...

    def secret_names(self, *, principal: Principal, session_id: str) -> tuple[str, ...]:
        """Names of the secrets stored for the session, sorted; never a value."""
        ...


class Secrets(Protocol):
    """The life of a secret request. No method takes or returns a value."""

    def start_secret(self, *, principal: Principal, session_id: str, name: str) -> SecretPage:
        """The principal's open request for this name, or a new one; open until closed or due.

        So the same call finds the same page, and a value typed after the caller gave up waiting is
        still reported to it. A secret that exists already is no reason to skip the page.
        """
        ...

    def spend_state(self, *, principal: Principal, handle: str, nonce: str) -> bool:
        """Use up one sealed state: one conditional write.

        False, and nothing changed, when the nonce was spent before, or the request is closed,
        expired, unknown, or another principal's.
        """
        ...

    def wait_secret(self, *, principal: Principal, handle: str, wait_seconds: int) -> SecretState:
        """The state; while pending, held back up to `wait_seconds` (at most 20) for a change."""
        ...

    def close_secret(self, *, principal: Principal, handle: str) -> None:
        """The caller has its outcome: the page takes no value and no state is good any more."""
        ...


class Backend(Elicitations, Sessions, Secrets, Protocol):
    """All of it."""
