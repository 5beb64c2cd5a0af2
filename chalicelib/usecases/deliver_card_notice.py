"""Tell people that a card waits for them: once, claimed before and stamped after delivery."""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.domain import events
from chalicelib.domain.cards import Card
from chalicelib.domain.elicitation import Elicitation, Mode
from chalicelib.domain.events import Event
from chalicelib.usecases.ports import Notice, Publisher, Result
from chalicelib.usecases.turn_ports import Relay


def deliver_card_notice(
    key: str, *, link_for: Callable[[Card], str], relay: Relay, publisher: Publisher
) -> Result[bool]:
    """`key` is `<session id>/<call id>`. False when the notice is no longer wanted.

    The link is to Parley's own page, which shows the address; the address itself is not sent. A
    delivery that fails raises what the publisher raised.
    """
    session_id, _, call_id = key.partition("/")
    now = relay.world.clock()
    card = relay.rows.claim_notice(session_id, call_id, now)
    if card is None:
        return Result(False)
    session = relay.world.store.session(session_id)
    notice = Notice("card", _as_told(card), session, server=card.server)
    publisher.publish(notice, link_for(card), now)
    relay.rows.notice_delivered(session_id, call_id, relay.world.clock())
    data = {"request_id": call_id, "kind": "card"}
    return Result(True, (Event(type=events.NOTICE_SENT, at=now, data=data),))


def _as_told(card: Card) -> Elicitation:
    """A card in the words of notices, which are about elicitations."""
    return Elicitation(
        key=card.call_id,
        session_id=card.session_id,
        request_id=card.call_id,
        message=card.message,
        created_at=card.created_at,
        expires_at=card.expires_at,
        mode=Mode.URL,
        url=card.url,
        tool_name=card.tool,
    )
