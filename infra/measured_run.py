"""One question from asking to collecting on the embedded engine, each step in billed units."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from app import create_app
from chalicelib.bootstrap import Services, utc_now
from chalicelib.domain.principal import Scope
from chalicelib.jobs import notices, timers
from chalicelib.keys import issue
from infra.local import engine
from infra.local.gateway import Gateway
from infra.local.resources import CREDENTIALS, REGION, Clients, ensure_all
from infra.local.wire import HttpRequest
from infra.metering import Meter

Steps = dict[str, Counter[str]]


class Clock:
    """The real time, and what a step leaves out of it."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        """Now, aware UTC."""
        return utc_now() + self._ahead

    def skip(self, **amount: float) -> None:
        """Go on by a timedelta."""
        self._ahead += timedelta(**amount)


class MeteredServices(Services):
    """Services whose every AWS call is counted."""

    meter: Meter

    def _client(self, service: str, timeouts: Mapping[str, int]) -> Any:
        return self.meter.watch(super()._client(service, timeouts))


def measure() -> Steps:
    """Units of each step; starts an engine in a folder of its own and leaves nothing behind."""
    with (
        tempfile.TemporaryDirectory() as folder,
        engine.locked(Path(folder)),
        engine.running(Path(folder)) as running,
    ):
        clients = Clients(running.url)
        environ = {**ensure_all(clients), "PARLEY_ENGINE_URL": running.url}
        options = {
            "region_name": REGION,
            "aws_access_key_id": CREDENTIALS["AWS_ACCESS_KEY_ID"],
            "aws_secret_access_key": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        }
        clock = Clock()
        services = MeteredServices(environ, clock=clock, client_options=options)
        services.meter = Meter(clients.dynamodb)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return _steps(services, clock)


def _steps(services: MeteredServices, clock: Clock) -> Steps:
    gateway, meter = Gateway(create_app(services)), services.meter
    key = issue(services, name="cost", scopes=frozenset(Scope))
    env = _call(gateway, "POST", "/api/v1/sessions", {}, key=key)["env"]
    ask, look = (_path(env[f"ELICITATION_{name}_URL"]) for name in ("REQUEST", "POLL"))
    _call(gateway, "POST", ask, _question())  # the signing keys are in memory from here on
    meter.take()
    steps: Steps = {}
    asked = _call(gateway, "POST", ask, _question())["requestId"]
    steps["create"] = meter.take()
    clock.skip(seconds=61)
    _call(gateway, "GET", f"{look}/{asked}")
    steps["first poll of a minute"] = meter.take()
    _call(gateway, "GET", f"{look}/{asked}")
    steps["poll"] = meter.take()
    notices.deliver_notices(_event({"key": asked, "kind": "needs_input"}), services)
    steps["notice"] = meter.take()
    timers.run_timers(_event({"key": asked}), services)
    steps["timer"] = meter.take()
    answer = {"action_type": "accept", "content": {"confirm": True}}
    _call(gateway, "PATCH", f"/api/v1/elicitations/{asked}/respond", answer, key=key)
    steps["answer"] = meter.take()
    _call(gateway, "GET", f"{look}/{asked}")
    steps["collect"] = meter.take()
    return steps


def _call(gateway: Gateway, method: str, path: str, body: Any = None, *, key: str = "") -> Any:
    headers = [("host", "localhost"), ("content-type", "application/json")]
    sent = json.dumps(body).encode() if body is not None else b""
    got = gateway(
        HttpRequest(
            method=method,
            target=path,
            headers=[*headers, ("x-api-key", key)] if key else headers,
            body=sent,
            source_ip="127.0.0.1",
        )
    )
    text = b"".join(got.body).decode()
    if got.status >= 300:
        raise RuntimeError(f"{method} answered {got.status}: {text}")
    return json.loads(text)


def _path(url: str) -> str:
    return "/" + url.partition("://")[2].partition("/")[2]


def _question() -> dict[str, Any]:
    confirm = {"type": "boolean", "title": "Really deploy?"}
    return {
        "mode": "form",
        "message": f"Deploy build {utc_now():%Y-%m-%d} to production?",
        "requestedSchema": {"type": "object", "properties": {"confirm": confirm}},
        "_meta": {
            "com.pulsemcp/request-id": str(uuid.uuid4()),
            "com.pulsemcp/tool-name": "deploy",
            "com.pulsemcp/context": "The nightly release, asked by the release agent. " * 8,
        },
    }


def _event(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"Records": [{"messageId": "1", "body": json.dumps(body)}]}
