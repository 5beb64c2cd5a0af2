"""Stored secrets: put one away, name them, read one for a call, delete one.

A secret belongs to a session, or (`session_id` None) to the operator. Only `read_secret` ever
returns a value; it is for outgoing calls, never for an answer.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from chalicelib.domain import events
from chalicelib.domain.errors import NotFound
from chalicelib.domain.events import Event
from chalicelib.domain.principal import Actor
from chalicelib.domain.secret import (
    SECRET_DELETED,
    SecretInfo,
    check_name,
    check_value,
)
from chalicelib.usecases.ports import Result


class SecretStore(Protocol):
    """Secrets at rest. Any method may raise `TryAgain`."""

    def seal(self, session_id: str | None, name: str, value: str) -> bytes:
        """The value encrypted, bound to where it belongs and to its name."""

    def put(
        self, session_id: str | None, name: str, sealed: bytes, *, by: str, now: datetime
    ) -> None:
        """Store or replace an operator's or a session's secret."""

    def read(self, session_id: str | None, name: str, now: datetime) -> str | None:
        """The value, or None when there is no such secret; notes that it is still in use."""

    def list_infos(self, session_id: str | None) -> list[SecretInfo]:
        """What is stored, by name."""

    def delete(self, session_id: str | None, name: str) -> bool:
        """Delete one; False when there was none."""


def store_operator_secret(
    name: str, value: str, *, actor: Actor, now: datetime, secrets: SecretStore
) -> Result[None]:
    """Store or replace a secret of the operator's. Raises `InvalidInput` and `TooLarge`."""
    check_name(name)
    check_value(value)
    secrets.put(None, name, secrets.seal(None, name, value), by=actor.name, now=now)
    return Result(None, (stored_event(name, actor, now),))


def delete_operator_secret(
    name: str, *, actor: Actor, now: datetime, secrets: SecretStore
) -> Result[None]:
    """Delete a secret of the operator's. Raises `NotFound`."""
    if not secrets.delete(None, name):
        raise NotFound("There is no such secret.")
    data = {"name": name, "by": actor.name, "channel": actor.channel.value}
    return Result(None, (Event(type=SECRET_DELETED, at=now, data=data),))


def read_secret(session_id: str | None, name: str, *, now: datetime, secrets: SecretStore) -> str:
    """The value, for an outgoing call only. Raises `NotFound` naming the secret."""
    value = secrets.read(session_id, name, now)
    if value is None:
        raise NotFound(f"There is no secret named {name}.")
    return value


def stored_event(name: str, actor: Actor, now: datetime) -> Event:
    """The fact that somebody stored a secret: its name only."""
    data = {"name": name, "by": actor.name, "channel": actor.channel.value}
    return Event(type=events.SECRET_STORED, at=now, data=data)
