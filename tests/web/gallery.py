"""Every page in every state, with a stranger's text wherever a stranger can put some."""

from __future__ import annotations

from typing import Any

from chalicelib.domain.cards import CardStatus
from chalicelib.domain.elicitation import Elicitation, Status
from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema import derive_fields
from chalicelib.domain.lost import LostReason
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.urls import ElicitationUrl
from chalicelib.web.answer import answer_page
from chalicelib.web.asker import Asker
from chalicelib.web.batch import DeclineResult, decline_results_page, decline_review_page
from chalicelib.web.inbox import Inbox, inbox_page
from chalicelib.web.messages import error_page, signed_out_page, unknown_link_page
from chalicelib.web.outcome import outcome_page
from chalicelib.web.page import Page
from chalicelib.web.secret import (
    secret_done_page,
    secret_gone_page,
    secret_page,
    secret_refused_page,
)
from chalicelib.web.sessions import SessionView, session_page
from chalicelib.web.sign_in import SignInProblem, sign_in_page
from chalicelib.web.url_card import card_outcome_page, url_page
from chalicelib.web.viewer import Viewer
from chalicelib.web.waiting import Query, Waiting, waiting_card, waiting_elicitation
from tests.web.samples import (
    BY_LINK,
    CONFIRM,
    MINUTE,
    NOW,
    WHOLE,
    card,
    elicitation,
    lost,
    session,
)


def gallery(text: str = "Plain words", base_path: str = "") -> dict[str, Page]:
    """All pages by name."""
    return {
        **_questions(text, base_path),
        **_outcomes(text, base_path),
        **_lists(text, base_path),
        **_signing_in(base_path),
        **_secrets(text, base_path),
    }


def _asked(text: str, **over: Any) -> Elicitation:
    return elicitation(message=f"{text}\nand more", tool_name=text, context=text, **over)


def _questions(text: str, base: str) -> dict[str, Page]:
    leaf = {
        "type": "string",
        "title": text,
        "description": text,
        "oneOf": [{"const": text, "title": f"{text}!"}, {"const": "b", "title": text}],
    }
    hostile = derive_fields(
        {
            "properties": {
                text: leaf,
                "free": {"type": "string", "title": text, "default": text, "pattern": text},
                "many": {"type": "array", "items": {"enum": [text, "b"]}, "title": text},
                "long": {"type": "string", "enum": [text, *"abcdefgh"], "title": text},
            }
        }
    )
    whole = derive_fields(WHOLE)
    problems = [
        FieldProblem("replicas", "Must be a whole number, in digits."),
        FieldProblem("zone", "Is required."),
        FieldProblem("regions", f"Odd: {text}"),
        FieldProblem("environment", "Is required."),
        FieldProblem("elsewhere", f"Is not a field of this form: {text}"),
    ]

    def page(fields: Any, **over: Any) -> Page:
        given: dict[str, Any] = {"session_title": text, "now": NOW, "base_path": base}
        given |= {"action_path": f"{base}/a/token", "fields": fields}
        asked = over.pop("asked", _asked(text))
        return answer_page(asked, **(given | over))

    asker = Asker(tool=text, server=text, session=text, context=text, asked_at=NOW)
    url = ElicitationUrl(
        "https://xn--pypal-4ve.example/login?next=%2F&state=0f4ad0e4b1c24b0c8f7f",
        "xn--pypal-4ve.example",
        True,
        "https://xn--pypal-4ve.example:443",
    )
    return {
        "answer": page(whole),
        "answer-hostile": page(hostile),
        "answer-errors": page(
            whole, values={"f0": ["prod"], "f1": [text], "f7": [text]}, problems=problems
        ),
        "answer-confirm": page(derive_fields(CONFIRM)),
        "answer-empty": page((), asked=elicitation(tool_name=None, context=None)),
        "answer-closing": page(whole, asked=_asked(text, expires_at=NOW + MINUTE / 10)),
        "url": url_page(
            url,
            message=text,
            asker=asker,
            expires_at=NOW + 5 * MINUTE,
            now=NOW,
            action_path=f"{base}/a/token",
            base_path=base,
        ),
    }


def _outcomes(text: str, base: str) -> dict[str, Page]:
    fields = derive_fields(WHOLE)
    accepted = {"environment": "prod", "note": f"{text}\n{text}", "regions": ["eu"], text: text}

    def page(*, just_now: bool = False, refused: bool = False, **over: Any) -> Page:
        asked = _asked(text, **({"answered_at": NOW, "answered_by": BY_LINK} | over))
        return outcome_page(
            asked,
            fields=fields,
            session_title=text,
            now=NOW,
            status_path=f"{base}/a/token/status",
            base_path=base,
            just_now=just_now,
            refused=refused,
        )

    accept: dict[str, Any] = {"status": Status.ACCEPT, "content": accepted}
    by_mcp = Actor(text, Channel.MCP)
    return {
        "just-accepted": page(just_now=True, **accept, last_seen_at=NOW),
        "just-accepted-read": page(just_now=True, **accept, receipt_at=NOW),
        "just-accepted-gone": page(just_now=True, **accept, created_at=NOW - 9 * MINUTE),
        "just-declined": page(just_now=True, status=Status.DECLINE),
        "just-dismissed": page(just_now=True, status=Status.CANCEL),
        "already-answered": page(**accept, answered_by=by_mcp),
        "answered-first": page(refused=True, status=Status.DECLINE, answered_by=by_mcp),
        "expired": page(status=Status.EXPIRED, answered_by=None, expires_at=NOW),
        "expired-refused": page(
            refused=True, status=Status.EXPIRED, answered_by=None, expires_at=NOW
        ),
        "withdrawn": page(
            status=Status.CANCEL, reason=text, answered_by=Actor(text, Channel.ASKER)
        ),
        "card-accepted": card_outcome_page(
            card(status=CardStatus.ACCEPT, message=text, server=text, tool=text),
            session_title=text,
            base_path=base,
            just_now=True,
        ),
        "card-timeout": card_outcome_page(
            card(status=CardStatus.TIMEOUT, message=text), session_title=None, base_path=base
        ),
        "unknown-link": unknown_link_page(base_path=base),
        "error": error_page(
            503, title="Try again in a moment", text=text, base_path=base, retry_after=5
        ),
    }


