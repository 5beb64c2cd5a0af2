"""Who may ask, look, answer and read (zimmer 94-111, 121-128; design 6 and 13)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from chalicelib.domain.principal import Scope
from chalicelib.domain.tokens import SessionToken
from chalicelib.keys import main
from tests.parley import Parley, path_of, question

if TYPE_CHECKING:
    import pytest

REQUEST_ID = "com.pulsemcp/request-id"
SESSION_ID = "com.pulsemcp/session-id"
BASE = "/api/v1/elicitations"


def token_of(session: dict[str, dict[str, str]]) -> str:
    """The session's token, as its asker has it."""
    return session["env"]["ELICITATION_REQUEST_URL"].rpartition("/")[2]


def test_the_token_decides_the_session(parley: Parley) -> None:
    """94, 99, 101: `_meta` may name the same session or none; any other is refused."""
    session, other = parley.open_session(), parley.open_session()
    for named in (None, "", "  ", session["id"]):
        meta = {} if named is None else {SESSION_ID: named}
        assert parley.ask(session, meta=meta).status == 201, named
    for named in (other["id"], "unknown"):
        got = parley.ask(session, meta={SESSION_ID: named})
        assert (got.status, got.code) == (403, "forbidden")
    assert len(parley.session(session["id"])["live"]) == 4
    assert parley.session(other["id"])["live"] == []


def test_a_foreign_token_naming_this_session_does_nothing(parley: Parley) -> None:
    """98: 403, nothing stored, nobody told."""
    session, other = parley.open_session(), parley.open_session()
    assert parley.ask(other, meta={SESSION_ID: session["id"]}).status == 403
    assert parley.session(session["id"])["version"] == 1
    assert parley.run_queue("notices") == []


def test_a_token_is_not_made_up_or_bent(parley: Parley) -> None:
    """96, 97, 103, 109, 124, 125: 401, also beside a good API key, and nothing is leaked."""
    session, other = parley.open_session(), parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    good = token_of(session)
    payload, _, signature = good.rpartition(".")
    foreign = token_of(other).rpartition(".")[0]
    bent = [
        f"{payload}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}",
        f"{foreign}.{signature}",
        f"{payload}.",
        payload,
        session["id"],
        "zimmer-reachability-probe",
        "." * 50,
        "%2e%2e",
        "%00",
        "\u00e9",
        "x" * 5_000,
        parley.services.tokens.link(request_id, parley.clock.now),
        parley.services.tokens.sign("session", {"session_id": session["id"]}),
    ]
    for token in bent:
        for key in (None, "default"):
            create = parley.http("POST", f"{BASE}/session/{token}", question(), key=key)
            poll = parley.http("GET", f"{BASE}/session/{token}/{request_id}", key=key)
            for got in (create, poll):
                assert (got.status, got.code) == (401, "unauthenticated"), token
                assert request_id not in got.text
    assert len(parley.session(session["id"])["live"]) == 1


def test_the_bare_routes_need_a_key_and_warn_without(
    parley: Parley, caplog: pytest.LogCaptureFixture
) -> None:
    """95, 102: 401, nothing stored, nothing told."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.run_queue("notices")
    body = question(meta={SESSION_ID: session["id"]})
    for key in (None, "wrong"):
        caplog.clear()
        created = parley.http("POST", BASE, body, key=key)
        polled = parley.http("GET", f"{BASE}/{request_id}", key=key)
        assert (created.status, polled.status) == (401, 401)
        assert [record.levelname for record in caplog.records].count("WARNING") == 2
    assert parley.session(session["id"])["live"] == [request_id]
    assert parley.run_queue("notices") == []


def test_the_operator_may_open_the_protocol(parley: Parley) -> None:
    """The seed's open protocol: create and poll, never answer; a bad key is still a bad key."""
    service = parley.configured(ELICITATION_OPEN_PROTOCOL="true")
    session = service.open_session()
    body = question(meta={SESSION_ID: session["id"]})
    created = service.http("POST", BASE, body, key=None)
    assert created.status == 201
    request_id = created.json["requestId"]
    assert service.http("GET", f"{BASE}/{request_id}", key=None).json["action"] == "pending"
    assert service.http("GET", f"{BASE}/{request_id}", key="wrong").status == 401
    assert service.respond(request_id, "decline", key=None).status == 401
    assert service.http("DELETE", f"{BASE}/{request_id}", key=None).status == 401


