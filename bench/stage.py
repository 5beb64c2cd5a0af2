"""An engine of its own with a whole service on it, called in process as Lambda calls it."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from infra.local import engine
from infra.local.context import LambdaContext
from infra.local.resources import CREDENTIALS, Clients, ensure_all
from infra.local.rest import rest_event
from infra.local.routes import Routes
from infra.local.wire import HttpRequest

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "environment": {"type": "string", "enum": ["staging", "production"]},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 20},
        "confirm": {"type": "boolean", "title": "Really deploy?"},
    },
    "required": ["environment", "confirm"],
}
CONTENT: Final = {"environment": "staging", "replicas": 3, "confirm": True}


@dataclass(frozen=True)
class Stage:
    """A service (`services`, `app`) and the engine's own clients beside it."""

    environ: Mapping[str, str]
    clients: Clients
    services: Any
    app: Any

    @cached_property
    def routes(self) -> Routes:
        """To make events as API Gateway does."""
        return Routes(self.app.routes)

    @cached_property
    def key(self) -> str:
        """An API key with every scope."""
        from chalicelib.domain.principal import Scope
        from chalicelib.keys import issue

        return issue(self.services, name="bench", scopes=frozenset(Scope))

    def event(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The proxy event of a request; with the API key unless `headers` are given."""
        sent = {"Host": "parley.test", "Content-Type": "application/json", "User-Agent": "bench"}
        sent |= {"X-API-Key": self.key} if headers is None else headers
        request = HttpRequest(
            method=method,
            target=path,
            headers=[*sent.items()],
            body=b"" if body is None else json.dumps(body).encode(),
        )
        match = self.routes.match(path.partition("?")[0])
        if match is None:
            raise LookupError(path)
        now = self.services.clock()
        return rest_event(request, match, method=method, now=now, binary_types=())

    def invoke(self, event: dict[str, Any], *, status: int = 200) -> dict[str, Any]:
        """Run an event through the whole app; the status must be the one that is measured."""
        result: dict[str, Any] = self.app(event, LambdaContext("api_handler"))
        if result["statusCode"] != status:
            raise RuntimeError(f"{result['statusCode']}: {result['body']}")
        return result

    def open_session(self) -> str:
        """A fresh session's id."""
        event = self.event("POST", "/api/v1/sessions", {"title": "bench"})
        return str(json.loads(self.invoke(event, status=201)["body"])["id"])


@contextlib.contextmanager
def stage(**environ: str) -> Iterator[Stage]:
    """Engine and service until the end of the block; `environ` adds to the service's variables."""
    os.environ.update(CREDENTIALS)
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        data_dir = Path(folder)
        with engine.locked(data_dir), engine.running(data_dir) as running:
            clients = Clients(running.url)
            both = {
                "PARLEY_ENGINE_URL": running.url,
                "POWERTOOLS_LOG_LEVEL": "WARNING",
                "POWERTOOLS_METRICS_DISABLED": "true",
                **ensure_all(clients),
                **environ,
            }
            os.environ.update(both)
            yield _service(both, clients)


def _service(environ: Mapping[str, str], clients: Clients) -> Stage:
    from app import create_app
    from chalicelib.bootstrap import Services

    services = Services(environ)
    return Stage(environ, clients, services, create_app(services))


def question(session_id: str) -> tuple[str, dict[str, Any]]:
    """A body as askers send it, and its request id."""
    request_id = str(uuid.uuid4())
    meta = {
        "com.pulsemcp/request-id": request_id,
        "com.pulsemcp/session-id": session_id,
        "com.pulsemcp/tool-name": "deploy",
    }
    message = "Deploy release 4.2 to production?\nThe last deploy was two days ago."
    body = {"mode": "form", "message": message, "requestedSchema": SCHEMA, "_meta": meta}
    return request_id, body
