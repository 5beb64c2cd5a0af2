"""Questions for the tools: who may see, answer, ask and take back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chalicelib.domain.elicitation import Action, Elicitation, Mode
from chalicelib.domain.errors import FieldProblem, Forbidden, InvalidInput, NotFound, TryAgain
from chalicelib.domain.form_schema import vet_schema
from chalicelib.domain.principal import Actor, Channel, Principal
from chalicelib.domain.session import Session
from chalicelib.mcp_server.backend import Page, Question
from chalicelib.mcp_server.over_usecases.live_list import live_page
from chalicelib.mcp_server.over_usecases.ports import Ports, is_own, own_session
from chalicelib.usecases import create_elicitation as asking
from chalicelib.usecases.answer_elicitation import answer_elicitation
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.poll_elicitation import LOOK_EVERY, poll_elicitation
from chalicelib.usecases.ports import Result
from chalicelib.usecases.sessions import may_see
from chalicelib.usecases.withdraw_elicitation import DEFAULT_REASON, withdraw_elicitation


@dataclass(frozen=True)
class ElicitationCalls:
    """`backend.Elicitations`."""

    ports: Ports

    def list_live(
        self, *, principal: Principal, session_id: str | None, limit: int, cursor: str | None
    ) -> Page[Elicitation]:
        """See the protocol."""
        return live_page(self.ports, principal, session_id=session_id, limit=limit, cursor=cursor)

    def get(self, *, principal: Principal, request_id: str, wait_seconds: int) -> Elicitation:
        """See the protocol."""
        found, session = self._seen(request_id, principal)
        if wait_seconds and is_own(session, principal):
            return self._wait_as_asker(found, wait_seconds)
        return self._look(found, wait_seconds)

    def respond(
        self,
        *,
        principal: Principal,
        request_id: str,
        action: Action,
        content: Mapping[str, Any] | None,
    ) -> Elicitation:
        """See the protocol."""
        found, session = self._seen(request_id, principal)
        if is_own(session, principal) and not self.ports.asker_may_answer:
            raise Forbidden(
                "Who asks may not answer: your own session asks this. A person answers it on "
                "Parley's page, or with a key of another name."
            )
        if found.mode is Mode.URL and action is Action.ACCEPT:
            raise Forbidden("This question is accepted on its page, by the person who opens it.")
        result = answer_elicitation(
            found.key,
            action=action,
            content=content,
            actor=Actor(principal.name, Channel.MCP),
            world=self.ports.world,
            messenger=self.ports.messenger,
        )
        return self._told(result)

    def create(self, *, principal: Principal, session_id: str, question: Question) -> Elicitation:
        """See the protocol."""
        session = own_session(self.ports, session_id, principal)
        result = asking.create_elicitation(
            self._vetted(question),
            session_id=session.id,
            token_generation=None,
            policy=self.ports.policy,
            world=self.ports.world,
            messenger=self.ports.messenger,
        )
        return self._told(Result(result.value.elicitation, result.facts))

    def withdraw(self, *, principal: Principal, request_id: str) -> Elicitation:
        """See the protocol."""
        found, session = self._seen(request_id, principal)
        if not is_own(session, principal):
            raise NotFound("There is no such elicitation in a session of your own.")
        result = withdraw_elicitation(
            found.key,
            session_id=session.id,
            actor=Actor(principal.name, Channel.MCP),
            reason=DEFAULT_REASON,
            world=self.ports.world,
        )
        return self._told(result)

    def _seen(self, request_id: str, principal: Principal) -> tuple[Elicitation, Session]:
        store = self.ports.world.store
        found = store.elicitation(request_id)
        session = store.session(found.session_id) if found is not None else None
        if found is None or session is None or not may_see(session, principal):
            raise NotFound("There is no such elicitation.")
        return found, session

    def _wait_as_asker(self, found: Elicitation, wait_seconds: int) -> Elicitation:
        result = poll_elicitation(
            found.key,
            session_id=found.session_id,
            wait=wait_seconds,
            world=self.ports.world,
            messenger=self.ports.messenger,
        )
        self.ports.tell(result.facts)
        if result.value.elicitation is None:
            raise TryAgain("Storage is busy; try again in a moment.")
        return result.value.elicitation

    def _look(self, found: Elicitation, wait_seconds: int) -> Elicitation:
        """Somebody else's look leaves no trace but an expiry that is due."""
        world = self.ports.world
        until = world.clock().timestamp() + wait_seconds
        while found.is_live(world.clock()) and world.clock().timestamp() < until:
            world.pause(LOOK_EVERY)
            found = world.store.elicitation(found.key) or found
        if not found.is_due(world.clock()):
            return found
        return self._told(expire_elicitation(found, world=world, messenger=self.ports.messenger))

    def _vetted(self, question: Question) -> asking.Question:
        if not question.message.strip():
            problem = FieldProblem("message", "must not be blank")
            raise InvalidInput("The question is blank.", fields=[problem])
        lifetime = question.lifetime
        until = self.ports.world.clock() + lifetime if lifetime is not None else None
        return asking.Question(
            request_id=question.request_id or self.ports.world.new_id(),
            message=question.message,
            schema=vet_schema(question.schema),
            tool_name=question.tool_name,
            context=question.context,
            expires_at=until.isoformat() if until is not None else None,
        )

    def _told(self, result: Result[Elicitation]) -> Elicitation:
        self.ports.tell(result.facts)
        return result.value
