"""An asker asks: what is stored, what comes back, and what is refused (zimmer 8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from chalicelib.domain.principal import Scope
from tests.parley import Parley, instant, path_of, question

if TYPE_CHECKING:
    import pytest

REQUEST_ID = "com.pulsemcp/request-id"
SESSION_ID = "com.pulsemcp/session-id"
POLL_URL = "com.pulsemcp/poll-url"


def stored(parley: Parley, session_id: str) -> list[dict[str, Any]]:
    """The session's questions, as its host lists them."""
    got = parley.http("GET", f"/api/v1/sessions/{session_id}/elicitations")
    assert got.status == 200, got.text
    listed: list[dict[str, Any]] = got.json["elicitations"]
    return listed


def test_a_create_is_stored_and_answered_with_all_that_a_client_needs(parley: Parley) -> None:
    """61, 74, D2: 201, pending, ids echoed, a poll URL, and `requestId` at top level."""
    session = parley.open_session()
    body = question(meta={"com.pulsemcp/context": "Tuesday's release"})
    got = parley.http("POST", path_of(session["env"]["ELICITATION_REQUEST_URL"]), body, key=None)
    assert got.status == 201
    assert got.headers["x-parley"] == "1"
    assert got.headers["cache-control"] == "no-store"
    request_id = body["_meta"][REQUEST_ID]
    assert got.json["requestId"] == request_id
    assert got.json["action"] == "pending"
    assert got.json["_meta"][REQUEST_ID] == request_id
    assert got.json["_meta"][POLL_URL] == f"{session['env']['ELICITATION_POLL_URL']}/{request_id}"
    [row] = stored(parley, session["id"])
    assert row["tool_name"] == "deploy"
    assert row["context"] == "Tuesday's release"
    assert row["message"] == "Deploy to production?"
    [notice] = parley.run_queue("notices")
    assert notice == {"key": request_id, "kind": "needs_input"}


def test_mode_defaults_to_form_and_any_other_word_is_refused(parley: Parley) -> None:
    """5, 62."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    body = question()
    del body["mode"]
    assert parley.http("POST", path, body, key=None).status == 201
    [row] = stored(parley, session["id"])
    assert row["mode"] == "form"
    for mode in ("", "FORM", "popup", None, 3, ["form"]):
        got = parley.http("POST", path, question() | {"mode": mode}, key=None)
        assert got.status == 422, mode
        assert got.json["error"]["fields"][0]["path"] == "mode"


def test_a_create_needs_a_request_id_and_a_message(parley: Parley) -> None:
    """2, 6, 68, 69: missing, null or blank is 422 with the field's name, and nothing is stored."""
    session = parley.open_session()
    for blank in ("", "   ", "\n\t", None):
        for over, path in (
            ({"meta": {REQUEST_ID: blank}}, f"_meta.{REQUEST_ID}"),
            ({"message": blank}, "message"),
        ):
            got = parley.ask(session, **over)
            assert got.status == 422, over
            assert got.json["error"]["fields"][0]["path"] == path
    assert stored(parley, session["id"]) == []
    assert parley.session(session["id"])["status"] == "running"


