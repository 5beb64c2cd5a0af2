"""Is the gate sound: for everybody in one word, for operators in full, for agents in a paragraph.

A gate that fails closed and silently makes agents route around it; here a server can tell at its
start "asked nobody" from "was refused".
"""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from chalice.app import Blueprint, Response

from chalicelib.api import auth
from chalicelib.api.asking import token_asker
from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.http import answer, json_answer
from chalicelib.api.paging import limit_of
from chalicelib.api.session_reads import read_shown
from chalicelib.api.views import instant
from chalicelib.domain.deadline import decide_deadline
from chalicelib.domain.errors import NotFound, TryAgain
from chalicelib.domain.gate import GateState, Health
from chalicelib.domain.gate_prompt import system_prompt_block
from chalicelib.domain.incident import Incident, gate_state
from chalicelib.domain.principal import Scope

if TYPE_CHECKING:
    from chalicelib.api.http import Request
    from chalicelib.api.needs import Needs


def gate_routes(needs: Needs) -> Blueprint:
    """Health, incidents, the system-prompt block, and the self-check of a session's token."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs)

    @routes.route("/api/v1/health", methods=["GET", "HEAD"], content_types=ANY_CONTENT_TYPE)
    @view
    def health(_request: Request) -> Response:
        return json_answer(200, {"gate": _gate(needs).health.value})

    @routes.route("/api/v1/incidents", methods=["GET"], content_types=ANY_CONTENT_TYPE)
    @view
    def incidents(request: Request) -> Response:
        auth.require(request, needs, Scope.ADMIN)
        now = needs.clock()
        found = needs.incidents.history(limit=limit_of(request))
        return json_answer(200, {"incidents": [_incident(one, now) for one in found]})

    @routes.route(
        "/api/v1/sessions/{session_id}/system-prompt",
        methods=["GET"],
        content_types=ANY_CONTENT_TYPE,
    )
    @view
    def system_prompt(request: Request, session_id: str) -> Response:
        principal = auth.require(request, needs, Scope.HOST)
        session = read_shown(session_id, principal, needs)
        block = system_prompt_block(has_mcp_servers=bool(session.mcp_servers), gate=_gate(needs))
        if "text/plain" in request.headers.get("accept", ""):
            return answer(200, block or "", "text/plain; charset=utf-8")
        return json_answer(200, {"text": block})

    @routes.route(
        "/api/v1/elicitations/session/{token}", methods=["GET"], content_types=ANY_CONTENT_TYPE
    )
    @view
    def self_check(request: Request, token: str) -> Response:
        return json_answer(200, _self_check(request, token, needs))

    return routes


def _gate(needs: Needs) -> GateState:
    """What is known of the gate; unknown rather than an error when it cannot be looked up."""
    try:
        return gate_state(needs.incidents.load(), needs.clock())
    except TryAgain:
        return GateState(health=Health.UNKNOWN)


def _incident(one: Incident, now: datetime) -> dict[str, Any]:
    told = {
        "key": one.key,
        "status": "open" if one.is_open else "over",
        "started_at": instant(one.started_at),
        "ended_at": instant(one.ended_at),
        "lasted_seconds": int(one.lasted(now).total_seconds()),
        "kind": one.last_bad.kind.value,
        "detail": one.last_bad.detail,
        "url": one.last_bad.url,
        "probes": one.probes,
        "bad_probes": one.bad_probes,
        "flaps": one.flaps,
        "paged_at": instant(one.paged_at),
        "recovery_paged_at": instant(one.recovery_paged_at),
    }
    return {name: value for name, value in told.items() if value is not None}


def _self_check(request: Request, token: str, needs: Needs) -> dict[str, Any]:
    """What the holder of a token would get if it asked now."""
    asker = token_asker(needs, token, polling=False)
    session = needs.store.session(asker.session_id or "")
    if session is None:
        raise NotFound("There is no such session.")
    now = needs.clock()
    may_ask = not session.is_ended and asker.generation == session.token_generation
    deadline = decide_deadline(None, default_minutes=needs.policy.default_minutes, now=now)
    told = {
        "session_id": session.id,
        "session_status": session.shown_status(now),
        "may": ["ask", "poll", "withdraw"] if may_ask else ["poll", "withdraw"],
        "expires_at": instant(deadline),
        "ttl_ms": (deadline - now) // timedelta(milliseconds=1),
        "now": instant(now),
        "clock_skew_seconds": _skew(_date(request), now),
        "gate": _gate(needs).health.value,
    }
    return {name: value for name, value in told.items() if value is not None}


def _date(request: Request) -> str | None:
    """The caller's `Date`, which API Gateway may pass on under another name."""
    return request.headers.get("date") or request.headers.get("x-amzn-remapped-date")


def _skew(date: str | None, now: datetime) -> int | None:
    """How far the caller's clock is ahead of ours, in whole seconds; None without a `Date`."""
    try:
        return int((parsedate_to_datetime(date) - now).total_seconds()) if date else None
    except (ValueError, TypeError):
        return None
