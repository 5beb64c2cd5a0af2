"""What the jobs need of the composition root."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from chalicelib.domain.elicitation import Elicitation
from chalicelib.observability import Observer
from chalicelib.settings import Settings
from chalicelib.usecases.commit import World
from chalicelib.usecases.ports import Lists, Messenger, NoticeBox, Publisher


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
    def publisher(self) -> Publisher:
        """The topic that tells people."""

    def link_for(self, elicitation: Elicitation) -> str:
        """The answer link of an elicitation."""
