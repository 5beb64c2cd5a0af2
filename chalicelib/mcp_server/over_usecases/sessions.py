"""Sessions for the tools."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from chalicelib.domain.errors import InvalidInput
from chalicelib.domain.principal import Principal
from chalicelib.domain.session import Session
from chalicelib.mcp_server.backend import Page
from chalicelib.mcp_server.over_usecases.ports import Ports, seen_session
from chalicelib.usecases.list_sessions import MOST_PAGES
from chalicelib.usecases.sessions import read_session

_CURSOR: Final = re.compile(r"[0-9]{15}\.[A-Za-z0-9_-]{1,128}", re.ASCII)


@dataclass(frozen=True)
class SessionCalls:
    """`backend.Sessions`."""

    ports: Ports

    def list_sessions(
        self, *, principal: Principal, needs_input: bool, limit: int, cursor: str | None
    ) -> Page[Session]:
        """See the protocol. A page of a rare state may be short and still go on."""
        if cursor is not None and not _CURSOR.fullmatch(cursor):
            raise InvalidInput("The cursor is not one of ours.")
        owner = None if principal.sees_all_sessions() else principal.name
        now = self.ports.world.clock()
        found: list[Session] = []
        for _ in range(MOST_PAGES):
            page = self.ports.lists.sessions(owner=owner, limit=limit - len(found), after=cursor)
            found += [row for row in page.sessions if row.needs_input(now) or not needs_input]
            cursor = page.next
            if cursor is None or len(found) >= limit:
                break
        return Page(tuple(found), cursor)

    def get_session(self, *, principal: Principal, session_id: str) -> Session:
        """See the protocol."""
        result = read_session(
            session_id,
            principal=principal,
            world=self.ports.world,
            messenger=self.ports.messenger,
        )
        self.ports.tell(result.facts)
        return result.value

    def secret_names(self, *, principal: Principal, session_id: str) -> tuple[str, ...]:
        """See the protocol."""
        session = seen_session(self.ports, session_id, principal)
        return tuple(info.name for info in self.ports.secrets.list_infos(session.id))
