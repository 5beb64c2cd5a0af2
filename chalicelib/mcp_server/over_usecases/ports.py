"""What the tools' port needs of the composition root, and the two questions asked everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chalicelib.domain.errors import NotFound
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Principal
from chalicelib.domain.session import Session
from chalicelib.usecases.commit import World
from chalicelib.usecases.create_elicitation import Policy
from chalicelib.usecases.ports import Lists, Messenger
from chalicelib.usecases.secret_requests import SecretRequests
from chalicelib.usecases.secrets import SecretStore
from chalicelib.usecases.sessions import may_see


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """`tell` takes the facts that happened. `secret_url` makes a page's URL from its handle."""

    world: World
    lists: Lists
    messenger: Messenger
    policy: Policy
    secrets: SecretStore
    secret_requests: SecretRequests
    secret_url: Callable[[str], str]
    tell: Callable[[Iterable[Event]], None]
    asker_may_answer: bool = False


def seen_session(ports: Ports, session_id: str, principal: Principal) -> Session:
    """A session that the principal may know of. Raises `NotFound`."""
    session = ports.world.store.session(session_id)
    if session is None or not may_see(session, principal):
        raise NotFound("There is no such session.")
    return session


def own_session(ports: Ports, session_id: str, principal: Principal) -> Session:
    """A session that the principal opened. Raises `NotFound`."""
    session = ports.world.store.session(session_id)
    if session is None or not is_own(session, principal):
        raise NotFound("There is no such session.")
    return session


def is_own(session: Session, principal: Principal) -> bool:
    """Whether the principal opened the session, with this key or another of the same name."""
    return session.owner == principal.name
