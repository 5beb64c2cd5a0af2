"""A digest of a JSON value: equal values have equal digests, however they were written."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(value: Any) -> str:
    """SHA-256 over canonical JSON, hex; keeps 3, 3.0 and "3" apart."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
