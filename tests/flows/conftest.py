"""Fixtures of the flows."""

from __future__ import annotations

import pytest

from infra.local.resources import Clients


@pytest.fixture(scope="session")
def kms_key(aws: Clients) -> str:
    """The id of a KMS key on the engine."""
    return aws.kms.create_key()["KeyMetadata"]["KeyId"]
