"""Puts together what turns need. Part of the composition root, in a module of its own for size."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from chalicelib.domain.errors import NotFound
from chalicelib.outbound.addresses import AddressPolicy
from chalicelib.outbound.drivers.bedrock import BedrockDriver
from chalicelib.outbound.drivers.direct import DirectDriver
from chalicelib.outbound.relay import McpConnect
from chalicelib.settings import Settings
from chalicelib.storage.sealing import KmsSealer
from chalicelib.storage.turns import DynamoTurns
from chalicelib.storage.upstreams import DynamoRegistry
from chalicelib.usecases.commit import World
from chalicelib.usecases.secrets import SecretStore, read_secret
from chalicelib.usecases.turn_ports import Relay, TurnMessenger

if TYPE_CHECKING:
    from chalicelib.storage.kms import KmsCipher
    from chalicelib.storage.table import DynamoStore


class Parts(Protocol):
    """Members of `bootstrap.Services` that a relay is made of."""

    clock: Callable[[], datetime]

    @property
    def settings(self) -> Settings:
        """The configuration."""

    @property
    def world(self) -> World:
        """Store, clock, ids and waiting."""

    @property
    def store(self) -> DynamoStore:
        """Sessions and journals."""

    @property
    def dynamodb(self) -> Any:
        """The table's client."""

    @property
    def cipher(self) -> KmsCipher:
        """Encryption under the deployment's key."""

    @property
    def secrets(self) -> SecretStore:
        """Secrets at rest."""

    @property
    def messenger(self) -> TurnMessenger:
        """The queues."""

    @property
    def retention(self) -> timedelta:
        """How long rows are kept."""

    def bedrock(self) -> Any:
        """The `bedrock-runtime` client."""


def make_relay(parts: Parts) -> Relay:
    """The relay; nothing is sent anywhere yet."""
    settings = parts.settings
    table = settings.require("table")
    policy = AddressPolicy(
        allow_private=settings.allow_private_upstreams, allow_loopback=settings.is_local
    )
    return Relay(
        world=parts.world,
        journal=parts.store,
        rows=DynamoTurns(parts.dynamodb, table),
        registry=DynamoRegistry(parts.dynamodb, table, parts.retention),
        sealer=KmsSealer(lambda: parts.cipher),
        connect=McpConnect(policy, _credentials(parts)),
        drivers={"direct": DirectDriver(), "bedrock": BedrockDriver(parts.bedrock)},
        messenger=parts.messenger,
        card_lasts=timedelta(seconds=settings.tool_result_timeout_seconds),
        allow_loopback=settings.is_local,
        monotonic=time.monotonic,
    )


def _credentials(parts: Parts) -> Callable[[str], str | None]:
    """Reads a secret of the operator's by its name."""

    def credential(name: str) -> str | None:
        try:
            return read_secret(None, name, now=parts.clock(), secrets=parts.secrets)
        except NotFound:
            return None

    return credential
