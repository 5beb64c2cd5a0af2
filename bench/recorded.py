"""The bare floor: the very AWS calls that a request made, recorded once and made again alone.

A replay names other ids of the same length, and so is the same work for the engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Call = tuple[str, str, dict[str, Any]]
"""Service, operation as botocore names it, parameters."""


@contextmanager
def recording(*clients: Any) -> Iterator[list[Call]]:
    """The calls that these boto3 clients make inside the block."""
    calls: list[Call] = []

    def note(params: dict[str, Any], model: Any, **_rest: Any) -> None:
        calls.append((model.service_model.service_name, model.name, dict(params)))

    for client in clients:
        client.meta.events.register("provide-client-params.*", note, unique_id="bench")
    try:
        yield calls
    finally:
        for client in clients:
            client.meta.events.unregister("provide-client-params.*", unique_id="bench")


def renamed(calls: Sequence[Call], names: Mapping[str, str]) -> list[Call]:
    """The calls with every id in `names` replaced, wherever it stands."""
    text = json.dumps(calls)
    for old, new in names.items():
        text = text.replace(old, new)
    return [(service, operation, params) for service, operation, params in json.loads(text)]


def replay(calls: Sequence[Call], clients: Mapping[str, Any]) -> None:
    """Make the calls, one after the other, as the service's own code would at best."""
    for service, operation, params in calls:
        client = clients[service]
        getattr(client, client_method(client, operation))(**params)


def client_method(client: Any, operation: str) -> str:
    """`GetItem` to `get_item`."""
    methods = client.meta.method_to_api_mapping
    return str(next(name for name, api in methods.items() if api == operation))
