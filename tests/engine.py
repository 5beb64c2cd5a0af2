"""Fixtures of the embedded engine: the real one that `make run` uses, in a folder of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local import engine as embedded
from infra.local.resources import Clients, ensure_table

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[embedded.Engine]:
    """One engine for the whole run; tests keep apart by their own table and queue names."""
    folder: Path = tmp_path_factory.mktemp("engine")
    with embedded.locked(folder), embedded.running(folder) as running:
        yield running


@pytest.fixture(scope="session")
def aws(engine: embedded.Engine) -> Clients:
    """Clients of the session's engine: `aws.dynamodb`, `aws.sqs`, `aws.sns`, `aws.kms`, ..."""
    return Clients(engine.url)


@pytest.fixture
def table(aws: Clients) -> Iterator[str]:
    """The name of a fresh table, dropped afterwards: the engine's index queries scan."""
    name = f"parley-{next(_numbers)}"
    ensure_table(aws.dynamodb, name)
    yield name
    aws.dynamodb.delete_table(TableName=name)
