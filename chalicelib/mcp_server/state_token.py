"""Seals small state into text that travels through the client and comes back.

The seal is bound to a context (whose call, which tool, which arguments) that the text does not
carry: the context goes into the derivation of the signing key. So the text tells its holder nothing
about it, and a state taken elsewhere fails exactly as a forged one does. A seal does not make a
state good for one use only; the table does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from chalicelib.domain.principal import Principal
from chalicelib.domain.tokens import KeySource

if TYPE_CHECKING:
    from itsdangerous import URLSafeSerializer

MAX_TOKEN_CHARACTERS: Final = 2048


class StateSealer(Protocol):
    """Seals and opens; `context` must be the same strings both times."""

    def seal(self, payload: Any, *, context: Sequence[str], expires_at: datetime) -> str:
        """URL-safe text over a JSON payload, good until `expires_at` (aware)."""
        ...

    def unseal(self, token: str, *, context: Sequence[str], now: datetime) -> Any:
        """The payload, or None for every reason that a token may be bad."""
        ...


class SignedSealer:
    """`StateSealer` over itsdangerous, HMAC-SHA256; every key opens, the last one seals."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = list(keys)

    def seal(self, payload: Any, *, context: Sequence[str], expires_at: datetime) -> str:
        """See `StateSealer.seal`."""
        token = self._serializer(context).dumps([int(expires_at.timestamp()), payload])
        return token if isinstance(token, str) else token.decode()

    def unseal(self, token: str, *, context: Sequence[str], now: datetime) -> Any:
        """See `StateSealer.unseal`."""
        from itsdangerous import BadData

        if len(token) > MAX_TOKEN_CHARACTERS or not token.isascii():
            return None
        try:
            opened = self._serializer(context).loads(token)
        except BadData:
            return None
        match opened:
            case [int(expires_at), payload] if now.timestamp() < expires_at:
                return payload
        return None

    def _serializer(self, context: Sequence[str]) -> URLSafeSerializer:
        from itsdangerous import URLSafeSerializer

        return URLSafeSerializer(
            self._keys,
            salt=f"parley.mcp.{digest(list(context))}",
            signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
        )


class KeyringSealer:
    """`StateSealer` over keys that rotate while the process lives (see `domain.tokens`)."""

    def __init__(self, source: KeySource) -> None:
        self._source = source

    def seal(self, payload: Any, *, context: Sequence[str], expires_at: datetime) -> str:
        """See `StateSealer.seal`."""
        sealer = SignedSealer(self._source.keys())
        return sealer.seal(payload, context=context, expires_at=expires_at)

    def unseal(self, token: str, *, context: Sequence[str], now: datetime) -> Any:
        """See `StateSealer.unseal`; the key may be one that a rotation made elsewhere just now."""
        opened = SignedSealer(self._source.keys()).unseal(token, context=context, now=now)
        newer = self._source.newer_keys() if opened is None else None
        if newer is None:
            return opened
        return SignedSealer(newer).unseal(token, context=context, now=now)


def call_context(
    principal: Principal, tool: str, arguments: Mapping[str, Any]
) -> tuple[str, str, str, str]:
    """What a request state is bound to: the key that calls, the tool, and the exact arguments."""
    return ("state", principal.key_id, tool, digest(arguments))


def digest(value: Any) -> str:
    """SHA-256 (hex) of a JSON value; the order of names in objects does not count."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
