"""What a change writes of a turn beside its session and events, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.domain.cards import Card
from chalicelib.domain.consent import Consent
from chalicelib.domain.turn import Round, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRows:
    """`turn` is the next state, written where the row is still at `turn.version - 1` (1: new).

    `opened` cards must be new, `decided` ones still pending, `taken` consents (by card) still
    there: a consent is used once.
    """

    turn: Turn
    rounds: Sequence[Round] = ()
    opened: Sequence[Card] = ()
    decided: Sequence[Card] = ()
    granted: Sequence[Consent] = ()
    taken: Sequence[str] = ()
