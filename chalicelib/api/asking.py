"""What an asker may do, over the main API and the poll plane alike: create, and poll.

A poll with a good token is never a 429 or a 5xx: clients of the protocol take any non-2xx for the
end of the round trip (zimmer 1.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.api import auth
from chalicelib.api.http import Request, json_answer
from chalicelib.api.needs import Needs
from chalicelib.api.views import DEGRADED, created_body, poll_body
from chalicelib.domain.errors import (
    Forbidden,
    NotFound,
    ParleyError,
    TryAgain,
    Unauthenticated,
)
from chalicelib.domain.principal import Principal, Scope
from chalicelib.observability import redact
from chalicelib.usecases.poll_elicitation import poll_elicitation
from chalicelib.usecases.sessions import may_see

if TYPE_CHECKING:
    from chalice.app import Response

    from chalicelib.api.contracts.elicitations import Create
    from chalicelib.domain.elicitation import Elicitation

LONGEST_WAIT = 20
"""Seconds that `?wait` may hold a poll; API Gateway ends an integration after 29."""


@dataclass(frozen=True, slots=True)
class Asker:
    """By what right somebody asks: a session's token, an API key, or the open protocol
    (neither)."""

    session_id: str | None = None
    token: str | None = None
    generation: int | None = None
    principal: Principal | None = None


def token_asker(needs: Needs, token: str, *, polling: bool) -> Asker:
    """The holder of a session's token; a good API key does not mend a bad token."""
    found = needs.tokens.read_session_token(token, needs.clock(), polling=polling)
    return Asker(session_id=found.session_id, token=token, generation=found.generation)


def bare_asker(request: Request, needs: Needs) -> Asker:
    """The holder of an API key, or anybody where the operator opened the protocol."""
    if needs.settings.open_protocol and auth.api_key_of(request) is None:
        needs.observer.count("OpenProtocolUsed")
        return Asker()
    try:
        return Asker(principal=auth.require(request, needs, Scope.HOST))
    except Unauthenticated:
        needs.observer.log.warning("bare elicitation route without a valid API key")
        raise


def create(request: Request, needs: Needs, asker: Asker) -> Response:
    """201 for a new question, 200 for a replay."""
    from chalicelib.api.contracts import parse
    from chalicelib.api.contracts.elicitations import Create
    from chalicelib.usecases.create_elicitation import create_elicitation

    body = parse(Create, request.json_object())
    result = create_elicitation(
        body.question(allow_loopback_http=needs.settings.is_local),
        session_id=_session_of(body, asker, needs),
        token_generation=asker.generation,
        principal=asker.principal,
        policy=needs.policy,
        world=needs.world,
        messenger=needs.messenger,
    )
    needs.observer.facts(result.facts)
    asked = result.value
    url = _poll_url(asked.elicitation, asker, needs)
    return json_answer(201 if asked.is_new else 200, created_body(asked.elicitation, url))


def poll(request: Request, needs: Needs, request_id: str, right: Callable[[], Asker]) -> Response:
    """200 with the state; `pending` and degraded when it cannot be read, for whatever reason that
    the asker cannot mend, a defect of ours included; 401 and 404 as they are."""
    try:
        return _poll(request, needs, request_id, right())
    except TryAgain:
        return _degraded(needs)
    except ParleyError:
        raise
    except Exception:
        needs.observer.log.exception("poll failed", extra={"path": redact(request.path)})
        needs.observer.count("ServerError")
        return _degraded(needs)


def _poll(request: Request, needs: Needs, request_id: str, asker: Asker) -> Response:
    _check_bare(request_id, asker, needs)
    result = poll_elicitation(
        request_id,
        session_id=asker.session_id,
        wait=_wait(request),
        world=needs.world,
        messenger=needs.messenger,
    )
    needs.observer.facts(result.facts)
    found = result.value.elicitation
    return _degraded(needs) if found is None else json_answer(200, poll_body(found))


def _degraded(needs: Needs) -> Response:
    needs.observer.count("PollDegraded")
    return json_answer(200, DEGRADED)


def _wait(request: Request) -> float:
    """`?wait` in whole seconds, held to 0..20; anything else counts as 0: a poll never fails for
    it."""
    raw = request.query.get("wait", "0")
    return float(min(int(raw), LONGEST_WAIT)) if raw.isascii() and raw.isdigit() else 0.0


def _check_bare(request_id: str, asker: Asker, needs: Needs) -> None:
    """A host's key polls the questions of its own sessions only."""
    principal = asker.principal
    if principal is None or principal.sees_all_sessions():
        return
    found = needs.store.elicitation(request_id)
    session = needs.store.session(found.session_id) if found else None
    if session is None or not may_see(session, principal):
        raise NotFound("There is no such elicitation.")


def _session_of(body: Create, asker: Asker, needs: Needs) -> str:
    """The token decides the session; `_meta` may name the same one or none."""
    from chalicelib.api.contracts.elicitations import named_session

    named = named_session(body.meta)
    if asker.session_id is not None:
        if named not in (None, asker.session_id):
            raise Forbidden("The session token belongs to another session than _meta names.")
        return asker.session_id
    if named is None:
        needs.observer.log.warning("create without a session id: the asker's environment is wrong")
        raise NotFound("_meta names no session; set ELICITATION_SESSION_ID for the asker.")
    return named


def _poll_url(elicitation: Elicitation, asker: Asker, needs: Needs) -> str:
    path = f"/session/{asker.token}" if asker.token else ""
    return f"{needs.settings.poll_base_url}/api/v1/elicitations{path}/{elicitation.key}"
