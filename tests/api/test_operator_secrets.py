"""The operator's secrets over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.domain.errors import NotFound
from chalicelib.domain.principal import Scope
from chalicelib.usecases.secrets import read_secret
from infra.local.resources import Clients
from tests.parley import Parley, instant

BASE = "/api/v1/secrets"


@pytest.fixture
def served(parley: Parley, aws: Clients) -> Parley:
    key_id = aws.kms.create_key()["KeyMetadata"]["KeyId"]
    return parley.configured(PARLEY_KMS_KEY_ID=key_id)


def read(parley: Parley, name: str) -> str:
    services = parley.services
    return read_secret(None, name, now=services.clock(), secrets=services.secrets)


def test_a_secret_is_stored_named_replaced_read_by_calls_only_and_deleted(
    served: Parley, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    for value in ("first-value", "second-value"):
        answer = served.http("PUT", f"{BASE}/UPSTREAM_TOKEN", {"value": value})
        assert (answer.status, answer.json) == (200, {"name": "UPSTREAM_TOKEN", "stored": True})
        assert read(served, "UPSTREAM_TOKEN") == value
    served.http("PUT", f"{BASE}/ANOTHER", {"value": "x"})
    listed = served.http("GET", BASE)
    told = listed.json["secrets"]
    assert [entry["name"] for entry in told] == ["ANOTHER", "UPSTREAM_TOKEN"]
    assert told[1]["by"] == "tester"
    assert instant(told[1]["updated_at"]) == served.clock.now
    table = served.services.settings.table
    rows = repr(served.aws.dynamodb.scan(TableName=table)["Items"])
    logged = repr([record.__dict__ for record in caplog.records])
    assert "UPSTREAM_TOKEN" in logged
    for text in (listed.text, rows, logged, *capfd.readouterr()):
        assert "second-value" not in text
    assert served.http("DELETE", f"{BASE}/UPSTREAM_TOKEN").status == 204
    assert served.http("DELETE", f"{BASE}/UPSTREAM_TOKEN").status == 404
    with pytest.raises(NotFound, match="UPSTREAM_TOKEN"):
        read(served, "UPSTREAM_TOKEN")


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PUT", "/A"), ("DELETE", "/A")])
def test_only_an_admin_gets_at_them(served: Parley, method: str, path: str) -> None:
    key = served.new_key("host", Scope.HOST, Scope.ANSWER, Scope.READ)
    body = {"value": "x"} if method == "PUT" else None
    assert served.http(method, BASE + path, body, key=key).status == 403
    assert served.http(method, BASE + path, body, key=None).status == 401


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("1A", {"value": "x"}, 422),
        ("A%20B", {"value": "x"}, 422),
        ("A" * 256, {"value": "x"}, 422),
        ("A", {"value": ""}, 422),
        ("A", {"value": 7}, 422),
        ("A", {}, 422),
        ("A", {"value": "x", "more": 1}, 422),
        ("A", {"value": "\ud800"}, 400),
        ("A", {"value": "x" * 4097}, 413),
    ],
)
def test_a_name_or_value_that_cannot_be_kept_is_refused(
    served: Parley, name: str, body: dict[str, Any], status: int
) -> None:
    answer = served.http("PUT", f"{BASE}/{name}", body)
    assert answer.status == status, answer.text
    assert served.http("GET", BASE).json == {"secrets": []}


def test_the_longest_name_and_value_are_kept(served: Parley) -> None:
    name, value = "A" * 255, "é" * 2048
    assert served.http("PUT", f"{BASE}/{name}", {"value": value}).status == 200
    assert read(served, name) == value
