"""What the jobs need of the composition root."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from chalicelib.domain.cards import Card
from chalicelib.domain.elicitation import Elicitation
from chalicelib.observability import Observer
from chalicelib.settings import Settings
from chalicelib.usecases.commit import World
from chalicelib.usecases.page_incident import Pager
from chalicelib.usecases.ports import Lists, Messenger, NoticeBox, Publisher
from chalicelib.usecases.probe_endpoint import Incidents, Prober
from chalicelib.usecases.turn_ports import Relay


class Topics(Publisher, Pager, Protocol):
    """The topics of people and of operators."""

    def unconfirmed(self) -> int:
        """How many topics have no confirmed subscription."""


class Needs(Protocol):
    """Members of `bootstrap.Services` that jobs use."""

    clock: Callable[[], datetime]

    @property
    def settings(self) -> Settings:
        """The configuration."""

    @property
    def observer(self) -> Observer:
        """Logs and metrics."""

    @property
    def world(self) -> World:
        """Store, clock, ids and waiting."""

    @property
    def lists(self) -> Lists:
        """What lists show."""

    @property
    def box(self) -> NoticeBox:
        """The outbox of notices."""

    @property
    def messenger(self) -> Messenger:
        """The queues."""

    @property
    def publisher(self) -> Topics:
        """The topics."""

    @property
    def incidents(self) -> Incidents:
        """The probe's state."""

    @property
    def prober(self) -> Prober:
        """Probes one URL."""

    def probe_url(self, base_url: str) -> str:
        """What is probed of an address that askers use."""

    @property
    def relay(self) -> Relay:
        """Turns, and the upstream servers that they call."""

    def card_link(self, card: Card) -> str:
        """The page of a card."""

    def link_for(self, elicitation: Elicitation) -> str:
        """The answer link of an elicitation."""
