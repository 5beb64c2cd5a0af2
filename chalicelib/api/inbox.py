"""The inbox and the session page, for signed-in people; whoever is not is sent to sign in first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from chalice.app import Blueprint, Response

from chalicelib.api.endpoint import ANY_CONTENT_TYPE, endpoint
from chalicelib.api.pages import PAGE, base_path_of, errors_as_pages, redirect, send
from chalicelib.api.paging import number_of
from chalicelib.api.session_reads import read_shown
from chalicelib.api.signed_in import Visitor, check_post, visitor
from chalicelib.domain.elicitation import Action
from chalicelib.domain.errors import Forbidden, ParleyError
from chalicelib.domain.principal import Actor, Channel, Scope
from chalicelib.usecases.answer_elicitation import answer_elicitation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from chalicelib.api.http import Request
    from chalicelib.api.needs import Needs
    from chalicelib.domain.elicitation import Elicitation
    from chalicelib.domain.session import Session
    from chalicelib.web.batch import DeclineResult
    from chalicelib.web.inbox import Inbox
    from chalicelib.web.sessions import SessionView
    from chalicelib.web.waiting import Waiting

MOST_LIVE: Final = 1_000
MOST_SESSIONS: Final = 100
MOST_PAST: Final = 50
JOURNAL_PAGE: Final = 50
MOST_CHOSEN: Final = 100


def inbox_routes(needs: Needs) -> Blueprint:
    """`/`, `/inbox/decline` and `/sessions/{session_id}`."""
    routes = Blueprint(__name__)
    view = endpoint(routes, needs, errors_as_pages(needs))

    @routes.route("/", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @view
    def inbox(request: Request) -> Response:
        return _signed_in(request, needs, lambda who: _inbox(request, who, needs))

    @routes.route("/inbox/decline", methods=["POST"], content_types=ANY_CONTENT_TYPE)
    @view
    def decline(request: Request) -> Response:
        return _signed_in(request, needs, lambda who: _decline(request, who, needs))

    @routes.route("/sessions/{session_id}", methods=PAGE, content_types=ANY_CONTENT_TYPE)
    @view
    def session(request: Request, session_id: str) -> Response:
        return _signed_in(request, needs, lambda who: _session(request, session_id, who, needs))

    return routes


def _signed_in(request: Request, needs: Needs, show: Callable[[Visitor], Response]) -> Response:
    who = visitor(request, needs)
    if who is not None:
        return show(who)
    wanted = request.path if request.method in PAGE else "/"
    return redirect(f"{base_path_of(needs)}/sign-in?next={quote(wanted, safe='/')}")


def _inbox(request: Request, who: Visitor, needs: Needs) -> Response:
    """A host signs in to type a secret; what waits for everybody is not theirs to read."""
    from chalicelib.web.fragments import unless_known
    from chalicelib.web.inbox import inbox_fragment, inbox_page

    if not who.principal.sees_all_sessions():
        raise Forbidden("This key does not open the inbox; it takes one with answer or read.")
    shown = _inbox_of(request, who, needs)
    if "fragment" not in request.query:
        return send(inbox_page(shown))
    return send(unless_known(inbox_fragment(shown), request.headers.get("if-none-match")))


def _inbox_of(request: Request, who: Visitor, needs: Needs) -> Inbox:
    from chalicelib.web.inbox import Inbox
    from chalicelib.web.waiting import query_from

    now = needs.clock()
    live = [row for row in needs.lists.live(limit=MOST_LIVE + 1) if row.is_live(now)]
    recent = needs.lists.sessions(owner=None, limit=MOST_SESSIONS, after=None).sessions
    titles = _titles(live, recent, needs)
    return Inbox(
        waiting=[_waiting(row, titles.get(row.session_id), needs) for row in live[:MOST_LIVE]],
        sessions=[session for session in recent if session.needs_input(now) or session.lost],
        query=query_from(request.query),
        viewer=who.viewer(needs),
        now=now,
        base_path=base_path_of(needs),
        may_answer=who.principal.may(Scope.ANSWER),
        is_cut=len(live) > MOST_LIVE,
    )


def _titles(
    live: Sequence[Elicitation], known: Sequence[Session], needs: Needs
) -> dict[str, str | None]:
    titles = {session.id: session.title for session in known}
    missing = {row.session_id for row in live} - titles.keys()
    more = needs.store.sessions(sorted(missing)) if missing else []
    return titles | {session.id: session.title for session in more}


def _waiting(row: Elicitation, title: str | None, needs: Needs) -> Waiting:
    from chalicelib.web.waiting import waiting_elicitation

    path = f"{base_path_of(needs)}/a/{needs.tokens.link(row.key, row.expires_at)}"
    return waiting_elicitation(row, session_title=title, path=path)


def _decline(request: Request, who: Visitor, needs: Needs) -> Response:
    from chalicelib.web.batch import decline_results_page, decline_review_page

    form = request.form()
    check_post(request, form, who, needs)
    if not who.principal.may(Scope.ANSWER):
        raise Forbidden("This key may look, but not answer.")
    rows, gone = _chosen(form, needs)
    titles = _titles(rows, (), needs)
    waiting = {row.key: _waiting(row, titles.get(row.session_id), needs) for row in rows}
    if form.get("confirmed") != ["yes"]:
        page = decline_review_page(
            chosen=list(waiting.values()),
            gone=gone,
            viewer=who.viewer(needs),
            now=needs.clock(),
            base_path=base_path_of(needs),
        )
        return send(page)
    results = [_decline_one(row, waiting[row.key], who, needs) for row in rows]
    return send(
        decline_results_page(
            results=results, viewer=who.viewer(needs), base_path=base_path_of(needs)
        )
    )


def _chosen(form: Mapping[str, Sequence[str]], needs: Needs) -> tuple[list[Elicitation], int]:
    """The chosen questions; in the review, those that are gone are only counted."""
    keys = list(dict.fromkeys(form.get("key", ())))[:MOST_CHOSEN]
    rows = needs.store.elicitations(keys) if keys else []
    if form.get("confirmed") == ["yes"]:
        return rows, 0
    live = [row for row in rows if row.is_live(needs.clock())]
    return live, len(keys) - len(live)


def _decline_one(row: Elicitation, one: Waiting, who: Visitor, needs: Needs) -> DeclineResult:
    from chalicelib.web.batch import DeclineResult

    try:
        result = answer_elicitation(
            row.key,
            action=Action.DECLINE,
            content=None,
            actor=Actor(who.principal.name, Channel.INBOX),
            world=needs.world,
            messenger=needs.messenger,
        )
    except ParleyError as error:
        return DeclineResult(one=one, is_declined=False, told=error.message)
    needs.observer.facts(result.facts)
    return DeclineResult(one=one, is_declined=True, told="Declined")


def _session(request: Request, session_id: str, who: Visitor, needs: Needs) -> Response:
    from chalicelib.web.fragments import unless_known
    from chalicelib.web.sessions import session_fragment, session_page

    shown = _session_view(request, session_id, who, needs)
    if "fragment" not in request.query:
        return send(session_page(shown))
    return send(unless_known(session_fragment(shown), request.headers.get("if-none-match")))


def _session_view(request: Request, session_id: str, who: Visitor, needs: Needs) -> SessionView:
    """The newest journal entries first; `before` pages back."""
    from chalicelib.web.sessions import SessionView

    session = read_shown(session_id, who.principal, needs)
    now = needs.clock()
    end = number_of(request, "before", default=session.version + 1)
    start = max(end - 1 - JOURNAL_PAGE, 0)
    numbered = needs.store.events(session_id, after=start, limit=max(end - 1 - start, 1))
    journal = [
        {"version": n.version, "type": n.event.type, "at": n.event.at, "data": n.event.data}
        for n in reversed(numbered)
        if n.version < end
    ]
    rows = needs.store.elicitations(session.live_keys(now)) if session.live else []
    path = f"{base_path_of(needs)}/sessions/{session_id}"
    return SessionView(
        session=session,
        waiting=[_waiting(row, session.title, needs) for row in rows],
        past=needs.lists.of_session(session_id, limit=MOST_PAST),
        journal=journal,
        viewer=who.viewer(needs),
        now=now,
        base_path=base_path_of(needs),
        later_path=f"{path}?before={end + JOURNAL_PAGE}" if end <= session.version else None,
        earlier_path=f"{path}?before={start + 1}" if start > 0 else None,
    )
