"""The command that makes and revokes keys, against a real table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chalicelib.bootstrap import Services
from chalicelib.domain.principal import Scope
from chalicelib.keys import issue, main
from tests.parley import Parley

pytestmark = pytest.mark.engine

Run = Callable[..., int]


@pytest.fixture
def run(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in the deployment that the environment names."""
    for name, value in parley.environ.items():
        monkeypatch.setenv(name, value)
    return lambda *arguments: main([*arguments])


def test_a_key_is_printed_once_and_carries_its_name_and_scopes(
    run: Run, parley: Parley, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("create", "--name", "alice", "--scopes", "answer,read") == 0
    printed = capsys.readouterr()
    key = printed.out.strip()
    assert key not in printed.err
    principal = parley.services.authenticator.principal(key)
    assert principal.name == "alice"
    assert principal.scopes == {Scope.ANSWER, Scope.READ}


def test_only_a_hash_of_the_key_is_kept(
    run: Run, parley: Parley, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", "--name", "alice", "--scopes", "host")
    secret = capsys.readouterr().out.strip().rpartition("_")[2]
    rows = parley.aws.dynamodb.scan(TableName=parley.environ["PARLEY_TABLE"])["Items"]
    assert rows
    assert secret not in str(rows)


def test_a_revoked_key_stops_working_within_half_a_minute(
    run: Run, parley: Parley, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", "--name", "alice", "--scopes", "host")
    key = capsys.readouterr().out.strip()
    assert parley.http("GET", "/api/v1/sessions", key=key).status == 200
    assert run("revoke", key.split("_")[1]) == 0
    parley.clock.turn(seconds=30)
    assert parley.http("GET", "/api/v1/sessions", key=key).code == "unauthenticated"


def test_revoking_what_is_not_there_says_so(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("revoke", "nothere00000") == 1
    assert "no such key" in capsys.readouterr().err


def test_links_outlive_one_rotation_of_the_signing_key(
    run: Run, parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "parley-rotation"
    parley.aws.secretsmanager.create_secret(Name=secret, SecretString="the-first-key")
    monkeypatch.setenv("PARLEY_SIGNING_SECRET_ID", secret)
    old = _services(parley, secret).tokens.sign("test", ["value"])
    assert run("rotate-signing") == 0
    assert _services(parley, secret).tokens.read("test", old) == ["value"]
    assert _services(parley, secret).tokens.sign("test", ["value"]) != old
    assert run("rotate-signing") == 0
    assert _services(parley, secret).tokens.read("test", old) is None


def _services(parley: Parley, secret: str) -> Services:
    """Services that have not read the keys yet."""
    return parley.configured(PARLEY_SIGNING_SECRET_ID=secret).services


@pytest.mark.parametrize("scopes", ["", "everything", "host,", "host, read", "HOST"], ids=repr)
def test_scopes_that_do_not_exist_are_refused_by_name(
    run: Run, scopes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        run("create", "--name", "alice", "--scopes", scopes)
    assert refused.value.code == 2
    assert "known: admin, answer, host, read" in capsys.readouterr().err


def test_a_missing_table_is_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["create", "--name", "alice", "--scopes", "host"]) == 1
    assert capsys.readouterr().err == "parley: PARLEY_TABLE is not set\n"


def test_two_keys_of_one_name_are_two_keys(parley: Parley) -> None:
    keys = {issue(parley.services, name="alice", scopes=frozenset(Scope)) for _ in range(2)}
    assert len(keys) == 2
    names = {parley.services.authenticator.principal(key).name for key in keys}
    assert names == {"alice"}
