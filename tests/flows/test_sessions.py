"""A session says `needs_input` exactly while a person is needed (zimmer 41-60; issue 3)."""

from __future__ import annotations

from typing import Any

from chalicelib.domain.principal import Scope
from tests.parley import Parley


def asked(parley: Parley, session: dict[str, Any], **over: Any) -> str:
    """Ask in the session; the question's id."""
    got = parley.ask(session, **over)
    assert got.status == 201, got.text
    request_id: str = got.json["requestId"]
    return request_id


def told(parley: Parley, session: dict[str, Any]) -> list[str]:
    """The types of the session's journal, which must be numbered without a gap."""
    events = parley.events(session["id"])
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    return [event["type"] for event in events]


def patch(parley: Parley, session: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Change the session as its host; the session after it."""
    got = parley.http("PATCH", f"/api/v1/sessions/{session['id']}", fields)
    assert got.status == 200, got.text
    body: dict[str, Any] = got.json
    return body


def test_a_question_makes_its_session_need_input_and_the_answer_frees_it(parley: Parley) -> None:
    """41, 43, 44, 47, 48, 75: for every answer; the host's own word stays as it was."""
    session = parley.open_session()
    assert parley.session(session["id"])["status"] == "running"
    for action, content in (("accept", {"confirm": True}), ("decline", None), ("cancel", None)):
        request_id = asked(parley, session)
        shown = parley.session(session["id"])
        assert (shown["status"], shown["needs_input"]) == ("needs_input", True)
        assert (shown["host_status"], shown["live"]) == ("running", [request_id])
        parley.respond(request_id, action, content)
        shown = parley.session(session["id"])
        assert (shown["status"], shown["needs_input"], shown["live"]) == ("running", False, [])
        assert "lost" not in shown
    assert told(parley, session) == ["session.opened"] + 3 * [
        "elicitation.created",
        "session.needs_input",
        "elicitation.answered",
        "session.running",
    ]


def test_of_two_questions_the_last_outcome_frees_the_session(parley: Parley) -> None:
    """54: in either order, and whatever the outcomes are."""
    session = parley.open_session()
    for first in (0, 1):
        both = [asked(parley, session), asked(parley, session)]
        parley.respond(both[first], "decline")
        shown = parley.session(session["id"])
        assert (shown["status"], shown["live"]) == ("needs_input", [both[1 - first]])
        parley.respond(both[1 - first], "accept", {"confirm": True})
        assert parley.session(session["id"])["status"] == "running"
    assert told(parley, session).count("session.needs_input") == 2


def test_one_of_two_expiring_leaves_the_session_waiting(parley: Parley) -> None:
    """49."""
    session = parley.open_session()
    soon = {"com.pulsemcp/expires-at": parley.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")}
    short, long = asked(parley, session, meta=soon), asked(parley, session)
    parley.clock.turn(minutes=2)
    assert parley.poll(session, short).json["action"] == "expired"
    shown = parley.session(session["id"])
    assert (shown["status"], shown["live"]) == ("needs_input", [long])
    assert "lost" not in shown


def test_a_passed_deadline_shows_at_once_without_any_sweep(parley: Parley) -> None:
    """45: reading the session records what is overdue first; nothing shown is stale."""
    session = parley.open_session()
    request_id = asked(parley, session)
    parley.clock.turn(minutes=58)
    parley.poll(session, request_id)
    parley.clock.turn(minutes=2)
    shown = parley.session(session["id"])
    assert (shown["status"], shown["lost"]["reason"]) == ("running", "expired")
    listed = parley.http("GET", f"/api/v1/sessions/{session['id']}/elicitations").json
    assert listed["elicitations"][0]["status"] == "expired"


def test_an_idle_session_needs_input_while_a_question_waits_and_is_idle_after(
    parley: Parley,
) -> None:
    """55, 56, differently on purpose: ours is computed; answering resumes nothing."""
    session = parley.open_session()
    assert patch(parley, session, status="idle")["status"] == "idle"
    request_id = asked(parley, session)
    assert parley.session(session["id"])["status"] == "needs_input"
    parley.respond(request_id, "decline")
    assert parley.session(session["id"])["status"] == "idle"


def test_ending_a_session_withdraws_its_questions(parley: Parley) -> None:
    """16 of the weaknesses: nobody waits for them any more, and their askers are told."""
    for status in ("archived", "failed"):
        session = parley.open_session()
        both = [asked(parley, session), asked(parley, session)]
        shown = patch(parley, session, status=status)
        assert (shown["status"], shown["live"]) == (status, [])
        for request_id in both:
            polled = parley.poll(session, request_id).json
            assert polled["action"] == "cancel"
            assert polled["_meta"]["com.parley/reason"] == f"session {status}"
            assert parley.respond(request_id, "accept", {"confirm": True}).status == 410
        assert "lost" not in parley.session(session["id"])
        assert told(parley, session).count("elicitation.withdrawn") == 2


def test_deleting_a_session_withdraws_its_questions_and_leaves_no_journal(parley: Parley) -> None:
    """59, 60: the session and all that it kept are gone; a waiting asker is told `cancel`."""
    session = parley.open_session()
    request_id = asked(parley, session)
    path = f"/api/v1/sessions/{session['id']}"
    assert parley.http("DELETE", path).status == 204
    assert parley.http("GET", path).status == 404
    assert parley.http("GET", f"{path}/events").status == 404
    assert parley.http("DELETE", path).status == 404
    assert parley.poll(session, request_id).json["action"] == "cancel"
    again = parley.http("POST", "/api/v1/sessions", {"id": session["id"]})
    assert again.status == 201
    assert told(parley, again.json) == ["session.opened"]


def test_opening_with_an_id_can_be_repeated(parley: Parley) -> None:
    """Issue 3, 1: a host that lost the answer gets the same session; another host gets nothing."""
    body = {"id": "nightly-7", "title": "Nightly", "agent_id": "a1", "metadata": {"n": 1}}
    first = parley.http("POST", "/api/v1/sessions", body)
    again = parley.http("POST", "/api/v1/sessions", body)
    assert (first.status, again.status) == (201, 200)
    assert again.json["id"] == "nightly-7"
    assert again.json["metadata"] == {"n": 1}
    assert told(parley, first.json) == ["session.opened"]
    other = parley.new_key("other", Scope.HOST)
    assert parley.http("POST", "/api/v1/sessions", body, key=other).status == 404


def test_patches_merge_and_a_repeated_one_changes_nothing(parley: Parley) -> None:
    """14 of the weaknesses: keys of `metadata` and `hints` are changed one by one."""
    session = parley.open_session(title="Old", metadata={"a": 1, "b": {"c": 2}}, hints={"h": True})
    shown = patch(parley, session, metadata={"b": None, "d": [3]}, title="New")
    assert (shown["metadata"], shown["title"]) == ({"a": 1, "d": [3]}, "New")
    assert shown["hints"] == {"h": True}
    version = shown["version"]
    assert patch(parley, session, title="New", metadata={"a": 1})["version"] == version
    assert patch(parley, session)["version"] == version
    assert "title" not in patch(parley, session, title="")


def test_only_the_hosts_own_words_are_a_status(parley: Parley) -> None:
    session = parley.open_session()
    for word in ("needs_input", "waiting", "RUNNING", "", 3):
        got = parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": word})
        assert (got.status, got.json["error"]["fields"][0]["path"]) == (422, "status"), word


def test_a_foreign_session_is_as_unknown_as_none(parley: Parley) -> None:
    """Issue 3, 1: on every route, to the byte."""
    session = parley.open_session()
    other = parley.new_key("other", Scope.HOST)
    one = f"/api/v1/sessions/{session['id']}"
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/env", None),
        ("GET", "/events", None),
        ("GET", "/elicitations", None),
        ("PATCH", "", {"title": "x"}),
        ("POST", "/resume", None),
        ("POST", "/token", None),
        ("DELETE", "", None),
    ):
        foreign = parley.http(method, one + path, body, key=other)
        unknown = parley.http(method, f"/api/v1/sessions/nope{path}", body, key=other)
        assert (foreign.status, foreign.text) == (404, unknown.text), (method, path)
    assert parley.session(session["id"])["version"] == 1


def test_readers_see_every_session_and_change_none(parley: Parley) -> None:
    session = parley.open_session()
    one = f"/api/v1/sessions/{session['id']}"
    for scope in (Scope.READ, Scope.ANSWER):
        key = parley.new_key(scope.value, scope)
        assert parley.http("GET", one, key=key).status == 200
        assert parley.http("GET", f"{one}/events", key=key).status == 200
        assert parley.http("PATCH", one, {"title": "x"}, key=key).status == 403
        assert parley.http("GET", f"{one}/env", key=key).status == 403
        assert parley.http("DELETE", one, key=key).status == 403


def test_sessions_are_listed_newest_first_by_status_in_pages(parley: Parley) -> None:
    """Issue 3, 1: each exactly once, whatever the page size; a host sees its own."""
    opened = []
    for number in range(7):
        parley.clock.turn(seconds=1)
        opened.append(parley.open_session(title=str(number)))
    waiting = [opened[index] for index in (1, 4)]
    for session in waiting:
        asked(parley, session)

    def listed(query: str, size: int, key: str = "default") -> list[str]:
        ids: list[str] = []
        after = ""
        while True:
            got = parley.http("GET", f"/api/v1/sessions?limit={size}{query}{after}", key=key)
            assert got.status == 200, got.text
            ids += [session["id"] for session in got.json["sessions"]]
            if "next" not in got.json:
                return ids
            after = f"&after={got.json['next']}"

    newest_first = [session["id"] for session in reversed(opened)]
    for size in (1, 3, 7, 100):
        assert listed("", size) == newest_first
        assert listed("&status=needs_input", size) == [waiting[1]["id"], waiting[0]["id"]]
    assert len(listed("&status=running", 2)) == 5
    assert listed("", 3, parley.new_key("other", Scope.HOST)) == []


def test_the_journal_is_read_in_pages_after_a_number(parley: Parley) -> None:
    session = parley.open_session()
    for _ in range(4):
        parley.respond(asked(parley, session), "decline")
    whole = parley.events(session["id"])
    assert len(whole) == 17
    path = f"/api/v1/sessions/{session['id']}/events"
    pages, after = [], 0
    while True:
        got = parley.http("GET", f"{path}?limit=5&after={after}").json
        pages += got["events"]
        if "next" not in got:
            break
        after = got["next"]
    assert pages == whole
    assert parley.http("GET", f"{path}?after_sequence=16").json["events"] == whole[-1:]
    for beyond in (17, 999_999_999_999):
        assert parley.http("GET", f"{path}?after={beyond}").json["events"] == []


def test_the_five_variables_lead_an_asker_here(parley: Parley) -> None:
    """112-120, 199: exactly these, in order; the poll URL is the request URL; never ENABLED."""
    service = parley.configured(
        ELICITATION_EXPIRATION_MINUTES="90", PARLEY_BASE_URL="https://parley.example/api/"
    )
    session = service.open_session()
    env = session["env"]
    assert list(env) == [
        "ELICITATION_REQUEST_URL",
        "ELICITATION_POLL_URL",
        "ELICITATION_PREFER_HTTP_FALLBACK",
        "ELICITATION_TTL_MS",
        "ELICITATION_SESSION_ID",
    ]
    base = "https://parley.example/api/api/v1/elicitations/session/"
    assert env["ELICITATION_REQUEST_URL"].startswith(base)
    assert env["ELICITATION_POLL_URL"] == env["ELICITATION_REQUEST_URL"]
    assert env["ELICITATION_PREFER_HTTP_FALLBACK"] == "true"
    assert env["ELICITATION_TTL_MS"] == str(90 * 60 * 1000)
    assert env["ELICITATION_SESSION_ID"] == session["id"]
    path = f"/api/v1/sessions/{session['id']}/env"
    assert list(service.http("GET", path).json["env"]) == list(env)
    lines = service.http("GET", path, headers={"accept": "text/plain"}).text.splitlines()
    assert [line.partition("=")[0] for line in lines] == list(env)
    assert "'" not in "".join(lines)
    assert '"' not in "".join(lines)


def test_a_poll_base_of_its_own_is_in_the_poll_url_only(parley: Parley) -> None:
    """Design 4: the poll plane."""
    env = parley.configured(PARLEY_POLL_BASE_URL="https://poll.example").open_session()["env"]
    assert env["ELICITATION_POLL_URL"].startswith("https://poll.example/api/v1/")
    assert env["ELICITATION_REQUEST_URL"].startswith("http://localhost:8000/api/v1/")


def test_the_journal_never_tells_content_or_messages(parley: Parley) -> None:
    """7 of the weaknesses: ids and words only."""
    session = parley.open_session()
    request_id = asked(parley, session, message="the secret plan")
    parley.respond(request_id, "accept", {"confirm": True})
    text = str(parley.events(session["id"]))
    assert "secret plan" not in text
    assert "confirm" not in text
