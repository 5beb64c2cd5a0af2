"""The rows of secret requests.

SR#<handle>     META                      the request, its spent nonces, its outcome
S#<session id>  SR#<name>#<principal>     which request is the latest for that name
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from chalicelib.domain.secret import SecretRequest, SecretState
from chalicelib.storage import keys
from chalicelib.storage.attributes import Item, instant, need_instant, number, text, to_ms

KEPT_AFTER: Final = timedelta(days=1)
"""How long a request that is over still says so on its page."""


def request_key(handle: str) -> Item:
    """Where the request with this handle stands."""
    return keys.key(f"SR#{handle}")


def latest_key(principal: str, session_id: str, name: str) -> Item:
    """Where the handle of the latest request stands, in the session's partition."""
    return keys.key(keys.session_pk(session_id), f"SR#{name}#{principal}")


def request_to_item(request: SecretRequest) -> Item:
    """The row of a new request."""
    return request_key(request.handle) | {
        "kind": text("secret_request"),
        "handle": text(request.handle),
        "principal": text(request.principal),
        "session_id": text(request.session_id),
        "name": text(request.name),
        "status": text(request.recorded.value),
        "is_closed": {"BOOL": request.is_closed},
        "expires_at": instant(request.expires_at),
        "ttl": _ttl(request),
    }


def latest_to_item(request: SecretRequest) -> Item:
    """The row that names a request as the latest."""
    return latest_key(request.principal, request.session_id, request.name) | {
        "kind": text("latest_secret_request"),
        "handle": text(request.handle),
        "ttl": _ttl(request),
    }


def _ttl(request: SecretRequest) -> Item:
    return number(to_ms(request.expires_at + KEPT_AFTER) // 1000)


def request_from_item(item: Item) -> SecretRequest:
    """A request from its row."""
    return SecretRequest(
        handle=item["handle"]["S"],
        principal=item["principal"]["S"],
        session_id=item["session_id"]["S"],
        name=item["name"]["S"],
        expires_at=need_instant(item, "expires_at"),
        recorded=SecretState(item["status"]["S"]),
        is_closed=bool(item["is_closed"]["BOOL"]),
    )
