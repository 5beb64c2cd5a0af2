"""The signing keys at rest: two shapes, newest last, two are kept."""

from __future__ import annotations

import pytest

from chalicelib.storage.signing import SigningSecret, parse_keys
from infra.local.resources import Clients

pytestmark = pytest.mark.engine


@pytest.fixture
def secret(aws: Clients, table: str) -> SigningSecret:
    """A plain secret, as the stack makes it."""
    aws.secretsmanager.create_secret(Name=f"{table}-signing", SecretString="first")
    return SigningSecret(aws.secretsmanager, f"{table}-signing")


def test_rotation_keeps_the_key_before_and_drops_older_ones(secret: SigningSecret) -> None:
    assert secret.keys() == ["first"]
    secret.rotate("second")
    assert secret.keys() == ["first", "second"]
    secret.rotate("third")
    assert secret.keys() == ["second", "third"]


def test_a_plain_secret_and_a_rotated_one_are_read() -> None:
    assert parse_keys("plain") == ["plain"]
    assert parse_keys('{"keys": ["a", "b"]}') == ["a", "b"]
