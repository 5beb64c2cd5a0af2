"""The whole port in one object, as `catalog.parley_tools` takes it."""

from __future__ import annotations

from chalicelib.mcp_server.over_usecases.elicitations import ElicitationCalls
from chalicelib.mcp_server.over_usecases.secrets import SecretCalls
from chalicelib.mcp_server.over_usecases.sessions import SessionCalls


class UseCaseBackend(ElicitationCalls, SessionCalls, SecretCalls):
    """`backend.Backend`; made with the `Ports` that all three parts share."""
