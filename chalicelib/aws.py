"""How AWS clients are made: one session, few retries, short time-outs. boto3 comes with the first.

Knows no service's calls and no name of ours; which client is whose is `bootstrap`'s.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from boto3.session import Session

TABLE_TIMEOUTS: Final = {"connect_timeout": 1, "read_timeout": 2}
"""Seconds. With three attempts a poll has its answer, or says `pending`, within ten seconds."""
TOPIC_TIMEOUTS: Final = {"connect_timeout": 2, "read_timeout": 5}
"""Seconds; nobody waits for a notice to be published."""
MODEL_TIMEOUTS: Final = {"connect_timeout": 2, "read_timeout": 30}
"""Seconds; a worker's function lasts 120, and three tries fit in it."""


class AwsClients:
    """Makes clients of one engine (None: AWS itself). `options` go to every client as they are."""

    def __init__(
        self, engine_url: str | None, *, connections: int, options: Mapping[str, Any]
    ) -> None:
        self._engine_url = engine_url
        self._connections = connections
        self._options = options
        self._making = threading.Lock()

    def make(self, service: str, timeouts: Mapping[str, int]) -> Any:
        """A client, safe to share between threads."""
        from botocore.config import Config

        config = Config(
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=self._connections,
            **timeouts,  # type: ignore[arg-type]
        )
        with self._making:
            return self._session.client(
                service,  # type: ignore[call-overload]
                endpoint_url=self._engine_url,
                config=config,
                **self._options,
            )

    @cached_property
    def _session(self) -> Session:
        """One for all clients: each session reads botocore's data files anew (about 150 ms). It is
        not thread-safe, what it makes is."""
        import boto3

        return boto3.session.Session()
