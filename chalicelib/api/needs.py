"""What the API needs of the composition root, so that tests can hand in their own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from chalicelib.domain.cards import Card
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.session import Session
from chalicelib.domain.tokens import Tokens
from chalicelib.observability import Observer
from chalicelib.settings import Settings
from chalicelib.usecases.authenticate import Authenticator
from chalicelib.usecases.commit import World
from chalicelib.usecases.create_elicitation import Policy
from chalicelib.usecases.ports import Journal, Lists, Messenger, Store
from chalicelib.usecases.probe_endpoint import Incidents
from chalicelib.usecases.secret_requests import SecretRequests
from chalicelib.usecases.secrets import SecretStore
from chalicelib.usecases.turn_ports import Relay

if TYPE_CHECKING:
    from chalicelib.mcp_server.server import McpServer


class Rows(Store, Journal, Protocol):
    """The store with its journals, and what deleting a session takes along."""

    def purge(self, session_id: str) -> None:
        """Delete everything that is left of a deleted session."""


class Rates(Protocol):
    """Counters that all instances share."""

    def hit(self, name: str, *, window_seconds: int, now: datetime) -> int:
        """Count one try and return how many there were in this window."""


class Needs(Protocol):
    """Members of `bootstrap.Services` that views use."""

    clock: Callable[[], datetime]
    new_id: Callable[[], str]

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
    def store(self) -> Rows:
        """Sessions, elicitations and journals."""

    @property
    def lists(self) -> Lists:
        """What lists show."""

    @property
    def messenger(self) -> Messenger:
        """The queues."""

    @property
    def authenticator(self) -> Authenticator:
        """From an API key to a principal."""

    @property
    def rates(self) -> Rates:
        """Counters of tries."""

    @property
    def incidents(self) -> Incidents:
        """The probe's state and the history of incidents."""

    @property
    def tokens(self) -> Tokens:
        """Signed links, session tokens and cookies."""

    @property
    def secrets(self) -> SecretStore:
        """Secrets at rest."""

    @property
    def secret_requests(self) -> SecretRequests:
        """Pages where secrets are typed."""

    @property
    def mcp(self) -> McpServer:
        """Parley's own MCP server."""

    @property
    def policy(self) -> Policy:
        """The instance's defaults for new elicitations."""

    @property
    def relay(self) -> Relay:
        """Turns, and the upstream servers that they call."""

    def card_link(self, card: Card) -> str:
        """The page of a card."""

    def link_for(self, elicitation: Elicitation) -> str:
        """The answer link of an elicitation."""

    def session_token(self, session: Session) -> str:
        """A session's token."""
