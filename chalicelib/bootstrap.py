"""The composition root: the only place that knows which adapter stands behind which port.

Everything is made at first use and kept, so that `import app` needs no AWS and no environment, and
a cold start pays only for what the request needs. boto3 is imported in here, never at import time.
`warm()` makes, during Lambda's init phase, what nearly every request needs.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib.aws import MODEL_TIMEOUTS, TABLE_TIMEOUTS, TOPIC_TIMEOUTS, AwsClients
from chalicelib.domain.card_links import card_token
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.tokens import SessionToken, Tokens, end_of_day
from chalicelib.observability import Observer
from chalicelib.settings import Settings, read_settings
from chalicelib.usecases.authenticate import Authenticator
from chalicelib.usecases.commit import World
from chalicelib.usecases.create_elicitation import Policy
from chalicelib.usecases.keyring import Keyring

if TYPE_CHECKING:
    from chalicelib.domain.cards import Card
    from chalicelib.domain.gate import ProbeResult
    from chalicelib.domain.session import Session
    from chalicelib.mcp_server.server import McpServer
    from chalicelib.messaging.sns import SnsTopics
    from chalicelib.messaging.sqs import SqsQueues
    from chalicelib.storage.api_keys import DynamoApiKeys
    from chalicelib.storage.incidents import DynamoIncidents
    from chalicelib.storage.kms import KmsCipher
    from chalicelib.storage.lists import DynamoLists
    from chalicelib.storage.outbox import DynamoNoticeBox
    from chalicelib.storage.rates import DynamoRates
    from chalicelib.storage.secret_requests import DynamoSecretRequests
    from chalicelib.storage.secrets import DynamoSecrets
    from chalicelib.storage.signing import SigningSecret
    from chalicelib.storage.table import DynamoStore
    from chalicelib.usecases.turn_ports import Relay


def utc_now() -> datetime:
    """The clock: aware UTC, whole milliseconds as rows keep them."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def new_id() -> str:
    """128 random bits as 32 hex digits: unguessable, URL-safe, free of separators."""
    return uuid.uuid4().hex


