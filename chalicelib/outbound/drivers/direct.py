"""The agent without a model: makes the calls that the message names, then says what came of
them."""

from __future__ import annotations

from typing import Final

from chalicelib.domain.turn import Turn
from chalicelib.usecases.turn_ports import Move, Situation

NOTHING: Final = "The message names no tool calls, so there was nothing to do."


class DirectDriver:
    """`turn_ports.Driver`: the host decides what is called."""

    is_model = False

    def next(self, situation: Situation) -> Move:
        """The named calls once, then the last word."""
        turn = situation.turn
        return Move("", turn.named) if turn.named else Move(_summary(turn))


def _summary(turn: Turn) -> str:
    lines = [
        f"{one.tool}: {one.text}" if one.is_ok else f"{one.tool} failed: {one.text}"
        for one in turn.told
    ]
    return "\n".join([*lines, *turn.notes]) or NOTHING
