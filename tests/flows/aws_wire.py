"""What passes between a service and AWS: each request is counted, and may be made to fail.

Works on botocore's own events, below the service's clients and above the socket, so that the SDK's
retries, time-outs and error classes are the real ones.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from chalicelib.bootstrap import Services

Fault = Callable[[Any, Any], AWSResponse | None]
"""(client, prepared request) -> an answer in AWS's place, or None to let it pass; may raise."""


class _Raw(io.BytesIO):
    """A body as botocore reads it."""

    def stream(self, **_kwargs: Any) -> Iterator[bytes]:
        yield self.read()


def _error(status: int, code: str) -> Fault:
    def fail(_client: Any, request: Any) -> AWSResponse:
        body = json.dumps({"__type": f"com.amazonaws#{code}", "message": "injected"})
        return AWSResponse(request.url, status, HTTPHeaders(), _Raw(body.encode()))

    return fail


throttled = _error(400, "ProvisionedThroughputExceededException")
broken = _error(500, "InternalServerError")
unavailable = _error(503, "ServiceUnavailable")


def timed_out(_client: Any, request: Any) -> AWSResponse | None:
    """Nothing came back in time, and nothing was done."""
    raise ReadTimeoutError(endpoint_url=request.url)


def unacknowledged(client: Any, request: Any) -> AWSResponse | None:
    """It was done, and the connection broke before the answer."""
    client._endpoint.http_session.send(request)
    raise ConnectionClosedError(endpoint_url=request.url)


FAULTS: dict[str, Fault] = {
    "throttled": throttled,
    "broken": broken,
    "unavailable": unavailable,
    "timed out": timed_out,
}


class Wire:
    """The requests of a service's clients since the last `reset`, and the faults set on them."""

    def __init__(self, services: Services) -> None:
        self._clients = (
            services.dynamodb,
            services.messenger.client,
            services.publisher.client,
            services.signing.client,
        )
        self._faults: dict[str, tuple[Fault, int]] = {}
        self.seen: Counter[str] = Counter()

    def reset(self) -> None:
        """Forget what was seen."""
        self.seen.clear()

    def fail(self, operation: str, fault: Fault, times: int = 10**6) -> None:
        """Let the next `times` requests of an operation (`*`: of any) fail."""
        self._faults[operation] = (fault, times)

    def mend(self) -> None:
        """No more faults."""
        self._faults.clear()

    @contextmanager
    def tapped(self) -> Iterator[Wire]:
        """Listen until the end of the block."""
        handlers = [(client, self._handler(client)) for client in self._clients]
        for client, handler in handlers:
            client.meta.events.register("before-send", handler)
        try:
            yield self
        finally:
            for client, handler in handlers:
                client.meta.events.unregister("before-send", handler)

    def _handler(self, client: Any) -> Any:
        def before_send(request: Any, event_name: str, **_kwargs: Any) -> AWSResponse | None:
            operation = event_name.rpartition(".")[2]
            self.seen[operation] += 1
            for name in (operation, "*"):
                fault, left = self._faults.get(name, (None, 0))
                if fault is not None and left > 0:
                    self._faults[name] = (fault, left - 1)
                    return fault(client, request)
            return None

        return before_send
