"""Pages through HTTP: the link, the inbox, the visit."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from chalicelib.domain.principal import Scope
from tests.parley import Answer, Parley, path_of

FORM = {"content-type": "application/x-www-form-urlencoded"}


def post(parley: Parley, path: str, cookie: str = "", **fields: str) -> Answer:
    headers = FORM | ({"cookie": cookie} if cookie else {})
    return parley.http("POST", path, raw=urlencode(fields).encode(), headers=headers, key=None)


def get(parley: Parley, path: str, cookie: str = "") -> Answer:
    headers = {"cookie": cookie} if cookie else {}
    return parley.http("GET", path, headers=headers, key=None)


def csrf_of(page: Answer) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def link_of(parley: Parley) -> str:
    parley.run_queue("notices")
    return path_of(parley.mails()[-1]["link"])


def sign_in(parley: Parley, key: str | None = None) -> str:
    """A signed-in visit's cookie."""
    form = get(parley, "/sign-in")
    answer = post(parley, "/sign-in", key=key or parley.key, csrf=csrf_of(form), next="/")
    assert answer.status == 303, answer.text
    return answer.headers["set-cookie"].partition(";")[0]


def test_reading_a_link_changes_nothing(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    link = link_of(parley)
    before = parley.events(session["id"])
    for method in ("GET", "HEAD", "GET"):
        assert parley.http(method, link, key=None).status == 200
    assert parley.events(session["id"]) == before
    assert parley.poll(session, request_id).json["action"] == "pending"


def test_a_link_answers_once_and_then_tells_what_happened(parley: Parley) -> None:
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    link = link_of(parley)
    assert post(parley, link, action="accept", f0="true").status == 200
    again = post(parley, link, action="decline")
    assert again.status == 409
    assert get(parley, link).status == 200
    polled = parley.poll(session, request_id).json
    assert polled["action"] == "accept"
    assert polled["content"] == {"confirm": True}
    assert get(parley, f"{link}/status").json["state"] == "read"


def test_what_was_typed_stays_when_an_answer_does_not_fit(parley: Parley) -> None:
    session = parley.open_session()
    fields = {"age": {"type": "integer"}, "name": {"type": "string"}}
    schema = {"type": "object", "properties": fields}
    parley.ask(session, requestedSchema=schema)
    link = link_of(parley)
    page = post(parley, link, action="accept", f0="twelve", f1="Ada <b>")
    assert page.status == 422
    assert 'value="twelve"' in page.text
    assert "Ada &lt;b&gt;" in page.text


@pytest.mark.parametrize("link", ["/a/x", "/a/WyJhIiwxXQ.AAAA", "/a/" + "x" * 3000])
def test_a_broken_link_has_its_own_page(parley: Parley, link: str) -> None:
    for method in ("GET", "POST"):
        answer = parley.http(method, link, key=None, headers=FORM, raw=b"action=accept")
        assert answer.status == 404
        assert answer.headers["content-type"].startswith("text/html")


def test_an_expired_and_a_withdrawn_question_say_so_on_their_links(parley: Parley) -> None:
    session = parley.open_session()
    late = parley.ask(session).json["requestId"]
    late_link = link_of(parley)
    taken = parley.ask(session).json["requestId"]
    taken_link = link_of(parley)
    path = path_of(session["env"]["ELICITATION_POLL_URL"])
    assert parley.http("DELETE", f"{path}/{taken}", key=None).status == 200
    assert post(parley, taken_link, action="accept", f0="true").status == 410
    parley.clock.turn(hours=2)
    assert post(parley, late_link, action="accept", f0="true").status == 410
    assert parley.poll(session, late).json["action"] == "expired"
    assert "text/html" in get(parley, late_link).headers["content-type"]


def test_the_inbox_needs_a_visit(parley: Parley) -> None:
    for path in ("/", "/sessions/whatever"):
        answer = get(parley, path)
        assert answer.status == 303
        assert answer.headers["location"].startswith("/sign-in?next=/")


def test_a_signed_in_person_sees_what_waits_and_declines_some(parley: Parley) -> None:
    session = parley.open_session(title="Night shift")
    kept = parley.ask(session, message="Keep me").json["requestId"]
    gone = parley.ask(session, message="Decline me").json["requestId"]
    cookie = sign_in(parley)
    inbox = get(parley, "/", cookie)
    assert inbox.status == 200
    assert "Keep me" in inbox.text
    assert "Night shift" in inbox.text
    review = post(parley, "/inbox/decline", cookie, key=gone, csrf=csrf_of(inbox))
    assert "Decline me" in review.text
    assert parley.poll(session, gone).json["action"] == "pending"
    done = post(parley, "/inbox/decline", cookie, key=gone, confirmed="yes", csrf=csrf_of(review))
    assert "Declined" in done.text
    assert parley.poll(session, gone).json["action"] == "decline"
    assert parley.poll(session, kept).json["action"] == "pending"
    page = get(parley, f"/sessions/{session['id']}", cookie)
    assert page.status == 200
    assert "Keep me" in page.text


def test_a_post_without_the_visits_own_token_is_refused(parley: Parley) -> None:
    session = parley.open_session()
    asked = parley.ask(session).json["requestId"]
    cookie = sign_in(parley)
    stolen = csrf_of(get(parley, "/", sign_in(parley)))
    for csrf in ("", "x.y", stolen):
        answer = post(parley, "/inbox/decline", cookie, key=asked, confirmed="yes", csrf=csrf)
        assert answer.status == 403
    assert parley.poll(session, asked).json["action"] == "pending"


def test_a_reader_may_look_but_not_decline(parley: Parley) -> None:
    session = parley.open_session()
    asked = parley.ask(session).json["requestId"]
    cookie = sign_in(parley, parley.new_key("auditor", Scope.READ))
    inbox = get(parley, "/", cookie)
    csrf = csrf_of(inbox)
    assert post(parley, "/inbox/decline", cookie, key=asked, csrf=csrf).status == 403


def test_a_hosts_key_signs_in_but_sees_its_own_sessions_only(parley: Parley) -> None:
    foreign = parley.open_session()
    key = parley.new_key("orchestrator", Scope.HOST)
    own = parley.http("POST", "/api/v1/sessions", {}, key=key).json
    cookie = sign_in(parley, key)
    assert get(parley, "/", cookie).status == 403
    assert get(parley, f"/sessions/{own['id']}", cookie).status == 200
    assert get(parley, f"/sessions/{foreign['id']}", cookie).status == 404


def test_sign_in_is_rate_limited_and_recovers(parley: Parley) -> None:
    csrf = csrf_of(get(parley, "/sign-in"))
    wrong = {"key": "wrong", "csrf": csrf, "next": "/"}
    statuses = [post(parley, "/sign-in", **wrong).status for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    parley.clock.turn(minutes=2)
    assert post(parley, "/sign-in", key="wrong", csrf=csrf, next="/").status == 401


def test_revoking_the_key_ends_the_visit(parley: Parley) -> None:
    key = parley.new_key("temp", Scope.ANSWER)
    cookie = sign_in(parley, key)
    parley.services.api_keys.revoke(key.split("_")[1], parley.clock())
    parley.clock.turn(minutes=1)
    assert get(parley, "/", cookie).status == 303


def test_signing_out_takes_the_cookie_away(parley: Parley) -> None:
    cookie = sign_in(parley)
    answer = post(parley, "/sign-out", cookie, csrf=csrf_of(get(parley, "/", cookie)))
    assert answer.status == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]


@pytest.mark.parametrize("target", ["//evil.example", "/\\evil.example", "https://evil.example"])
def test_signing_in_never_leads_to_another_site(parley: Parley, target: str) -> None:
    form = get(parley, "/sign-in")
    answer = post(parley, "/sign-in", key=parley.key, csrf=csrf_of(form), next=target)
    assert answer.headers["location"] == "/"


def test_static_files_are_cached_for_good_and_named_only(parley: Parley) -> None:
    answer = get(parley, "/static/app.css")
    assert answer.status == 200
    assert "immutable" in answer.headers["cache-control"]
    again = parley.http(
        "GET", "/static/app.css", key=None, headers={"if-none-match": answer.headers["etag"]}
    )
    assert again.status == 304
    assert get(parley, "/static/app.py").status == 404


@pytest.mark.parametrize("of_a_session", [False, True])
def test_a_fragment_that_the_script_knows_is_not_sent_again(
    parley: Parley, of_a_session: bool
) -> None:
    session = parley.open_session()
    cookie = sign_in(parley)
    path = (f"/sessions/{session['id']}" if of_a_session else "/") + "?fragment=1"
    first = get(parley, path, cookie)
    assert first.status == 200
    known = {"cookie": cookie, "if-none-match": first.headers["etag"]}
    assert parley.http("GET", path, headers=known, key=None).status == 304
    parley.ask(session)
    assert parley.http("GET", path, headers=known, key=None).status == 200
