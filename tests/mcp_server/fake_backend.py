"""The tools' port in memory: real domain values, no clock of its own, no waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from chalicelib.domain.elicitation import Action, Elicitation, Status
from chalicelib.domain.errors import (
    AlreadyAnswered,
    FieldProblem,
    Forbidden,
    InvalidContent,
    InvalidInput,
    NotFound,
)
from chalicelib.domain.principal import Actor, Channel, Principal
from chalicelib.domain.secret import SecretState
from chalicelib.domain.session import Session
from chalicelib.mcp_server.backend import Page, Question, SecretPage

ItemT = TypeVar("ItemT")

LIFETIME = timedelta(minutes=15)


@dataclass
class Secret:
    """A secret request as a table would keep it."""

    principal: Principal
    session_id: str
    name: str
    request: SecretPage
    spent: set[str] = field(default_factory=set)
    is_closed: bool = False


class FakeBackend:
    """`now` is a function, so that a test moves the time; `typed` is called while a call waits."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.elicitations: dict[str, Elicitation] = {}
        self.sessions: dict[str, Session] = {}
        self.secrets: dict[str, Secret] = {}
        self.waits: list[int] = []
        self.during_wait: Callable[[str], None] = lambda _handle: None
        self.asker_may_answer = False

    def add_session(self, session_id: str, owner: Principal, **fields: Any) -> Session:
        at = self.now()
        session = Session(
            id=session_id,
            owner=owner.key_id,
            created_at=at,
            updated_at=at,
            secret="s",
            **fields,
        )
        self.sessions[session_id] = session
        return session

    def add(self, key: str, session_id: str, **fields: Any) -> Elicitation:
        at = self.now()
        defaults: dict[str, Any] = {
            "message": "Which environment?",
            "created_at": at,
            "expires_at": at + LIFETIME,
            "request_id": key,
        }
        asked = Elicitation(key=key, session_id=session_id, **defaults | fields)
        self.elicitations[key] = asked
        return asked

    def list_live(
        self, *, principal: Principal, session_id: str | None, limit: int, cursor: str | None
    ) -> Page[Elicitation]:
        live = [
            asked
            for asked in self.elicitations.values()
            if asked.is_live(self.now())
            and session_id in {None, asked.session_id}
            and self._may_see(principal, asked.session_id)
        ]
        return _page(sorted(live, key=lambda asked: asked.expires_at), limit, cursor)

    def get(self, *, principal: Principal, request_id: str, wait_seconds: int) -> Elicitation:
        asked = self.elicitations.get(request_id)
        if asked is None or not self._may_see(principal, asked.session_id):
            raise NotFound("There is no such elicitation.")
        if wait_seconds and asked.is_live(self.now()):
            self.waits.append(wait_seconds)
            self.during_wait(request_id)
        return self.elicitations[request_id]

    def respond(
        self,
        *,
        principal: Principal,
        request_id: str,
        action: Action,
        content: Mapping[str, Any] | None,
    ) -> Elicitation:
        asked = self.get(principal=principal, request_id=request_id, wait_seconds=0)
        if self.sessions[asked.session_id].owner == principal.key_id and not self.asker_may_answer:
            raise Forbidden("Who asked may not answer.")
        if not asked.is_pending:
            raise AlreadyAnswered("Another answer was recorded first.")
        missing = asked.schema.get("required", []) if action is Action.ACCEPT else []
        problems = [FieldProblem(f, "is required") for f in missing if f not in (content or {})]
        if problems:
            raise InvalidContent("The content does not fit the question.", fields=problems)
        by = Actor(principal.name, Channel.MCP)
        return self._settle(asked, status=Status(action.value), content=content, answered_by=by)

    def create(self, *, principal: Principal, session_id: str, question: Question) -> Elicitation:
        self._own(principal, session_id)
        return self.add(
            question.request_id or f"e_{len(self.elicitations)}",
            session_id,
            message=question.message,
            schema=question.schema,
            tool_name=question.tool_name,
            context=question.context,
            expires_at=self.now() + (question.lifetime or LIFETIME),
        )

    def withdraw(self, *, principal: Principal, request_id: str) -> Elicitation:
        asked = self.get(principal=principal, request_id=request_id, wait_seconds=0)
        self._own(principal, asked.session_id)
        return self._settle(asked, status=Status.CANCEL, reason="withdrawn")

    def list_sessions(
        self, *, principal: Principal, needs_input: bool, limit: int, cursor: str | None
    ) -> Page[Session]:
        seen = [
            session
            for session in self.sessions.values()
            if self._may_see(principal, session.id)
            and (session.needs_input(self.now()) or not needs_input)
        ]
        return _page(seen, limit, cursor)

    def get_session(self, *, principal: Principal, session_id: str) -> Session:
        if not self._may_see(principal, session_id):
            raise NotFound("There is no such session.")
        return self.sessions[session_id]

    def secret_names(self, *, principal: Principal, session_id: str) -> tuple[str, ...]:
        self.get_session(principal=principal, session_id=session_id)
        return tuple(
            sorted(
                {
                    secret.name
                    for secret in self.secrets.values()
                    if secret.session_id == session_id
                    and secret.request.state is SecretState.STORED
                }
            )
        )

    def start_secret(self, *, principal: Principal, session_id: str, name: str) -> SecretPage:
        self._own(principal, session_id)
        for secret in self.secrets.values():
            same = (secret.principal, secret.session_id, secret.name) == (
                principal,
                session_id,
                name,
            )
            if same and not secret.is_closed and secret.request.expires_at > self.now():
                return secret.request
        handle = f"h{len(self.secrets)}"
        request = SecretPage(
            handle=handle,
            url=f"https://parley.example/secrets/{handle}",
            state=SecretState.PENDING,
            expires_at=self.now() + LIFETIME,
        )
        self.secrets[handle] = Secret(principal, session_id, name, request)
        return request

    def spend_state(self, *, principal: Principal, handle: str, nonce: str) -> bool:
        secret = self.secrets.get(handle)
        if secret is None or secret.is_closed or secret.principal != principal:
            return False
        if nonce in secret.spent:
            return False
        secret.spent.add(nonce)
        return True

    def wait_secret(self, *, principal: Principal, handle: str, wait_seconds: int) -> SecretState:
        if self.secrets[handle].request.state is SecretState.PENDING:
            self.waits.append(wait_seconds)
            self.during_wait(handle)
        return self.secrets[handle].request.state

    def close_secret(self, *, principal: Principal, handle: str) -> None:
        self.secrets[handle].is_closed = True

    def set_secret_state(self, handle: str, state: SecretState) -> None:
        """What the person does on the page."""
        secret = self.secrets[handle]
        secret.request = replace(secret.request, state=state)

    def _settle(self, asked: Elicitation, **outcome: Any) -> Elicitation:
        settled = replace(asked, answered_at=self.now(), **outcome)
        self.elicitations[asked.key] = settled
        return settled

    def _may_see(self, principal: Principal, session_id: str) -> bool:
        session = self.sessions.get(session_id)
        if session is None:
            return False
        return principal.sees_all_sessions() or session.owner == principal.key_id

    def _own(self, principal: Principal, session_id: str) -> None:
        session = self.sessions.get(session_id)
        if session is None or session.owner != principal.key_id:
            raise NotFound("There is no such session.")


def _page(items: Iterable[ItemT], limit: int, cursor: str | None) -> Page[ItemT]:
    if cursor is not None and not cursor.isdigit():
        raise InvalidInput("The cursor is not one of ours.")
    start, every = int(cursor or 0), tuple(items)
    following = str(start + limit) if len(every) > start + limit else None
    return Page(every[start : start + limit], following)
