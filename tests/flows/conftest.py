"""Fixtures of the flows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.resources import Clients
from tests.flows.url_host import UrlHost, url_host
from tests.parley import Parley


@pytest.fixture(scope="session")
def kms_key(aws: Clients) -> str:
    """The id of a KMS key on the engine."""
    return aws.kms.create_key()["KeyMetadata"]["KeyId"]


@pytest.fixture
def host(parley: Parley, kms_key: str) -> Iterator[UrlHost]:
    """A host of sessions that call the upstream server `acme`."""
    with url_host(parley, kms_key) as made:
        yield made
