"""API keys: what their shape is and what is kept of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.domain.api_key import ApiKey, hash_secret, is_valid, join_key, split_key
from chalicelib.domain.principal import Scope

SECRET = "s" * 43
KEY = ApiKey(
    key_id="abcdefghijkl",
    secret_hash=hash_secret(SECRET),
    name="ops",
    scopes=frozenset({Scope.HOST}),
    created_at=datetime(2026, 5, 4, tzinfo=UTC),
)


def test_a_key_is_split_as_it_was_joined() -> None:
    assert split_key(join_key("abcdefghijkl", SECRET)) == ("abcdefghijkl", SECRET)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "parley_abcdefghijkl",
        f"parley_abcdefghijk_{SECRET}",
        f"parley_ABCDEFGHIJKL_{SECRET}",
        f"parley_abcdefghijkl_{SECRET}x",
        f"parley_abcdefghijkl_{SECRET[:-1]}\u0130",
        f"Parley_abcdefghijkl_{SECRET}",
        f"parley_abcdefghijkl_{SECRET}\n",
    ],
)
def test_what_has_another_shape_is_no_key(raw: str) -> None:
    """It costs no read."""
    assert split_key(raw) is None


def test_a_key_is_valid_with_its_own_secret_until_it_is_revoked() -> None:
    assert is_valid(KEY, SECRET)
    assert not is_valid(KEY, SECRET[:-1] + "t")
    assert not is_valid(replace(KEY, revoked_at=KEY.created_at), SECRET)


def test_the_secret_is_not_kept() -> None:
    assert SECRET not in repr(KEY)
    assert KEY.principal().key_id == "abcdefghijkl"
