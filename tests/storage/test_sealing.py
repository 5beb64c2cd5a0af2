"""Request state at rest, on the engine's KMS."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.errors import TooLarge, TryAgain
from chalicelib.storage.kms import KmsCipher
from chalicelib.storage.sealing import MAX_STATE, PART, KmsSealer
from infra.local.resources import Clients

WHERE = {"session_id": "session_1", "call_id": "call_1"}


@pytest.fixture(scope="module")
def sealer(aws: Clients) -> KmsSealer:
    key_id = aws.kms.create_key()["KeyMetadata"]["KeyId"]
    return KmsSealer(lambda: KmsCipher(aws.kms, key_id))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x", 1),
        ("x" * PART, 1),
        ("x" * (PART + 1), 2),
        ("ü" * PART, 2),
        ("x" * MAX_STATE, 8),
        ("a\ud800b\x00\u2028", 1),
    ],
    ids=["one", "full", "over", "two bytes each", "most", "odd"],
)
def test_what_is_sealed_opens_byte_for_byte(sealer: KmsSealer, text: str, parts: int) -> None:
    sealed = sealer.seal(text, **WHERE)
    assert len(sealed) == parts
    assert sealer.open(sealed, **WHERE) == text


@settings(max_examples=15, deadline=None)
@given(st.text(min_size=1, max_size=300))
def test_any_text_survives(sealer: KmsSealer, text: str) -> None:
    assert sealer.open(sealer.seal(text, **WHERE), **WHERE) == text


def test_too_long_a_state_is_refused_with_the_limit(sealer: KmsSealer) -> None:
    with pytest.raises(TooLarge, match="32 KiB"):
        sealer.seal("x" * (MAX_STATE + 1), **WHERE)


@pytest.mark.parametrize(
    "where", [{"session_id": "session_2", "call_id": "call_1"}, {**WHERE, "call_id": "call_2"}]
)
def test_it_opens_in_its_own_place_only(sealer: KmsSealer, where: dict[str, str]) -> None:
    assert sealer.open(sealer.seal("state", **WHERE), **where) is None


def test_parts_cannot_be_dropped_swapped_or_garbled(sealer: KmsSealer) -> None:
    one, two = sealer.seal("x" * (PART + 1), **WHERE)
    for wrong in ([one], [two, one], [one, one], [one, two[:-1] + b"!"]):
        assert sealer.open(wrong, **WHERE) is None


def test_a_key_store_that_does_not_answer_means_try_again() -> None:
    import boto3
    from botocore.config import Config

    nowhere = boto3.client(
        "kms",
        endpoint_url="http://127.0.0.1:9",
        region_name="us-east-1",
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=1),
    )
    sealer = KmsSealer(lambda: KmsCipher(nowhere, "key"))
    with pytest.raises(TryAgain):
        sealer.seal("state", **WHERE)
    with pytest.raises(TryAgain):
        sealer.open([b"x"], **WHERE)