def test_an_absent_request_id_is_refused(parley: Parley) -> None:
    """68."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    metas: list[Any] = [{}, None, [], "x", 3]
    for meta in metas:
        got = parley.http("POST", path, question() | {"_meta": meta}, key=None)
        assert got.status == 422, meta
    body = question()
    del body["_meta"]
    assert parley.http("POST", path, body, key=None).status == 422


def test_a_create_for_an_unknown_session_is_404(parley: Parley) -> None:
    """70, 72, 107."""
    for named in ("no-such-session", "1", "../x", "\u00e9" * 100):
        got = parley.http("POST", "/api/v1/elicitations", question(meta={SESSION_ID: named}))
        assert (got.status, got.code) == (404, "not_found")


def test_a_create_that_names_no_session_is_404_and_warned_of(
    parley: Parley, caplog: pytest.LogCaptureFixture
) -> None:
    """71: an empty session id means a broken spawn, so it is logged; an unknown one is not."""
    metas: list[dict[str, str]] = [{SESSION_ID: ""}, {SESSION_ID: "  "}, {}]
    for meta in metas:
        got = parley.http("POST", "/api/v1/elicitations", question(meta=meta))
        assert (got.status, got.code) == (404, "not_found")
        assert "ELICITATION_SESSION_ID" in got.json["error"]["message"]
    assert [record.levelname for record in caplog.records].count("WARNING") == 3
    caplog.clear()
    parley.http("POST", "/api/v1/elicitations", question(meta={SESSION_ID: "unknown"}))
    assert "WARNING" not in [record.levelname for record in caplog.records]


def test_a_replay_of_the_same_request_finds_the_first(parley: Parley) -> None:
    """3, 73, D9: an id is one question; a client that never saw the answer may ask again."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    body = question()
    first = parley.http("POST", path, body, key=None)
    parley.clock.turn(seconds=40)
    second = parley.http("POST", path, body, key=None)
    assert (first.status, second.status) == (201, 200)
    assert second.json == first.json, "the deadline of the first stands"
    assert len(stored(parley, session["id"])) == 1
    parley.run_queue("notices")
    assert len(parley.mails()) == 1
    told = [event["type"] for event in parley.events(session["id"])]
    assert told.count("elicitation.created") == 1


def test_a_replay_after_the_outcome_tells_the_outcome(parley: Parley) -> None:
    """D9."""
    session = parley.open_session()
    path = path_of(session["env"]["ELICITATION_REQUEST_URL"])
    body = question()
    request_id = parley.http("POST", path, body, key=None).json["requestId"]
    parley.respond(request_id, "decline")
    again = parley.http("POST", path, body, key=None)
    assert (again.status, again.json["action"]) == (200, "decline")
    assert parley.session(session["id"])["status"] == "running"


def test_the_same_id_with_another_body_is_refused(parley: Parley) -> None:
    """3, 73, D9: 409, and the first question stands as it was."""
    session = parley.open_session()
    first = parley.ask(session, meta={REQUEST_ID: "approve-1"})
    schema = {"type": "object", "properties": {"why": {"type": "string"}}}
    others: list[dict[str, Any]] = [
        {"message": "Something else?"},
        {"requestedSchema": schema},
        {"meta": {"com.pulsemcp/tool-name": "destroy"}},
        {"meta": {"com.pulsemcp/context": "other"}},
    ]
    for over in others:
        meta = {REQUEST_ID: "approve-1"} | over.pop("meta", {})
        got = parley.ask(session, meta=meta, **over)
        assert (got.status, got.code) == (409, "request_id_reused"), over
    [row] = stored(parley, session["id"])
    assert row["request_id"] == first.json["requestId"]
    assert row["message"] == "Deploy to production?"


ODD_IDS = [
    "1",
    "approve",
    "a.b",
    "a b/../c?d#e",
    "../../x",
    "caf\u00e9 \U0001f600",
    "00000000-0000-0000-0000-000000000000",
    "x" * 512,
    "%2e%2e",
    "line\nbreak",
]


def test_an_odd_or_guessable_id_gets_a_handle_of_ours_that_works(parley: Parley) -> None:
    """D2, D4, D12: the client puts `requestId` into a URL unencoded, and whoever guesses polls."""
    session = parley.open_session()
    for odd in ODD_IDS:
        got = parley.ask(session, meta={REQUEST_ID: odd})
        assert got.status == 201, odd
        handle = got.json["requestId"]
        assert handle != odd
        assert re.fullmatch(r"[A-Za-z0-9_-]{32,128}", handle)
        assert got.json["_meta"][REQUEST_ID] == odd
        polled = parley.poll(session, handle)
        assert (polled.status, polled.json["action"]) == (200, "pending")
        assert polled.json["_meta"][REQUEST_ID] == odd
        assert parley.ask(session, meta={REQUEST_ID: odd}).json["requestId"] == handle


