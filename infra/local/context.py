"""The context object that Lambda gives a handler, as far as handlers read it."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field

from infra.local.resources import REGION

ACCOUNT: str = "123456789012"


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class LambdaContext:
    """One invocation's context; `timeout_seconds` is told to the handler, not enforced."""

    function_name: str
    timeout_seconds: float = 29.0
    aws_request_id: str = field(default_factory=_new_id)
    memory_limit_in_mb: str = "512"
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"
    identity: None = None
    client_context: None = None
    _started: float = field(default_factory=time.monotonic)

    @property
    def invoked_function_arn(self) -> str:
        """The function's ARN, in the engine's account."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda would stop the function; never negative."""
        left = self.timeout_seconds - (time.monotonic() - self._started)
        return max(0, int(left * 1000))
