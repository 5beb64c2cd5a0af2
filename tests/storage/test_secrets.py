"""Secrets in the table: who they are bound to, how long they stay, what is read of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chalicelib.storage.kms import KmsCipher
from chalicelib.storage.secrets import DynamoSecrets
from infra.local.resources import Clients

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
RETENTION = timedelta(days=30)


@pytest.fixture
def secrets(aws: Clients, table: str) -> DynamoSecrets:
    key_id = aws.kms.create_key()["KeyMetadata"]["KeyId"]
    return DynamoSecrets(aws.dynamodb, table, lambda: KmsCipher(aws.kms, key_id), RETENTION)


def put(secrets: DynamoSecrets, session_id: str | None, name: str, value: str = "value") -> None:
    sealed = secrets.seal(session_id, name, value)
    secrets.put(session_id, name, sealed, by="ada", now=NOW)


def row(secrets: DynamoSecrets, pk: str, name: str) -> Any:
    key: Any = {"pk": {"S": pk}, "sk": {"S": f"SECRET#{name}"}}
    return secrets.client.get_item(TableName=secrets.table, Key=key).get("Item")


def ttl_of(secrets: DynamoSecrets) -> datetime:
    return datetime.fromtimestamp(int(row(secrets, "S#s", "A")["ttl"]["N"]), UTC)


def test_a_sessions_secrets_and_the_operators_are_apart(secrets: DynamoSecrets) -> None:
    put(secrets, None, "A", "operator's")
    put(secrets, "s", "A", "session's")
    put(secrets, "operator", "A", "of a session that is called so")
    read = [secrets.read(where, "A", NOW) for where in (None, "s", "operator", "other")]
    assert read == ["operator's", "session's", "of a session that is called so", None]
    assert secrets.delete(None, "A")
    assert not secrets.delete(None, "A")
    assert [info.name for info in secrets.list_infos("s")] == ["A"]
    assert secrets.list_infos(None) == []


def test_a_list_has_names_in_order_and_goes_on_over_pages(secrets: DynamoSecrets) -> None:
    names = [f"N{number:03}" for number in range(300)]
    sealed = b"x" * 5_600
    for name in reversed(names):
        secrets.put("s", name, sealed, by="ada", now=NOW)
    infos = secrets.list_infos("s")
    assert [info.name for info in infos] == names
    assert (infos[0].by, infos[0].updated_at) == ("ada", NOW)


@pytest.mark.parametrize("other", [(None, "A"), ("t", "A"), ("s", "B")])
def test_ciphertext_opens_only_where_it_was_put(
    secrets: DynamoSecrets, other: tuple[str | None, str]
) -> None:
    sealed = secrets.seal("s", "A", "value")
    secrets.put(*other, sealed, by="ada", now=NOW)
    with pytest.raises(Exception, match="InvalidCiphertext"):
        secrets.read(*other, NOW)


def test_a_sessions_secret_stays_while_it_is_used(secrets: DynamoSecrets) -> None:
    put(secrets, "s", "A")
    assert ttl_of(secrets) == NOW + RETENTION
    secrets.read("s", "A", NOW + timedelta(hours=23))
    assert ttl_of(secrets) == NOW + RETENTION
    secrets.read("s", "A", NOW + timedelta(days=20))
    assert ttl_of(secrets) == NOW + timedelta(days=20) + RETENTION


def test_an_operators_secret_has_no_end(secrets: DynamoSecrets) -> None:
    put(secrets, None, "A")
    secrets.read(None, "A", NOW + timedelta(days=400))
    assert "ttl" not in row(secrets, "SECRETS", "A")
