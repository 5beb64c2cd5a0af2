"""One tool call of a turn: with a consent if there is one for it, and what came of it.

After consent the round that the person saw is answered. A server that no longer takes its state is
called afresh, and asked again only where the consent does not reach: it covers one call, one tool,
one origin, one set of arguments (`domain.consent`).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.domain.cards import card_message
from chalicelib.domain.consent import Binding
from chalicelib.domain.digest import digest
from chalicelib.domain.errors import InvalidInput, TooLarge, TryAgain
from chalicelib.domain.session import Session
from chalicelib.domain.text import one_line
from chalicelib.domain.tool_results import ToolResult, elicited, failed, from_upstream
from chalicelib.domain.turn import MAX_CARDS, AskedUrl, Call, CallState, Round, Turn
from chalicelib.domain.upstream import (
    Accepted,
    Answered,
    Asks,
    CallFailed,
    Outcome,
    UpstreamRecord,
    WantedUrl,
)
from chalicelib.domain.urls import check_elicitation_url
from chalicelib.usecases.turn_ports import Connection, Relay

log = logging.getLogger("parley.turns")

MAX_WANTED: Final = 5
"""URLs that one call may want opened."""


@dataclass(frozen=True, slots=True)
class Permit:
    """A person's accept for one call: what to answer, the origins it reaches, and the consents that
    are used up by it. Without `accepted` the consents are void and the call is a plain one."""

    accepted: Accepted | None = None
    origins: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()


def find_permit(session: Session, call: Call, relay: Relay) -> Permit:
    """Read what a retry may use. Expired, unreadable or ill-fitting consents permit nothing, and a
    consent that cannot be read for lack of storage raises `TryAgain`: never a yes."""
    if call.retry_of is None:
        return Permit()
    asked = relay.rows.round(session.id, call.retry_of)
    found = [relay.rows.consent(session.id, card) for card in call.cards]
    consents = [consent for consent in found if consent is not None]
    used = tuple(consent.call_id for consent in consents)
    if asked is None:
        return Permit(consents=used)
    now, arguments = relay.world.clock(), digest(dict(call.wish.arguments))
    free = list(consents)
    for one in asked.asked:
        wish = call.wish
        binding = Binding(session.id, wish.server, wish.tool, one.link.origin, arguments)
        fitting = next((consent for consent in free if consent.covers(binding, now)), None)
        if fitting is None:
            return Permit(consents=used)
        free.remove(fitting)
    origins = tuple(one.link.origin for one in asked.asked)
    return Permit(_accepted(session.id, asked, relay), origins, used)


def _accepted(session_id: str, asked: Round, relay: Relay) -> Accepted:
    """The stored round's answer; without keys where its state can no longer be read."""
    keys = tuple(one.key for one in asked.asked)
    origin, state = asked.asked[0].link.origin, None
    if asked.has_state:
        state = relay.sealer.open(asked.sealed, session_id=session_id, call_id=asked.call_id)
        keys = keys if state is not None else ()
    return Accepted(keys, state, origin, asked.is_legacy)


def make_call(
    session: Session, turn: Turn, call: Call, permit: Permit, *, relay: Relay
) -> tuple[ToolResult, Round | None]:
    """Call the server. The round is what a person has to be asked; None when nobody is."""
    wish = call.wish
    record = relay.registry.get(wish.server)
    if record is None or (session.mcp_servers and wish.server not in session.mcp_servers):
        return failed(f"There is no server registered as {one_line(wish.server)}."), None
    outcome = _exchange(session, turn, call, permit, record=record, relay=relay)
    match outcome:
        case Answered(result):
            return from_upstream(result), None
        case CallFailed(message):
            return failed(message), None
        case Asks():
            return _asked(session, turn, call, outcome, relay=relay)


def _exchange(
    session: Session,
    turn: Turn,
    call: Call,
    permit: Permit,
    *,
    record: UpstreamRecord,
    relay: Relay,
) -> Outcome:
    known = record.known or relay.registry.session_known(session.id, record.name)
    connection = relay.connect(record, known=known, declares_url=turn.is_attended)
    outcome = _call(connection, call, permit)
    if connection.known != known:
        try:
            _keep(connection, session, record, relay)
        except TryAgain:
            log.warning("what a server told of its era was not kept")
    return outcome


def _call(connection: Connection, call: Call, permit: Permit) -> Outcome:
    """At most three calls of the tool: the stored round, afresh, and the fresh round."""
    name, arguments, accepted = call.wish.tool, call.wish.arguments, permit.accepted
    if accepted is None:
        return connection.call(name, arguments, None)
    if accepted.keys:
        outcome = connection.call(name, arguments, accepted)
        if not (isinstance(outcome, CallFailed) and outcome.is_stale):
            return outcome
    outcome = connection.call(name, arguments, None)
    if not isinstance(outcome, Asks) or not _reaches(permit, outcome.wanted):
        return outcome
    keys = tuple(one.key for one in outcome.wanted)
    again = Accepted(keys, outcome.state, accepted.origin, outcome.is_legacy)
    return connection.call(name, arguments, again)


def _reaches(permit: Permit, wanted: Sequence[WantedUrl]) -> bool:
    """Whether every URL of a fresh round lies at an origin that was agreed to, each once."""
    origins = Counter[str]()
    for one in wanted:
        try:
            origins[check_elicitation_url(one.url, allow_loopback_http=True).origin] += 1
        except InvalidInput:
            return False
    return origins <= Counter(permit.origins)


def _keep(connection: Connection, session: Session, record: UpstreamRecord, relay: Relay) -> None:
    known = connection.known
    if known is None or not known.get("mcp_session_id"):
        relay.registry.learned(record, known)
    if known is not None and known.get("mcp_session_id"):
        relay.registry.keep_session_known(session.id, record.name, known, relay.world.clock())


def _asked(
    session: Session, turn: Turn, call: Call, asks: Asks, *, relay: Relay
) -> tuple[ToolResult, Round | None]:
    """The server wants a person: a round to be shown, or words for a client that cannot pause."""
    wish = call.wish
    try:
        asked = _checked(asks, allow_loopback=relay.allow_loopback)
    except InvalidInput as error:
        return failed(f"The server asks to open an address that is refused: {error.message}."), None
    if any((wish.server, wish.tool, one.link.origin) in turn.refused for one in asked):
        return elicited(wish, asked, declined=True), None
    waiting = sum(other.state is CallState.ASKING for other in turn.calls) * MAX_WANTED
    if not turn.can_pause or turn.cards_opened + waiting + len(asked) > MAX_CARDS:
        return elicited(wish, asked), None
    try:
        sealed = _sealed(asks, session.id, call.id, relay)
    except TooLarge as error:
        return failed(error.message), None
    kept = Round(
        call_id=call.id,
        asked=asked,
        sealed=sealed,
        has_state=asks.state is not None,
        is_legacy=asks.is_legacy,
    )
    return elicited(wish, asked), kept


def _checked(asks: Asks, *, allow_loopback: bool) -> tuple[AskedUrl, ...]:
    if len(asks.wanted) > MAX_WANTED:
        message = f"it asks for {len(asks.wanted)} at once, and {MAX_WANTED} is the most"
        raise InvalidInput(message)
    return tuple(
        AskedUrl(
            one.key,
            card_message(one.message),
            check_elicitation_url(one.url, allow_loopback_http=allow_loopback),
        )
        for one in asks.wanted
    )


def _sealed(asks: Asks, session_id: str, call_id: str, relay: Relay) -> tuple[bytes, ...]:
    if asks.state is None:
        return ()
    return relay.sealer.seal(asks.state, session_id=session_id, call_id=call_id)
