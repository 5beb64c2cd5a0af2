"""One turn of an agent: from a message to the final answer, with pauses for people in between.

    start -> reason -> act -> reason ...    until the agent says its last word
                       act -> paused        a card waits for a person
                              paused -> resume -> act

This is the row that a worker continues from after a crash; what was said and done stands in the
session's journal. Transitions are in `turn_steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from chalicelib.domain.cards import CardStatus, retry_tool
from chalicelib.domain.errors import Conflict
from chalicelib.domain.urls import ElicitationUrl

HINT: Final = "url_elicitation"
UNATTENDED: Final = "unattended"

LEASE: Final = timedelta(seconds=150)
"""A worker that holds a turn longer than its function may run (120 s) is dead."""

MAX_RUNS: Final = 5
"""Workers that may pick a turn up without any of them getting further."""

MAX_ATTEMPTS: Final = 2
"""Of one call without consent, when the worker died in it. With consent it is one."""

MAX_CALLS: Final = 16
MAX_ACTS: Final = 20
MAX_CARDS: Final = 10
"""In one turn. Beyond it a server's question is passed on as text, like to a client that cannot
pause."""


class TurnRunning(Conflict):
    """The session is at work on a message."""

    code = "turn_running"


class NotWaiting(Conflict):
    """The session does not wait for a decision: it was made, or its time is over."""

    code = "not_waiting"


class Phase(StrEnum):
    """Where a turn stands; `ended` is final. `reason`: the driver is to be asked; `reasoning`: the
    journal says that it was."""

    START = "start"
    REASON = "reason"
    REASONING = "reasoning"
    ACT = "act"
    PAUSED = "paused"
    RESUME = "resume"
    ENDED = "ended"


class CallState(StrEnum):
    """Where a tool call stands. `asking`: its server wants a person, who gets cards for it."""

    NAMED = "named"
    CALLING = "calling"
    ASKING = "asking"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A wish to call a tool."""

    server: str
    tool: str
    arguments: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the agent calls the tool."""
        return retry_tool(self.server, self.tool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the current act.

    `cards` are the cards that a server's question became; of a retry (`retry_of`) those whose
    consent it uses. `attempts` counts workers that began it.
    """

    id: str
    wish: ToolCall
    state: CallState = CallState.NAMED
    attempts: int = 0
    retry_of: str | None = None
    has_consent: bool = False
    cards: tuple[str, ...] = ()
    is_ok: bool | None = None

    def as_data(self) -> dict[str, Any]:
        """As journal events carry it."""
        return {"id": self.id, "name": self.wish.name, "arguments": dict(self.wish.arguments)}


@dataclass(frozen=True, slots=True)
class AskedUrl:
    """One URL of a round that passed the rules; `message` is bounded, and a stranger's text."""

    key: str
    message: str
    link: ElicitationUrl


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a server asked in one call, kept until it is answered. `sealed` is its request state,
    encrypted; empty for none."""

    call_id: str
    asked: tuple[AskedUrl, ...]
    sealed: tuple[bytes, ...] = field(default=(), repr=False)
    has_state: bool = False
    is_legacy: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What a call came to, short enough for the final word."""

    tool: str
    is_ok: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as stored. `version` counts its writes; 0 is not stored yet.

    `named` are the calls that the message itself asked for. `decisions` maps cards of the current
    act to what was decided. `refused` are (server, tool, origin) that a person declined in this
    turn. `asked_at` is the journal number of the event that opened the current cards.
    """

    id: str
    session_id: str
    message_id: str
    created_at: datetime
    driver: str = "direct"
    controls: Mapping[str, Any] = field(default_factory=dict)
    can_pause: bool = False
    is_attended: bool = True
    named: tuple[ToolCall, ...] = ()
    phase: Phase = Phase.START
    version: int = 0
    acts: int = 0
    calls: tuple[Call, ...] = ()
    told: tuple[Told, ...] = ()
    notes: tuple[str, ...] = ()
    decisions: Mapping[str, CardStatus] = field(default_factory=dict)
    refused: tuple[tuple[str, str, str], ...] = ()
    cards_opened: int = 0
    asked_at: int = 0
    worker: str | None = None
    leased_until: datetime | None = None
    runs: int = 0

    @property
    def is_ended(self) -> bool:
        """Whether nothing more happens in it."""
        return self.phase is Phase.ENDED

    @property
    def wants_worker(self) -> bool:
        """Whether a worker has something to do."""
        return self.phase not in (Phase.PAUSED, Phase.ENDED)

    def is_held(self, worker: str, now: datetime) -> bool:
        """Whether another worker is at it."""
        others = self.worker is not None and self.worker != worker
        return others and self.leased_until is not None and now < self.leased_until

    def call(self, call_id: str) -> Call:
        """The call with this id in the current act."""
        return next(call for call in self.calls if call.id == call_id)

    @property
    def context(self) -> dict[str, str]:
        """What its journal events carry beside their data."""
        return {"turn_id": self.id, "input_message_id": self.message_id}


def is_hinted(name: str, *hints: Mapping[str, Any]) -> bool:
    """Whether a hint is the JSON value `true`; of several bags the last one that has it decides."""
    value = None
    for bag in hints:
        value = bag.get(name, value)
    return value is True