class Services:
    """Lazily made members; `environ` is read once, when the first member needs it."""

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        self._environ = environ
        self._client_options = dict(client_options or {})
        self.clock = clock
        self.new_id = new_id

    @cached_property
    def settings(self) -> Settings:
        """The configuration."""
        return read_settings(os.environ if self._environ is None else self._environ)

    @cached_property
    def observer(self) -> Observer:
        """Logs and metrics."""
        return Observer(self.settings.service)

    @cached_property
    def world(self) -> World:
        """Store, clock, ids and waiting, as use cases take them."""
        return World(self.store, self.clock, self.new_id, time.sleep)

    @cached_property
    def store(self) -> DynamoStore:
        """Sessions, elicitations and journals."""
        from chalicelib.storage.table import DynamoStore

        table = self.settings.require("table")
        return DynamoStore(self.dynamodb, table, self.retention)

    @cached_property
    def lists(self) -> DynamoLists:
        """What lists show."""
        from chalicelib.storage.lists import DynamoLists

        return DynamoLists(self.dynamodb, self.settings.require("table"))

    @cached_property
    def box(self) -> DynamoNoticeBox:
        """The outbox of notices."""
        from chalicelib.storage.outbox import DynamoNoticeBox

        return DynamoNoticeBox(self.dynamodb, self.settings.require("table"))

    @cached_property
    def api_keys(self) -> DynamoApiKeys:
        """API keys at rest."""
        from chalicelib.storage.api_keys import DynamoApiKeys

        return DynamoApiKeys(self.dynamodb, self.settings.require("table"))

    @cached_property
    def incidents(self) -> DynamoIncidents:
        """The probe's state and the history of incidents."""
        from chalicelib.storage.incidents import DynamoIncidents

        return DynamoIncidents(self.dynamodb, self.settings.require("table"), self.retention)

    def prober(self, url: str) -> ProbeResult:
        """Probe one URL; never raises."""
        from chalicelib.outbound.prober import probe

        return probe(url)

    def probe_url(self, base_url: str) -> str:
        """What is probed of an address that askers use."""
        from chalicelib.outbound.prober import probe_url

        return probe_url(base_url)

    @cached_property
    def rates(self) -> DynamoRates:
        """Counters of tries."""
        from chalicelib.storage.rates import DynamoRates

        return DynamoRates(self.dynamodb, self.settings.require("table"))

    @cached_property
    def authenticator(self) -> Authenticator:
        """From an API key to a principal."""
        return Authenticator(self.api_keys, self.clock)

    @cached_property
    def signing(self) -> SigningSecret:
        """The signing keys at rest."""
        from chalicelib.storage.signing import SigningSecret

        client = self._client("secretsmanager", TABLE_TIMEOUTS)
        return SigningSecret(client, self.settings.require("signing_secret_id"))

    @cached_property
    def tokens(self) -> Tokens:
        """Signed links, session tokens and cookies."""
        return Tokens(self.keyring)

    @cached_property
    def keyring(self) -> Keyring:
        """The signing keys in memory."""
        return Keyring(self._load_keys, self.clock)

    @cached_property
    def secrets(self) -> DynamoSecrets:
        """Secrets at rest."""
        from chalicelib.storage.secrets import DynamoSecrets

        table = self.settings.require("table")
        return DynamoSecrets(self.dynamodb, table, lambda: self.cipher, self.retention)

    @cached_property
    def cipher(self) -> KmsCipher:
        """Encryption of secrets."""
        from chalicelib.storage.kms import KmsCipher

        return KmsCipher(self._client("kms", TABLE_TIMEOUTS), self.settings.require("kms_key_id"))

    @cached_property
    def secret_requests(self) -> DynamoSecretRequests:
        """Pages where secrets are typed."""
        from chalicelib.storage.secret_requests import DynamoSecretRequests

        return DynamoSecretRequests(self.dynamodb, self.settings.require("table"), self.retention)

    @cached_property
    def mcp(self) -> McpServer:
        """Parley's own MCP server."""
        from chalicelib.mcp_server.over_usecases.assembly import parley_server
        from chalicelib.mcp_server.over_usecases.ports import Ports
        from chalicelib.mcp_server.state_token import KeyringSealer

        base_url = self.settings.base_url
        ports = Ports(
            world=self.world,
            lists=self.lists,
            messenger=self.messenger,
            policy=self.policy,
            secrets=self.secrets,
            secret_requests=self.secret_requests,
            secret_url=lambda handle: f"{base_url}/secrets/{handle}",
            tell=self.observer.facts,
            asker_may_answer=self.settings.asker_may_answer,
        )
        return parley_server(
            ports,
            sealer=KeyringSealer(self.keyring),
            base_url=base_url,
            allowed_origins=self.settings.allowed_origins,
            report=self._report,
        )

    @cached_property
    def relay(self) -> Relay:
        """Turns, and the upstream servers that they call."""
        from chalicelib.relaying import make_relay

        return make_relay(self)

    @cached_property
    def messenger(self) -> SqsQueues:
        """The queues."""
        from chalicelib.messaging.sqs import QueueUrls, SqsQueues

        urls = QueueUrls(
            timers=self.settings.require("timers_queue_url"),
            notices=self.settings.require("notices_queue_url"),
            turns=self.settings.turns_queue_url,
        )
        return SqsQueues(self._client("sqs", TABLE_TIMEOUTS), urls)

    @cached_property
    def publisher(self) -> SnsTopics:
        """The topics."""
        from chalicelib.messaging.sns import SnsTopics

        return SnsTopics(
            self._client("sns", TOPIC_TIMEOUTS),
            self.settings.require("needs_input_topic_arn"),
            self.settings.incidents_topic_arn,
        )

    def bedrock(self) -> Any:
        """The client of Amazon Bedrock: a model takes its time."""
        return self._client("bedrock-runtime", MODEL_TIMEOUTS)

    @cached_property
    def dynamodb(self) -> Any:
        """The DynamoDB client that every store shares."""
        return self._client("dynamodb", TABLE_TIMEOUTS)

    @cached_property
    def policy(self) -> Policy:
        """The instance's defaults for new elicitations."""
        return Policy(self.settings.expiration_minutes, self.settings.reminder_share)

    @property
    def retention(self) -> timedelta:
        """How long rows are kept after they last mattered."""
        return timedelta(days=self.settings.retention_days)

    def link_for(self, elicitation: Elicitation) -> str:
        """The answer link of an elicitation."""
        token = self.tokens.link(elicitation.key, elicitation.expires_at)
        return f"{self.settings.base_url}/a/{token}"

    def card_link(self, card: Card) -> str:
        """The page of a card."""
        return f"{self.settings.base_url}/c/{card_token(self.tokens, card)}"

    def session_token(self, session: Session) -> str:
        """A session's token, good for `PARLEY_SESSION_TOKEN_DAYS`."""
        end = end_of_day(self.clock() + timedelta(days=self.settings.session_token_days))
        return self.tokens.session_token(SessionToken(session.id, session.token_generation, end))

    def warm(self) -> None:
        """Make what nearly every request needs; called in Lambda's init phase only."""
        _ = self.store, self.messenger, self.authenticator

    def _report(self, error: Exception) -> None:
        self.observer.log.error("mcp call failed", exc_info=error)
        self.observer.count("ServerError")

    def _load_keys(self) -> list[str]:
        return self.signing.keys()

    def _client(self, service: str, timeouts: Mapping[str, int]) -> Any:
        return self._aws.make(service, timeouts)

    @cached_property
    def _aws(self) -> AwsClients:
        return AwsClients(
            self.settings.engine_url,
            connections=64 if self.settings.is_local else 10,
            options=self._client_options,
        )