def some_waiting(text: str, base: str = "") -> list[Waiting]:
    """A question, a link to another site and a card."""
    return [
        waiting_elicitation(
            _asked(text, key=f"key-{n}", session_id=f"session_{n}"),
            session_title=text if n else None,
            path=f"{base}/a/token-{n}",
        )
        for n in range(2)
    ] + [
        waiting_card(
            card(message=text, server=text, tool=text),
            session_title=text,
            path=f"{base}/cards/url_elicitation_1",
        )
    ]


def some_inbox(text: str, base: str = "", **over: Any) -> Inbox:
    """An inbox with questions, a session that needs input and two that lost one."""
    given: dict[str, Any] = {
        "waiting": some_waiting(text, base),
        "sessions": [
            session(title=text, live={"key-0": NOW + MINUTE}),
            session(id="s2", title=text, lost=lost(LostReason.EXPIRED, summary=text)),
            session(id="s3", title=None, lost=lost(LostReason.STRANDED, summary=text)),
        ],
        "query": Query(),
        "viewer": Viewer(name=text, csrf="csrf-token"),
        "now": NOW,
        "base_path": base,
    }
    return Inbox(**(given | over))


def some_session(text: str, base: str = "", **over: Any) -> SessionView:
    """A session with a question that waits, past ones and a journal."""
    given: dict[str, Any] = {
        "session": session(
            title=text,
            agent_id=text,
            live={"key-0": NOW + MINUTE},
            lost=lost(LostReason.EXPIRED, summary=text),
        ),
        "waiting": some_waiting(text, base)[:1],
        "past": [
            _asked(text, status=Status.ACCEPT, answered_at=NOW, answered_by=BY_LINK),
            _asked(text, status=Status.EXPIRED, expires_at=NOW),
            _asked(text, status=Status.CANCEL, reason=text, answered_at=NOW, answered_by=BY_LINK),
        ],
        "journal": [
            {"version": 2, "type": text, "at": NOW, "data": {text: text}},
            {"version": 1, "type": "session.opened", "at": NOW, "data": {}},
        ],
        "viewer": Viewer(name=text, csrf="csrf-token"),
        "now": NOW,
        "base_path": base,
        "earlier_path": f"{base}/sessions/session_1?before=1",
        "later_path": f"{base}/sessions/session_1?before=9",
    }
    return SessionView(**(given | over))


def _lists(text: str, base: str) -> dict[str, Page]:
    viewer = Viewer(name=text, csrf="csrf-token")
    waiting = some_waiting(text, base)
    results = [
        DeclineResult(one=waiting[0], is_declined=True, told="Declined"),
        DeclineResult(one=waiting[1], is_declined=False, told=f"Not declined: {text}"),
    ]
    nothing: dict[str, Any] = {"waiting": [], "sessions": []}
    return {
        "inbox": inbox_page(some_inbox(text, base)),
        "inbox-filtered": inbox_page(
            some_inbox(text, base, query=Query(text=f"{text} nowhere", tool=text))
        ),
        "inbox-reader": inbox_page(some_inbox(text, base, may_answer=False, is_cut=True)),
        "inbox-empty": inbox_page(some_inbox(text, base, **nothing)),
        "session": session_page(some_session(text, base)),
        "session-empty": session_page(
            some_session(text, base, session=session(), waiting=[], past=[], journal=[])
        ),
        "decline-review": decline_review_page(
            chosen=waiting[:2], gone=1, viewer=viewer, now=NOW, base_path=base
        ),
        "decline-nothing": decline_review_page(chosen=[], viewer=viewer, now=NOW, base_path=base),
        "decline-results": decline_results_page(results=results, viewer=viewer, base_path=base),
    }


def _signing_in(base: str) -> dict[str, Page]:
    return {
        "sign-in": sign_in_page(csrf="csrf-token", base_path=base, next_path="/sessions/s"),
        "sign-in-wrong": sign_in_page(
            csrf="csrf-token", base_path=base, problem=SignInProblem.WRONG_KEY
        ),
        "sign-in-often": sign_in_page(
            csrf="csrf-token",
            base_path=base,
            problem=SignInProblem.TOO_MANY_TRIES,
            retry_after=90,
        ),
        "signed-out": signed_out_page(base_path=base),
    }


def _secrets(text: str, base: str) -> dict[str, Page]:
    viewer = Viewer(name=text, csrf="csrf-token")

    def page(problem: str | None = None) -> Page:
        return secret_page(
            name=text,
            session_title=text,
            replaces=True,
            expires_at=NOW + 10 * MINUTE,
            now=NOW,
            action_path=f"{base}/secrets/token",
            base_path=base,
            viewer=viewer,
            problem=problem,
        )

    return {
        "secret": page(),
        "secret-problem": page("A value is needed."),
        "secret-done": secret_done_page(name=text, stored=True, base_path=base, viewer=viewer),
        "secret-refused": secret_refused_page(base_path=base, viewer=viewer),
        "secret-gone": secret_gone_page(used=False, base_path=base),
    }
