"""`GET /api/v1/sessions/{session_id}/sse`: who may follow a session, and from where.

On Lambda the answer is finite; the local server streams with the same code (`open_stream`). A
browser's `EventSource` cannot send headers, so a signed-in visit is good here too.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint, guarded
from chalicelib.api.http import OURS, Request, answer, from_event
from chalicelib.api.paging import number_of
from chalicelib.api.session_reads import ONE, READERS, read_shown
from chalicelib.api.signed_in import visitor
from chalicelib.api.sse_frames import Pace, Source, Watch, frames
from chalicelib.domain import events
from chalicelib.domain.errors import FieldProblem, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalicelib.api.needs import Needs
    from chalicelib.domain.events import NumberedEvent
    from chalicelib.domain.principal import Principal
    from chalicelib.domain.session import Session

RESOURCE: Final = f"{ONE}/sse"
CONTENT_TYPE: Final = "text/event-stream; charset=utf-8"
LONGEST_WAIT: Final = 20
"""Seconds that a finite answer waits for news; API Gateway gives up after 29."""

CYCLE: Final = 300.0
"""Seconds of an open connection, 20 % more or less, lest all clients come back at once."""


def sse_routes(needs: Needs) -> Blueprint:
    """The finite form."""
    routes = Blueprint(__name__)

    @routes.route(RESOURCE, methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @endpoint(routes, needs)
    def sse(request: Request, session_id: str) -> Response:
        repeated = routes.current_request.to_original_event()["multiValueQueryStringParameters"]
        watch = _watch(request, repeated or {}, session_id, needs)
        wait = min(number_of(request, "wait", default=LONGEST_WAIT), LONGEST_WAIT)
        body = "".join(frames(watch, Pace(float(wait), settle=0.2), _source(watch, needs)))
        return answer(200, body, CONTENT_TYPE)

    return routes


def open_stream(
    event: Mapping[str, Any], needs: Needs
) -> tuple[int, dict[str, str], Iterator[bytes]]:
    """The open form, for a server that can stream: status, headers, chunks."""
    request = from_event(event)
    held: list[Watch] = []

    def check() -> Response:
        repeated = event.get("multiValueQueryStringParameters") or {}
        session_id = str((event.get("pathParameters") or {})["session_id"])
        held.append(_watch(request, repeated, session_id, needs))
        return answer(200, "", CONTENT_TYPE)

    checked = guarded(check, request, needs)
    headers = {str(name): str(value) for name, value in checked.headers.items()}
    if not held:
        return checked.status_code, headers, iter([str(checked.body).encode()])
    pace = Pace(CYCLE * random.uniform(0.8, 1.2))  # noqa: S311 - spreads load, hides nothing
    texts = frames(held[0], pace, _source(held[0], needs))
    return 200, {**OURS, "Content-Type": CONTENT_TYPE}, (text.encode() for text in texts)


def _watch(
    request: Request, repeated: Mapping[str, Sequence[str]], session_id: str, needs: Needs
) -> Watch:
    session = read_shown(session_id, _reader(request, needs), needs)
    wanted = _types(repeated, "types")
    unwanted = _types(repeated, "exclude")
    after = _cursor(request)
    if after is None:
        after = _live_from(session, needs)
    return Watch(
        session_id,
        min(after, session.version),
        lambda type_: type_ not in unwanted and (not wanted or type_ in wanted),
    )


def _reader(request: Request, needs: Needs) -> Principal:
    if auth.api_key_of(request) is None:
        who = visitor(request, needs)
        if who is not None and any(who.principal.may(scope) for scope in READERS):
            return who.principal
    return auth.require(request, needs, *READERS)


def _cursor(request: Request) -> int | None:
    """Where the client is. A browser that comes back sends `Last-Event-ID` beside the query that it
    began with: the header is the newer one."""
    if "since_id" in request.query and "after_sequence" in request.query:
        raise _invalid("since_id", "and after_sequence exclude each other")
    last = request.headers.get("last-event-id") or request.query.get("since_id")
    if last is not None:
        digits = last.removeprefix("event_")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
            raise _invalid("since_id", "must be the id of an event")
        return int(digits)
    if "after_sequence" in request.query:
        return number_of(request, "after_sequence")
    return None


def _live_from(session: Session, needs: Needs) -> int:
    """Without a cursor what comes from now on; but who comes late still sees the open cards."""
    if session.cards and session.turn_id is not None:
        turn = needs.relay.rows.turn(session.id, session.turn_id)
        if turn is not None and turn.asked_at:
            return turn.asked_at - 1
    return session.version


def _types(repeated: Mapping[str, Sequence[str]], name: str) -> frozenset[str]:
    named = frozenset(repeated.get(name) or ())
    unknown = sorted(named - events.KNOWN)
    if unknown:
        raise _invalid(name, f"names an unknown type of event: {unknown[0]!r}")
    return named


def _source(watch: Watch, needs: Needs) -> Source:
    def read(after: int, limit: int) -> Sequence[NumberedEvent]:
        return needs.store.events(watch.session_id, after=after, limit=limit)

    return Source(read, time.monotonic, needs.world.pause)


def _invalid(name: str, message: str) -> InvalidInput:
    return InvalidInput(f"{name} {message}", fields=[FieldProblem(name, message)])
