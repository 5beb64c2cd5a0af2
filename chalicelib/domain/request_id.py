"""The asker's request id, and the handle that stands for it in URLs.

Whoever knows a handle may poll, and clients put it into a URL without encoding it. So an id that is
both unguessable and URL-safe is used as it is; any other is accepted, and our own handle returned.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Final

MAX_LENGTH: Final = 512

_UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)
_RANDOM_VERSIONS: Final = "47"
_URL_SAFE: Final = re.compile(r"[A-Za-z0-9_-]{32,128}", re.ASCII)
_DISTINCT_CHARACTERS: Final = 12
_HANDLE: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)


def is_strong(request_id: str) -> bool:
    """Whether the id can stand in a URL and cannot be guessed: a random UUID or as good as one."""
    made = _UUID.fullmatch(request_id)
    if made is not None:
        return made[1] in _RANDOM_VERSIONS
    varied = len(set(request_id)) >= _DISTINCT_CHARACTERS
    return varied and _URL_SAFE.fullmatch(request_id) is not None


def derived_handle(request_id: str, *, session_secret: str) -> str:
    """Our handle for a weak id: the same for the same session and id, so that a replay finds it."""
    mac = hmac.new(session_secret.encode(), request_id.encode("utf-8", "replace"), hashlib.sha256)
    return "h" + base64.urlsafe_b64encode(mac.digest()[:24]).decode()


def may_be_handle(text: str) -> bool:
    """Whether `text` could name a session or an elicitation at all; what cannot costs no read (and
    DynamoDB refuses keys over 2048 bytes)."""
    return _HANDLE.fullmatch(text) is not None
