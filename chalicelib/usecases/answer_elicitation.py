"""A person answers: exactly one answer, before the deadline, checked against the question's
schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from chalicelib.domain.elicitation import Action, Elicitation, Mode, Status
from chalicelib.domain.errors import (
    AlreadyAnswered,
    DeadlinePassed,
    InvalidContent,
    NotFound,
    TooLarge,
    Withdrawn,
)
from chalicelib.domain.form_schema import validate_content
from chalicelib.domain.principal import Actor
from chalicelib.usecases.commit import World
from chalicelib.usecases.expire_elicitation import expire_elicitation
from chalicelib.usecases.ports import (
    ElicitationMoved,
    Messenger,
    Needs,
    Result,
    describe,
)
from chalicelib.usecases.settle import write_outcome

CONTENT_LIMIT: Final = 128 * 1024
"""Bytes of an answer as JSON: with the longest message, context and schema it fits a row of
400 KB (DynamoDB's limit)."""


def answer_elicitation(
    key: str,
    *,
    action: Action,
    content: object,
    actor: Actor,
    world: World,
    messenger: Messenger,
    apply_defaults: bool = True,
) -> Result[Elicitation]:
    """Record an answer; the same answer again by the same actor is the same success.

    Content counts only with accept in form mode, and is dropped otherwise (seed, "Statuses").
    Raises `NotFound`, `InvalidContent`, `TooLarge`, `AlreadyAnswered` with the winner,
    `DeadlinePassed`, `Withdrawn` and `TryAgain`.
    """
    found = world.store.elicitation(key)
    if found is None:
        raise NotFound("There is no such elicitation.")
    if found.is_due(world.clock()):
        found = expire_elicitation(found, world=world, messenger=messenger).value
    if not found.is_pending:
        return Result(_too_late(found, action, content, actor))
    kept = _content(found, action, content, apply_defaults=apply_defaults)

    def answered(now: datetime, attempt: str) -> Elicitation:
        return replace(
            found,
            status=Status(action.value),
            content=kept,
            answered_at=now,
            answered_by=actor,
            attempt=attempt,
        )

    try:
        return write_outcome(found, needs=Needs.LIVE, outcome=answered, world=world)
    except ElicitationMoved as moved:
        now_there = moved.current
    if now_there is None:
        raise NotFound("There is no such elicitation.")
    if now_there.is_pending:
        now_there = expire_elicitation(now_there, world=world, messenger=messenger).value
    return Result(_too_late(now_there, action, content, actor))


def _content(
    found: Elicitation, action: Action, content: object, *, apply_defaults: bool
) -> Mapping[str, Any] | None:
    if action is not Action.ACCEPT or found.mode is Mode.URL:
        return None
    given = {} if content is None else content
    kept = validate_content(found.schema, given, apply_defaults=apply_defaults)
    if len(json.dumps(kept, ensure_ascii=False).encode()) > CONTENT_LIMIT:
        raise TooLarge(f"The content is over {CONTENT_LIMIT // 1024} KiB.")
    return kept or None


def _is_same(found: Elicitation, action: Action, content: object) -> bool:
    if found.status.value != action.value:
        return False
    try:
        return _content(found, action, content, apply_defaults=True) == found.content
    except InvalidContent:
        return False


def _too_late(found: Elicitation, action: Action, content: object, actor: Actor) -> Elicitation:
    """The recorded answer when it is this very one; else the error that says what happened."""
    if found.status is Status.EXPIRED:
        message = "The deadline passed before the answer came; the agent was told so."
        raise DeadlinePassed(message, details=describe(found))
    if found.reason is not None:
        message = "The question was withdrawn before the answer came."
        raise Withdrawn(message, details=describe(found))
    if found.answered_by == actor and _is_same(found, action, content):
        return found
    raise AlreadyAnswered("Somebody answered first.", details=describe(found))
