"""The life of a session as its host tells it: open, read, change, resume, rotate its token,
delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from chalicelib.domain import events
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.errors import AlreadyAnswered, NotFound
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Actor, Channel, Principal
from chalicelib.domain.session import ENDED, HostStatus, Session, Step, resume, step
from chalicelib.usecases.commit import World, commit_until_settled
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.ports import Change, Messenger, Result, SessionMoved
from chalicelib.usecases.withdraw_elicitation import withdraw_elicitation


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a host says of a session when it opens it. `id` makes the call repeatable."""

    id: str | None = None
    title: str | None = None
    agent_id: str | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    mcp_servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """What a host changes; None leaves a field alone. `metadata` and `hints` merge key by key, and
    a key with the value None goes."""

    status: HostStatus | None = None
    title: str | None = None
    hints: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    mcp_servers: tuple[str, ...] | None = None


def open_session(opening: Opening, *, principal: Principal, world: World) -> Result[Session]:
    """Open a session; with an id of the host's choice, opening it again returns the same session.

    Raises `NotFound` when the id belongs to another host, and `TryAgain`.
    """
    now = world.clock()
    before = Session(
        id=opening.id or f"session_{world.new_id()}",
        owner=principal.name,
        created_at=now,
        updated_at=now,
        secret=world.new_id(),
        title=opening.title,
        agent_id=opening.agent_id,
        hints=opening.hints,
        metadata=opening.metadata,
        mcp_servers=opening.mcp_servers,
    )
    opened = Event(type=events.SESSION_OPENED, at=now, data={"title": opening.title})
    taken = step(before, before, opened, now=now)
    change = Change(attempt=world.new_id(), before=None, after=taken.session, events=taken.events)
    try:
        world.store.commit(change)
    except SessionMoved as moved:
        if moved.current is None or not may_see(moved.current, principal):
            raise NotFound("There is no such session.") from None
        return Result(moved.current)
    return Result(taken.session, taken.events)


def may_see(session: Session, principal: Principal) -> bool:
    """A host sees the sessions it opened; answerers, readers and admins see all."""
    return principal.sees_all_sessions() or session.owner == principal.name


def read_session(
    session_id: str, *, principal: Principal, world: World, messenger: Messenger
) -> Result[Session]:
    """The session as it is now: what is overdue is expired first, so that nothing shown is stale.

    Raises `NotFound` for unknown and foreign sessions alike.
    """
    session = world.store.session(session_id)
    if session is None or not may_see(session, principal):
        raise NotFound("There is no such session.")
    overdue = session.overdue_keys(world.clock())
    if not overdue:
        return Result(session)
    facts: list[Event] = []
    for row in world.store.elicitations(overdue):
        facts += expire_elicitation(row, world=world, messenger=messenger).facts
    return Result(world.store.session(session_id) or session, tuple(facts))


def patch_session(
    session_id: str, patch: Patch, *, principal: Principal, world: World
) -> Result[Session]:
    """Take the host's word. Ending a session withdraws its questions: nobody waits for them."""

    def changed(session: Session, now: datetime) -> Step | None:
        after = _patched(session, patch)
        if after == session:
            return None
        data = {"status": after.status.value} if after.status is not session.status else {}
        return step(session, after, Event(type=events.SESSION_CHANGED, at=now, data=data), now=now)

    result = change_session(session_id, changed, principal=principal, world=world)
    if patch.status not in ENDED:
        return result
    facts = withdraw_all(result.value, principal, f"session {patch.status}", world)
    return Result(world.store.session(session_id) or result.value, result.facts + facts)


def resume_session(session_id: str, *, principal: Principal, world: World) -> Result[Session]:
    """The host goes on with the session; a lost record goes. Repeating it changes nothing."""

    def resumed(session: Session, now: datetime) -> Step | None:
        if session.status is HostStatus.RUNNING and session.lost is None:
            return None
        return resume(session, now)

    return change_session(session_id, resumed, principal=principal, world=world)


def rotate_token(session_id: str, *, principal: Principal, world: World) -> Result[Session]:
    """Revoke the session's tokens: they ask no more. Questions already asked can still be
    polled."""

    def rotated(session: Session, now: datetime) -> Step:
        after = replace(session, token_generation=session.token_generation + 1)
        return step(session, after, Event(type=events.TOKEN_ROTATED, at=now), now=now)

    return change_session(session_id, rotated, principal=principal, world=world)


def delete_session(
    session_id: str, *, principal: Principal, world: World, purge: Callable[[str], None]
) -> Result[None]:
    """Withdraw what is live, then delete the session and all that it kept; repeatable (404
    then)."""
    session = world.store.session(session_id)
    if session is None or not may_see(session, principal):
        raise NotFound("There is no such session.")
    facts = withdraw_all(session, principal, "session deleted", world)

    def gone(current: Session | None, attempt: str) -> tuple[Change | None, None]:
        if current is None:
            return None, None
        return Change(attempt=attempt, before=current, after=None), None

    commit_until_settled(world, world.store.session(session_id), gone)
    purge(session_id)
    return Result(None, facts)


def withdraw_all(
    session: Session, principal: Principal, reason: str, world: World
) -> tuple[Event, ...]:
    """Withdraw every pending elicitation of a session; one that is answered meanwhile stays so."""
    actor = Actor(principal.name, Channel.API)
    facts: list[Event] = []
    rows: list[Elicitation] = world.store.elicitations(sorted(session.live)) if session.live else []
    for row in rows:
        if row.is_pending:
            facts += _withdraw(row.key, actor, reason, world)
    return tuple(facts)


def change_session(
    session_id: str,
    decide: Callable[[Session, datetime], Step | None],
    *,
    principal: Principal,
    world: World,
) -> Result[Session]:
    """Apply one transition to a session that the principal may see; None changes nothing."""

    def decided(session: Session | None, attempt: str) -> tuple[Change | None, Result[Session]]:
        if session is None or not may_see(session, principal):
            raise NotFound("There is no such session.")
        taken = decide(session, world.clock())
        if taken is None:
            return None, Result(session)
        change = Change(attempt=attempt, before=session, after=taken.session, events=taken.events)
        return change, Result(taken.session, taken.events)

    return commit_until_settled(world, world.store.session(session_id), decided)


def _withdraw(key: str, actor: Actor, reason: str, world: World) -> tuple[Event, ...]:
    try:
        return withdraw_elicitation(
            key, session_id=None, actor=actor, reason=reason, world=world
        ).facts
    except (AlreadyAnswered, NotFound):
        return ()


def _patched(session: Session, patch: Patch) -> Session:
    return replace(
        session,
        status=patch.status or session.status,
        title=session.title if patch.title is None else patch.title or None,
        hints=_merged(session.hints, patch.hints),
        metadata=_merged(session.metadata, patch.metadata),
        mcp_servers=session.mcp_servers if patch.mcp_servers is None else patch.mcp_servers,
    )


def _merged(old: Mapping[str, Any], new: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if new is None:
        return old
    both = {**old, **new}
    return {key: value for key, value in both.items() if value is not None}
