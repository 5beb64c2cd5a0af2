"""Ask a person for a secret's value: start, wait, type or decline on the page, close.

The caller (an MCP client) sees states only. The page sees the value once and hands it on; whoever
opens it must be signed in as the principal that started the request (MCP, URL mode: "phishing").
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Protocol

from chalicelib.domain.errors import Gone, NotFound, TryAgain
from chalicelib.domain.principal import Actor
from chalicelib.domain.secret import (
    REQUEST_LIVES_FOR,
    SecretRequest,
    SecretState,
    check_name,
    check_value,
)
from chalicelib.domain.session import step
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import Change, Contended, Result, SessionMoved
from chalicelib.usecases.secrets import SecretStore, stored_event

LOOK_EVERY: Final = 0.4
"""Seconds between looks while a caller is held."""

ROUNDS: Final = 24
ROUND_PAUSE: Final = 0.05


class RequestClosed(Exception):
    """The request takes no value (any more): used, closed, expired or gone."""


class SecretRequests(Protocol):
    """Secret requests at rest. Any method may raise `TryAgain`."""

    def find(self, handle: str) -> SecretRequest | None:
        """The request (consistent read)."""

    def latest(self, principal: str, session_id: str, name: str) -> str | None:
        """The handle of the last request that this principal started for this name."""

    def add(self, request: SecretRequest, *, instead_of: str | None) -> bool:
        """Store a new one as the latest; False when another came first."""

    def spend(
        self, handle: str, *, principal: str, nonce: str, attempt: str, now: datetime
    ) -> bool:
        """Use a nonce up, on an open request of this principal; False changes nothing."""

    def close(self, handle: str, *, principal: str) -> None:
        """The caller has its outcome: nothing is typed and no nonce spent any more."""

    def decline(self, handle: str, now: datetime) -> bool:
        """Record that the person declined; False when the page was not open."""

    def keep(self, request: SecretRequest, sealed: bytes, change: Change) -> None:
        """Store a typed value with the session's change, all or nothing.

        Raises `RequestClosed`, and `SessionMoved` and `Contended` as `Store.commit` does.
        """


def start_request(
    *, principal: str, session_id: str, name: str, world: World, requests: SecretRequests
) -> SecretRequest:
    """The principal's open request for this name, or a new one, for a session that it owns.

    Raises `NotFound` (also for a session that is not its own), `InvalidInput` and `TryAgain`.
    """
    check_name(name)
    session = world.store.session(session_id)
    if session is None or session.owner != principal:
        raise NotFound("There is no such session.")
    for _ in range(ROUNDS):
        latest = requests.latest(principal, session_id, name)
        found = requests.find(latest) if latest is not None else None
        now = world.clock()
        if found is not None and found.is_open(now):
            return found
        request = SecretRequest(
            handle=world.new_id(),
            principal=principal,
            session_id=session_id,
            name=name,
            expires_at=now + REQUEST_LIVES_FOR,
        )
        if requests.add(request, instead_of=latest):
            return request
        world.pause(ROUND_PAUSE)
    raise TryAgain("The session is very busy; try again in a moment.")


def wait_for_value(
    handle: str, *, principal: str, wait: float, world: World, requests: SecretRequests
) -> SecretState:
    """The state, held for up to `wait` seconds while it is pending. Raises `NotFound`."""
    until = world.clock() + timedelta(seconds=wait)
    while True:
        found = requests.find(handle)
        if found is None or found.principal != principal:
            raise NotFound("There is no such request.")
        now = world.clock()
        state = found.state(now)
        if state is not SecretState.PENDING or now >= until:
            return state
        world.pause(LOOK_EVERY)


def store_typed_value(
    request: SecretRequest,
    value: str,
    *,
    actor: Actor,
    world: World,
    requests: SecretRequests,
    secrets: SecretStore,
) -> Result[None]:
    """Store what the person typed, once; the journal says who stored which name.

    Raises `InvalidInput` and `TooLarge` (the page stays good), and `Gone`.
    """
    check_value(value)
    sealed = secrets.seal(request.session_id, request.name, value)
    attempt = world.new_id()
    for _ in range(ROUNDS):
        session = world.store.session(request.session_id)
        if session is None:
            raise Gone("The session was deleted.")
        now = world.clock()
        taken = step(session, session, stored_event(request.name, actor, now), now=now)
        change = Change(attempt=attempt, before=session, after=taken.session, events=taken.events)
        try:
            requests.keep(request, sealed, change)
        except RequestClosed:
            raise Gone("This page was already used, or has expired.") from None
        except (SessionMoved, Contended):
            world.pause(ROUND_PAUSE)
        else:
            return Result(None, taken.events)
    raise TryAgain("The session is very busy; try again in a moment.")