def test_a_key_travels_in_either_header(parley: Parley) -> None:
    """Design 13."""
    path = "/api/v1/sessions"
    for headers in (
        {"x-api-key": parley.key},
        {"X-API-KEY": f" {parley.key} "},
        {"authorization": f"Bearer {parley.key}"},
        {"Authorization": f"bearer  {parley.key}"},
    ):
        assert parley.http("GET", path, key=None, headers=headers).status == 200, headers
    for headers in (
        {"authorization": parley.key},
        {"authorization": f"Basic {parley.key}"},
        {"authorization": "Bearer"},
        {"authorization": ""},
    ):
        assert parley.http("GET", path, key=None, headers=headers).status == 401, headers


def test_a_revoked_key_stops_within_thirty_seconds(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 13; by the command that operators use."""
    key = parley.new_key("leaver", Scope.HOST)
    assert parley.http("GET", "/api/v1/sessions", key=key).status == 200
    monkeypatch.setattr("chalicelib.keys.Services", lambda: parley.services)
    assert main(["revoke", key.split("_")[1]]) == 0
    parley.clock.turn(seconds=31)
    assert parley.http("GET", "/api/v1/sessions", key=key).status == 401
    assert main(["revoke", "nosuchkey000"]) == 1


def test_only_a_hash_of_a_key_is_stored(parley: Parley) -> None:
    """128 and design 13: the table's readers hold no key."""
    key = parley.new_key("someone", Scope.ADMIN)
    rows = parley.aws.dynamodb.scan(TableName=parley.services.settings.table)["Items"]
    assert key.split("_")[2] not in str(rows)
    assert any(row["pk"]["S"] == f"KEY#{key.split('_')[1]}" for row in rows)


def test_a_rotated_token_asks_no_more_but_still_polls(parley: Parley) -> None:
    """1 of the weaknesses: revocable per session; no waiting asker is cut off."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    renewed = parley.http("POST", f"/api/v1/sessions/{session['id']}/token").json
    got = parley.ask(session)
    assert (got.status, got.code) == (403, "forbidden")
    assert parley.poll(session, request_id).json["action"] == "pending"
    assert parley.ask(renewed).status == 201


def test_a_token_ends_for_asking_and_a_week_later_for_polling(parley: Parley) -> None:
    """1 of the weaknesses: expiring; a question asked in time is polled to its deadline."""
    session = parley.open_session()
    end = parley.clock.now + timedelta(minutes=5)
    token = parley.services.tokens.session_token(SessionToken(session["id"], 1, end))
    path = f"{BASE}/session/{token}"
    at = (parley.clock.now + timedelta(days=7)).isoformat()
    body = question(meta={"com.pulsemcp/expires-at": at})
    request_id = parley.http("POST", path, body, key=None).json["requestId"]
    parley.clock.turn(minutes=5)
    assert parley.http("POST", path, question(), key=None).status == 401
    parley.clock.turn(days=6, hours=23)
    assert parley.http("GET", f"{path}/{request_id}", key=None).json["action"] == "pending"
    parley.clock.turn(hours=1)
    assert parley.http("GET", f"{path}/{request_id}", key=None).status == 401


def test_tokens_outlive_a_rotation_of_the_signing_key(parley: Parley) -> None:
    """Design 7: links that are out stay good; a token of the new key is known at once elsewhere."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    old = parley.services.signing.keys()
    try:
        parley.services.signing.rotate("a-new-signing-key")
        elsewhere = parley.configured()
        renewed = elsewhere.open_session()
        assert elsewhere.poll(session, request_id).status == 200
        parley.clock.turn(minutes=2)
        assert parley.ask(renewed).status == 201
    finally:
        parley.services.signing.rotate(old[-1])


def test_a_callers_text_cannot_forge_a_log_line(
    parley: Parley, capfd: pytest.CaptureFixture[str]
) -> None:
    """111: and neither messages nor tokens are logged at all."""
    session = parley.open_session()
    forged = 'x\n{"level":"ERROR","message":"forged"}'
    parley.ask(session, message=forged, meta={REQUEST_ID: forged, "com.pulsemcp/tool-name": forged})
    parley.ask(session, meta={SESSION_ID: forged})
    parley.http("POST", BASE, question(meta={SESSION_ID: forged}))
    parley.http("GET", path_of(session["env"]["ELICITATION_POLL_URL"]) + "/%0Aforged", key=None)
    captured = capfd.readouterr()
    for line in (captured.out + captured.err).splitlines():
        assert not line.startswith('{"level":"ERROR"')
        assert token_of(session) not in line
