"""Consent to one URL elicitation: one use, for one call, at one origin, for a short time.

Single use is storage's: a consent is taken (deleted and returned) before it is honoured, so of two
takers one gets it. What is here decides whether a taken consent covers what is asked now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.domain.cards import Card, CardStatus
from chalicelib.domain.principal import Actor

CONSENT_LASTS: Final = timedelta(minutes=5)
"""From the card's deadline: until then other cards of the same act may hold the turn up. Then the
retry follows at once; this covers a worker that has to start again."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What a consent is for: one tool of one server, one origin, one set of arguments."""

    session_id: str
    server: str
    tool: str
    origin: str
    arguments_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A person's yes, as stored until it is used. It holds neither the URL nor request state."""

    call_id: str
    binding: Binding
    granted_by: Actor
    granted_at: datetime
    expires_at: datetime

    def covers(self, binding: Binding, now: datetime) -> bool:
        """Whether this consent may answer an elicitation of `binding`: all parts equal, in time.

        Another host, port or scheme, or other arguments, ask the person anew (seed, "Timing and
        reuse"; facts everruns 8.3).
        """
        return binding == self.binding and now < self.expires_at


def binding_of(card: Card) -> Binding:
    """What an accept of this card is a consent to."""
    return Binding(card.session_id, card.server, card.tool, card.origin, card.arguments_digest)


def grant(card: Card) -> Consent:
    """The consent that an accepted card gives. Raises `ValueError` for any other card: a decline
    records nothing (seed)."""
    if card.status is not CardStatus.ACCEPT or card.decided_at is None or card.decided_by is None:
        raise ValueError("only an accepted card grants consent")
    return Consent(
        call_id=card.call_id,
        binding=binding_of(card),
        granted_by=card.decided_by,
        granted_at=card.decided_at,
        expires_at=card.expires_at + CONSENT_LASTS,
    )


def decision_text(card: Card) -> str:
    """The decision as the person's turn in the conversation; it carries no internal ids.

    Raises `ValueError` for a card that no person decided: a timeout adds no user turn.
    """
    if card.status is CardStatus.ACCEPT:
        return (
            f"I have finished the step at {card.host} that {card.server} asked for. "
            "Please go on with it."
        )
    if card.status is CardStatus.DECLINE:
        return (
            f"I decided not to open the page at {card.host}. "
            "Please go on without it and do not ask me for it again."
        )
    raise ValueError("no person decided this card")


def timeout_text(card: Card) -> str:
    """What the model is told when nobody decided in time."""
    return (
        f"Nobody confirmed the step at {card.host} in time, so {card.server} was not authorised. "
        "Go on without it; the person can ask for it again."
    )
