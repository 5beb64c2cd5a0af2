"""Puts the parts of the local service together, in order, and takes them apart again.

Lock, engine, resources, port; then the environment; then `app` is imported, and only then does
anything read its settings.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ConnectionError, HTTPClientError  # noqa: A004 (botocore's own)

from infra.local import engine, ticker
from infra.local.gateway import Gateway
from infra.local.greeting import FirstSteps, first_steps, ready_file, welcome
from infra.local.notices import mailbox, write_json
from infra.local.options import AWS, Options, read_options, service_environ
from infra.local.problems import CannotRun
from infra.local.pump import Pump
from infra.local.resources import MAILBOX, Clients, ensure_all
from infra.local.server import HttpServer, make_thread_safe
from infra.local.triggers import QueueHandler, queue_handlers, schedules

if TYPE_CHECKING:
    from chalice.app import Chalice

PUMPS: Final = 2
"""Pumps a queue: enough that two batches meet, as they do on Lambda."""
END_SECONDS: Final = 3.0
WATCH_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Background:
    """Threads that run beside the server, and the event that ends them."""

    stop: threading.Event
    threads: list[threading.Thread]

    def start(self, name: str, run: Any, *arguments: Any) -> None:
        """Start one; it is given up, not waited for, at the very end."""
        thread = threading.Thread(target=run, args=arguments, name=name, daemon=True)
        self.threads.append(thread)
        thread.start()

    def join(self) -> None:
        """Let them finish what they are at, for `END_SECONDS` in all."""
        self.stop.set()
        deadline = time.monotonic() + END_SECONDS
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def run(environ: MutableMapping[str, str]) -> None:
    """Run until a signal. Raises `CannotRun` when it cannot start, or its engine ends."""
    options = read_options(environ)
    stop = threading.Event()
    _stop_on_signals(stop)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_no_longer_ready(options.ready_file))
        stack.enter_context(engine.locked(options.data_dir))
        running, engine_url = stack.enter_context(_engine(options))
        clients = Clients(engine_url)
        names = _ensure(clients, engine_url) if options.creates_resources else {}
        server = HttpServer(options.host, options.port)
        stack.callback(server.stop)
        environ.pop("PARLEY_ENGINE_URL", None)
        environ.update(names)
        environ.update(service_environ(options, environ, port=server.port, engine_url=engine_url))
        steps = _serve(stack, options, server, clients=clients, stop=stop)
        _announce(options, server.port, steps)
        _wait(stop, running)


def _ensure(clients: Clients, engine_url: str | None) -> dict[str, str]:
    try:
        return ensure_all(clients)
    except (ConnectionError, HTTPClientError) as error:
        raise CannotRun(f"No engine answers at {engine_url}.") from error


def _serve(
    stack: contextlib.ExitStack,
    options: Options,
    server: HttpServer,
    *,
    clients: Clients,
    stop: threading.Event,
) -> FirstSteps:
    import app as service  # reads its settings from the environment, which is complete only now

    make_thread_safe(service.app)
    from chalicelib.api import sse

    streams = {sse.RESOURCE: lambda event, _: sse.open_stream(event, service.services)}
    gateway = Gateway(service.app, streams=streams)
    steps = first_steps(gateway, service.services, options.data_dir / "ready.json")
    server.serve(gateway)
    background = Background(stop, [])
    stack.callback(background.join)
    _start_triggers(service.app, options, clients, background)
    return steps


def _start_triggers(
    app: Chalice, options: Options, clients: Clients, background: Background
) -> None:
    for handler in queue_handlers(app):
        url = _queue_url(handler)
        for number in range(PUMPS if url else 0):
            pump = Pump(clients.sqs, url, handler)
            background.start(f"{handler.name}-{number}", pump.run, background.stop)
    if options.creates_resources:
        post = mailbox(options.data_dir / "notices", _say)
        url = clients.sqs.get_queue_url(QueueName=MAILBOX)["QueueUrl"]
        background.start("mailbox", Pump(clients.sqs, url, post).run, background.stop)
    for schedule in schedules(app):
        background.start(schedule.name, ticker.run, schedule, background.stop, options.tick_seconds)


def _queue_url(handler: QueueHandler) -> str:
    """Where the environment says the handler's queue is; a queue that it does not name is left."""
    name = handler.queue.removeprefix("parley-").upper()
    return os.environ.get(f"PARLEY_{name}_QUEUE_URL", "")


@contextlib.contextmanager
def _engine(options: Options) -> Iterator[tuple[engine.Engine | None, str | None]]:
    """The embedded engine, or none; and the endpoint that AWS clients get (None: AWS's own)."""
    if options.engine_url is None:
        with engine.running(options.data_dir) as running:
            yield running, running.url
    else:
        yield None, None if options.engine_url == AWS else options.engine_url


def _announce(options: Options, port: int, steps: FirstSteps) -> None:
    base_url = f"http://localhost:{port}"
    notices = options.data_dir / "notices" if options.creates_resources else None
    _say(welcome(steps, base_url=base_url, notices=notices))
    if options.ready_file is not None:
        ready = ready_file(steps, base_url=base_url, data_dir=options.data_dir, pid=os.getpid())
        _write_ready(options.ready_file, ready)


@contextlib.contextmanager
def _no_longer_ready(path: Path | None) -> Iterator[None]:
    """A ready file is there only while the service can be called: not from before, nor after."""
    if path is not None:
        path.unlink(missing_ok=True)
    try:
        yield
    finally:
        if path is not None:
            path.unlink(missing_ok=True)


def _write_ready(path: Path, ready: dict[str, Any]) -> None:
    try:
        write_json(path, ready)
    except OSError as error:
        raise CannotRun(f"PARLEY_READY_FILE cannot be written: {error.strerror}.") from error


def _wait(stop: threading.Event, running: engine.Engine | None) -> None:
    while not stop.wait(WATCH_SECONDS):
        if running is not None and not running.alive:
            raise CannotRun(f"The embedded engine ended by itself; {running.log} says why.")
    _say("parley: ending")


def _stop_on_signals(stop: threading.Event) -> None:
    def handle(_number: int, _frame: Any) -> None:
        if stop.is_set():
            os._exit(1)  # asked twice: the caller does not want to wait
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
