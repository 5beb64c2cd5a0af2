"""The signed link of a card's page: one session, one card and its deadline, nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

from chalicelib.domain.cards import Card
from chalicelib.domain.errors import NotFound
from chalicelib.domain.tokens import LINK_OUTLIVES_DEADLINE, Tokens

KIND = "card"


def card_token(tokens: Tokens, card: Card) -> str:
    """The token in the path of the card's page."""
    return tokens.sign(KIND, [card.session_id, card.call_id, int(card.expires_at.timestamp())])


def read_card_token(tokens: Tokens, token: str, now: datetime) -> tuple[str, str]:
    """The ids of session and card. Raises `NotFound` for a broken link or a long dead one."""
    match tokens.read(KIND, token):
        case [str(session_id), str(call_id), int(deadline)]:
            if now < datetime.fromtimestamp(deadline, UTC) + LINK_OUTLIVES_DEADLINE:
                return session_id, call_id
    raise NotFound("This link is not valid.")
