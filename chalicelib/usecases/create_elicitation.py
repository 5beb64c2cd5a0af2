"""Ask: store a question, mark its session, and see to it that people are told.

One read (the session) and one transaction; a replay of the same request finds the stored row in the
transaction's refusal. Sending the timer and the notice may fail without harm: cleanup re-sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chalicelib.domain.deadline import decide_deadline
from chalicelib.domain.digest import digest
from chalicelib.domain.elicitation import Elicitation, Mode
from chalicelib.domain.errors import Forbidden, NotFound, RequestIdReused, TryAgain
from chalicelib.domain.principal import Principal
from chalicelib.domain.reminder import next_wake
from chalicelib.domain.request_id import derived_handle, is_strong
from chalicelib.domain.session import Session, ask
from chalicelib.usecases.commit import World, commit_until_settled
from chalicelib.usecases.ports import Change, ElicitationMoved, Messenger, Result
from chalicelib.usecases.sessions import may_see


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A vetted request to ask. `expires_at` is the asker's raw wish; `schema` is vetted."""

    request_id: str
    message: str
    mode: Mode = Mode.FORM
    schema: Mapping[str, Any]
    url: str | None = None
    tool_name: str | None = None
    context: str | None = None
    expires_at: object = None

    def body_digest(self) -> str:
        """What makes two requests the same one; the wished deadline is not part of it."""
        return digest(
            [self.mode, self.message, self.schema, self.url, self.tool_name, self.context]
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """The stored elicitation, and whether this request stored it or only found it."""

    elicitation: Elicitation
    session: Session
    is_new: bool


@dataclass(frozen=True, slots=True)
class Policy:
    """The instance's defaults for new elicitations."""

    default_minutes: int
    reminder_share: float


def create_elicitation(
    question: Question,
    *,
    session_id: str,
    token_generation: int | None,
    principal: Principal | None = None,
    policy: Policy,
    world: World,
    messenger: Messenger,
) -> Result[Asked]:
    """Ask a person on behalf of a session, which `principal` (where there is one) must see.

    Raises `NotFound` (unknown or foreign session), `Forbidden` (the token was revoked),
    `SessionEnded`, `TooManyLive`, `RequestIdReused` (same id, other body) and `TryAgain`.
    """
    session = world.store.session(session_id)
    if session is None or (principal is not None and not may_see(session, principal)):
        raise NotFound("There is no such session.")
    if token_generation is not None and token_generation != session.token_generation:
        raise Forbidden("This session token was revoked; use the session's current one.")
    key = _key(question, session)
    try:
        result = _commit(question, key, session, policy=policy, world=world)
    except ElicitationMoved as moved:
        found = moved.current
        if found is not None and found.session_id != session.id:
            key = derived_handle(question.request_id, session_secret=session.secret)
            return _other_session_has_it(
                question, key, session, policy=policy, world=world, messenger=messenger
            )
        result = Result(_replay(question, found, session))
    _announce(result.value.elicitation, policy, world, messenger)
    return result


def _other_session_has_it(
    question: Question,
    key: str,
    session: Session,
    *,
    policy: Policy,
    world: World,
    messenger: Messenger,
) -> Result[Asked]:
    """The same request id in another session is a chance or an attack; ours gets its own handle."""
    try:
        result = _commit(question, key, session, policy=policy, world=world)
    except ElicitationMoved as moved:
        result = Result(_replay(question, moved.current, session))
    _announce(result.value.elicitation, policy, world, messenger)
    return result


def _key(question: Question, session: Session) -> str:
    if is_strong(question.request_id):
        return question.request_id
    return derived_handle(question.request_id, session_secret=session.secret)


def _commit(
    question: Question, key: str, session: Session, *, policy: Policy, world: World
) -> Result[Asked]:
    def decide(current: Session | None, attempt: str) -> tuple[Change, Result[Asked]]:
        if current is None:
            raise NotFound("There is no such session.")
        now = world.clock()
        elicitation = _elicitation(question, key, current, now=now, policy=policy, attempt=attempt)
        taken = ask(current, elicitation, now)
        change = Change(
            attempt=attempt,
            before=current,
            after=taken.session,
            events=taken.events,
            created=elicitation,
        )
        asked = Asked(elicitation, taken.session, is_new=True)
        return change, Result(asked, taken.events)

    return commit_until_settled(world, session, decide)


def _elicitation(
    question: Question, key: str, session: Session, *, now: datetime, policy: Policy, attempt: str
) -> Elicitation:
    deadline = decide_deadline(question.expires_at, default_minutes=policy.default_minutes, now=now)
    return Elicitation(
        key=key,
        session_id=session.id,
        request_id=question.request_id,
        mode=question.mode,
        message=question.message,
        schema=question.schema,
        url=question.url,
        tool_name=question.tool_name,
        context=question.context,
        created_at=now,
        expires_at=deadline,
        body_digest=question.body_digest(),
        attempt=attempt,
    )


def _replay(question: Question, found: Elicitation | None, session: Session) -> Asked:
    if found is None:
        raise TryAgain("The question could not be stored; try again.")
    if found.body_digest != question.body_digest():
        raise RequestIdReused("This request id was used for another question.")
    return Asked(found, session, is_new=False)


def _announce(elicitation: Elicitation, policy: Policy, world: World, messenger: Messenger) -> None:
    """Set the timer and queue the notice; a replay does so again only while nobody was told, since
    the first attempt may have died before it came to this."""
    now = world.clock()
    if elicitation.notified_at is not None or not elicitation.is_live(now):
        return
    messenger.wake(elicitation.key, next_wake(elicitation, policy.reminder_share, now), now)
    messenger.queue_notice(elicitation.key, "needs_input")
