"""What turns need from the world, as Protocols, and the bundle of it that turn use cases take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from chalicelib.domain.cards import Card
from chalicelib.domain.consent import Consent
from chalicelib.domain.transcript import Utterance
from chalicelib.domain.turn import Round, ToolCall, Turn
from chalicelib.domain.upstream import Accepted, Outcome, ToolSpec, UpstreamRecord
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import Journal, Messenger


@dataclass(frozen=True, slots=True)
class Due:
    """Open cards past their deadline, and (session, turn) of turns that want a worker and have had
    none for a while; longest overdue first."""

    cards: Sequence[Card]
    turns: Sequence[tuple[str, str]]


class TurnReads(Protocol):
    """Rows of turns, read by key (consistent) or by what is due. Changed by `Store.commit` only."""

    def turn(self, session_id: str, turn_id: str) -> Turn | None:
        """The turn now."""

    def card(self, session_id: str, call_id: str) -> Card | None:
        """A card, whatever its state."""

    def cards(self, session_id: str, call_ids: Sequence[str]) -> list[Card]:
        """Those of `call_ids` that exist."""

    def consent(self, session_id: str, call_id: str) -> Consent | None:
        """A card's consent that is not used yet; an unreadable one counts as none."""

    def round(self, session_id: str, call_id: str) -> Round | None:
        """What a call's server asked."""

    def open_cards(self, *, limit: int) -> list[Card]:
        """Pending cards of all sessions, soonest deadline first."""

    def due(self, now: datetime, *, limit: int) -> Due:
        """What cleanup has to see to, at most `limit` of all."""

    def claim_notice(self, session_id: str, call_id: str, now: datetime) -> Card | None:
        """Take the right to tell people of a card; None when that is done, claimed or void."""

    def notice_delivered(self, session_id: str, call_id: str, now: datetime) -> None:
        """Stamp it."""


class Sealer(Protocol):
    """Encryption of request state, bound to the call that it belongs to."""

    def seal(self, text: str, *, session_id: str, call_id: str) -> tuple[bytes, ...]:
        """Raises `TooLarge` over 32 KiB, and `TryAgain`."""

    def open(self, sealed: Sequence[bytes], *, session_id: str, call_id: str) -> str | None:
        """The text; None when it cannot be read any more. Raises `TryAgain`."""


class Registry(Protocol):
    """The registered upstream servers, and what each connection learned."""

    def get(self, name: str) -> UpstreamRecord | None:
        """A server by its name."""

    def all(self) -> list[UpstreamRecord]:
        """All of them, by name."""

    def put(self, record: UpstreamRecord) -> None:
        """Register or replace."""

    def remove(self, name: str) -> bool:
        """False when there was none."""

    def learned(self, record: UpstreamRecord, known: Mapping[str, Any] | None) -> None:
        """Keep what a connection learned, if the server is still registered as it was."""

    def session_known(self, session_id: str, server: str) -> Mapping[str, Any] | None:
        """What this session's last connection learned (a legacy server's own session)."""

    def keep_session_known(
        self, session_id: str, server: str, known: Mapping[str, Any], now: datetime
    ) -> None:
        """Keep it with the session."""


class Connection(Protocol):
    """One upstream server, for one call."""

    @property
    def known(self) -> Mapping[str, Any] | None:
        """What is worth keeping for the next connection."""

    def call(self, tool: str, arguments: Mapping[str, Any], accepted: Accepted | None) -> Outcome:
        """Call a tool; never raises for what the server or the network does."""

    def tools(self) -> list[ToolSpec]:
        """What the server offers; empty when it cannot be asked."""


class Connect(Protocol):
    """Opens connections to registered servers."""

    def __call__(
        self, record: UpstreamRecord, *, known: Mapping[str, Any] | None, declares_url: bool
    ) -> Connection:
        """Nothing is sent yet."""


@dataclass(frozen=True, slots=True)
class Move:
    """What an agent does next: call tools, or with no calls say its last word."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class DriverFailed(Exception):
    """The agent cannot go on; the message may be shown to the host."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a driver decides on. `utterances` and `tools` are filled for drivers that want them."""

    turn: Turn
    utterances: Sequence[Utterance] = ()
    tools: Sequence[ToolSpec] = ()


class Driver(Protocol):
    """An agent. `is_model` ones are slow, see the conversation and the tools, and cost money."""

    @property
    def is_model(self) -> bool:
        """Whether it wants conversation and tools."""

    def next(self, situation: Situation) -> Move:
        """Decide. Raises `DriverFailed`."""


class TurnMessenger(Messenger, Protocol):
    """Queues of turns and cards. Sending never raises."""

    def queue_turn(self, session_id: str, turn_id: str) -> None:
        """One message on `turns`."""

    def wake_card(self, session_id: str, call_id: str, at: datetime, now: datetime) -> None:
        """One message on `timers` for an open card's deadline."""

    def wake_turn(self, session_id: str, turn_id: str, at: datetime, now: datetime) -> None:
        """One message on `timers` for the end of a worker's lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """Everything that turn use cases need. `drivers` by name; `monotonic` in seconds."""

    world: World
    journal: Journal
    rows: TurnReads
    registry: Registry
    sealer: Sealer
    connect: Connect
    drivers: Mapping[str, Driver]
    messenger: TurnMessenger
    card_lasts: timedelta
    allow_loopback: bool
    monotonic: Callable[[], float] = field(repr=False)
