"""API keys: `parley_<key id>_<secret>`. Only a hash is kept; the key is shown once.

The secret is 256 random bits, so a plain SHA-256 is as good as a slow hash would be.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.domain.principal import Principal, Scope

_SHAPE: Final = re.compile(r"parley_([a-z0-9]{12})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as stored."""

    key_id: str
    secret_hash: str
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    revoked_at: datetime | None = None

    def principal(self) -> Principal:
        """Who the holder of this key is."""
        return Principal(name=self.name, scopes=self.scopes, key_id=self.key_id)


def split_key(raw: str) -> tuple[str, str] | None:
    """(key id, secret) of a well-formed key, else None."""
    match = _SHAPE.fullmatch(raw)
    return (match[1], match[2]) if match else None


def join_key(key_id: str, secret: str) -> str:
    """The key as its holder sends it."""
    return f"parley_{key_id}_{secret}"


def hash_secret(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_valid(key: ApiKey, secret: str) -> bool:
    """Whether the secret is the key's and the key is not revoked (constant-time comparison)."""
    same = hmac.compare_digest(key.secret_hash, hash_secret(secret))
    return same and key.revoked_at is None