def test_a_request_id_is_at_most_512_characters_long(parley: Parley) -> None:
    """D12: a 10 kB id is refused with the limit's number, not stored."""
    got = parley.ask(parley.open_session(), meta={REQUEST_ID: "x" * 10_000})
    assert (got.status, got.code) == (413, "too_large")
    assert "512" in got.json["error"]["message"]


def test_two_sessions_may_use_the_same_id(parley: Parley) -> None:
    """3: an id belongs to its session; who comes second can neither see nor block the first."""
    one, two = parley.open_session(), parley.open_session()
    body = question()
    first = parley.http("POST", path_of(one["env"]["ELICITATION_REQUEST_URL"]), body, key=None)
    path = path_of(two["env"]["ELICITATION_REQUEST_URL"])
    second = parley.http("POST", path, body | {"message": "Mine?"}, key=None)
    assert (first.status, second.status) == (201, 201)
    assert first.json["requestId"] != second.json["requestId"]
    parley.respond(second.json["requestId"], "decline")
    assert parley.poll(one, first.json["requestId"]).json["action"] == "pending"
    assert parley.poll(two, second.json["requestId"]).json["action"] == "decline"
    again = parley.http("POST", path, body | {"message": "Mine?"}, key=None)
    assert (again.status, again.json["requestId"]) == (200, second.json["requestId"])


def test_nobody_may_ask_in_a_session_that_has_ended(parley: Parley) -> None:
    """D15: upstream accepts it and wakes people for nobody; we refuse it and say why."""
    for status in ("archived", "failed"):
        session = parley.open_session()
        parley.http("PATCH", f"/api/v1/sessions/{session['id']}", {"status": status})
        got = parley.ask(session)
        assert (got.status, got.code) == (409, "session_ended")
        assert status in got.json["error"]["message"]
        assert stored(parley, session["id"]) == []
    assert parley.run_queue("notices") == []


def test_a_session_has_at_most_forty_questions_waiting(parley: Parley) -> None:
    """6 of the weaknesses: a loop in an agent cannot flood people."""
    session = parley.open_session()
    for _ in range(40):
        assert parley.ask(session).status == 201
    got = parley.ask(session)
    assert (got.status, got.code) == (409, "too_many_live")
    assert "40" in got.json["error"]["message"]


def test_a_deleted_session_cannot_be_asked_in(parley: Parley) -> None:
    """59, 126: its token finds nothing any more."""
    session = parley.open_session()
    assert parley.http("DELETE", f"/api/v1/sessions/{session['id']}").status == 204
    assert parley.ask(session).status == 404


def test_the_poll_url_in_the_answer_works_as_it_stands(parley: Parley) -> None:
    """105, 106: the token's route for a token, the bare one for a key."""
    session = parley.open_session()
    by_token = parley.ask(session).json["_meta"][POLL_URL]
    assert parley.http("GET", path_of(by_token), key=None).json["action"] == "pending"
    by_key = parley.http(
        "POST", "/api/v1/elicitations", question(meta={SESSION_ID: session["id"]})
    ).json["_meta"][POLL_URL]
    assert "/session/" not in by_key
    assert parley.http("GET", path_of(by_key)).json["action"] == "pending"


def test_a_host_asks_in_its_own_sessions_only(parley: Parley) -> None:
    """107: a foreign session is as unknown as none."""
    host = parley.new_key("another-host", Scope.HOST)
    session = parley.open_session()
    body = question(meta={SESSION_ID: session["id"]})
    assert parley.http("POST", "/api/v1/elicitations", body, key=host).status == 404
    assert parley.http("POST", "/api/v1/elicitations", body).status == 201


def test_the_answer_to_a_create_names_the_effective_deadline(parley: Parley) -> None:
    """63 and 4 of the expiry notes: a clamped wish is told, so a client could know."""
    got = parley.ask(
        parley.open_session(), meta={"com.pulsemcp/expires-at": "2001-01-01T00:00:00Z"}
    )
    told = instant(got.json["_meta"]["com.pulsemcp/expires-at"])
    assert (told - parley.clock.now).total_seconds() == 60
