"""The life of a secret request for the tool; no value comes by here."""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.domain.principal import Principal
from chalicelib.domain.secret import SecretState
from chalicelib.mcp_server.backend import SecretPage
from chalicelib.mcp_server.over_usecases.ports import Ports
from chalicelib.usecases.secret_requests import start_request, wait_for_value


@dataclass(frozen=True)
class SecretCalls:
    """`backend.Secrets`."""

    ports: Ports

    def start_secret(self, *, principal: Principal, session_id: str, name: str) -> SecretPage:
        """See the protocol."""
        request = start_request(
            principal=principal.name,
            session_id=session_id,
            name=name,
            world=self.ports.world,
            requests=self.ports.secret_requests,
        )
        return SecretPage(
            handle=request.handle,
            url=self.ports.secret_url(request.handle),
            state=request.state(self.ports.world.clock()),
            expires_at=request.expires_at,
        )

    def spend_state(self, *, principal: Principal, handle: str, nonce: str) -> bool:
        """See the protocol."""
        return self.ports.secret_requests.spend(
            handle,
            principal=principal.name,
            nonce=nonce,
            attempt=self.ports.world.new_id(),
            now=self.ports.world.clock(),
        )

    def wait_secret(self, *, principal: Principal, handle: str, wait_seconds: int) -> SecretState:
        """See the protocol."""
        return wait_for_value(
            handle,
            principal=principal.name,
            wait=wait_seconds,
            world=self.ports.world,
            requests=self.ports.secret_requests,
        )

    def close_secret(self, *, principal: Principal, handle: str) -> None:
        """See the protocol."""
        self.ports.secret_requests.close(handle, principal=principal.name)
