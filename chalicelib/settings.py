"""Every environment variable that the service reads, read once into a frozen value.

A bad knob is logged and ignored: a deploy never fails over one (seed, "Expiry"). A missing name
that a part cannot work without is an error when that part is first used, naming the variable.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

log = logging.getLogger("parley.settings")

STAGES: Final = ("development", "staging", "production")
MINUTES_IN_SEVEN_DAYS: Final = 7 * 24 * 60

_TRUE: Final = frozenset({"1", "true", "t", "yes", "y", "on"})
_FALSE: Final = frozenset({"0", "false", "f", "no", "n", "off"})
_DIGITS: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


class MissingSetting(RuntimeError):
    """A variable that the part in use cannot do without is not set."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not set")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The service's configuration. Durations say their unit in the name."""

    stage: str = "development"
    service: str = "parley"
    base_url: str = "http://localhost:8000"
    poll_base_url: str = "http://localhost:8000"
    engine_url: str | None = None
    table: str = ""
    timers_queue_url: str = ""
    notices_queue_url: str = ""
    turns_queue_url: str = ""
    needs_input_topic_arn: str = ""
    incidents_topic_arn: str = ""
    kms_key_id: str = ""
    signing_secret_id: str = ""
    expiration_minutes: int = 60
    open_protocol: bool = False
    reminder_share: float = 0.5
    retention_days: int = 30
    session_token_days: int = 30
    tool_result_timeout_seconds: int = 300
    probe_bad_threshold: int = 1
    probe_good_threshold: int = 2
    asker_may_answer: bool = False
    allowed_origins: tuple[str, ...] = ()
    allow_private_upstreams: bool = False

    @property
    def is_local(self) -> bool:
        """Whether http on loopback is allowed where production demands https."""
        return self.stage == "development"

    def require(self, name: str) -> str:
        """The value of the field `name`; raises `MissingSetting` when it is empty."""
        value = str(getattr(self, name))
        if not value:
            raise MissingSetting(VARIABLES[name])
        return value


VARIABLES: Final[Mapping[str, str]] = {
    "stage": "PARLEY_STAGE",
    "service": "POWERTOOLS_SERVICE_NAME",
    "base_url": "PARLEY_BASE_URL",
    "poll_base_url": "PARLEY_POLL_BASE_URL",
    "engine_url": "PARLEY_ENGINE_URL",
    "table": "PARLEY_TABLE",
    "timers_queue_url": "PARLEY_TIMERS_QUEUE_URL",
    "notices_queue_url": "PARLEY_NOTICES_QUEUE_URL",
    "turns_queue_url": "PARLEY_TURNS_QUEUE_URL",
    "needs_input_topic_arn": "PARLEY_NEEDS_INPUT_TOPIC_ARN",
    "incidents_topic_arn": "PARLEY_INCIDENTS_TOPIC_ARN",
    "kms_key_id": "PARLEY_KMS_KEY_ID",
    "signing_secret_id": "PARLEY_SIGNING_SECRET_ID",
    "expiration_minutes": "ELICITATION_EXPIRATION_MINUTES",
    "open_protocol": "ELICITATION_OPEN_PROTOCOL",
    "reminder_share": "PARLEY_REMINDER_SHARE",
    "retention_days": "PARLEY_RETENTION_DAYS",
    "session_token_days": "PARLEY_SESSION_TOKEN_DAYS",
    "tool_result_timeout_seconds": "TOOL_RESULT_TIMEOUT_SECS",
    "probe_bad_threshold": "PARLEY_PROBE_BAD_THRESHOLD",
    "probe_good_threshold": "PARLEY_PROBE_GOOD_THRESHOLD",
    "asker_may_answer": "PARLEY_ASKER_MAY_ANSWER",
    "allowed_origins": "PARLEY_ALLOWED_ORIGINS",
    "allow_private_upstreams": "PARLEY_ALLOW_PRIVATE_UPSTREAMS",
}
"""Field to variable; the README's table is checked against it."""


class _Reader:
    """Reads typed knobs from an environment; a bad one is logged by name and left at its
    default."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, field: str, default: str) -> str:
        return self._environ.get(VARIABLES[field], "").strip() or default

    def flag(self, field: str, *, default: bool) -> bool:
        raw = self.text(field, "").lower()
        if raw in _TRUE or raw in _FALSE:
            return raw in _TRUE
        if raw:
            self._ignore(field, "not one of true, false")
        return default

    def whole(self, field: str, default: int, *, low: int, high: int) -> int:
        """ASCII decimal digits only; under `low` is ignored, over `high` is clamped; both are
        logged."""
        raw = self.text(field, "")
        if not raw:
            return default
        digits = raw.removeprefix("+")
        if not _DIGITS.fullmatch(digits) or int(digits) < low:
            self._ignore(field, f"not a whole number of at least {low}")
            return default
        if int(digits) > high:
            log.warning("%s is over its maximum; %d is used", VARIABLES[field], high)
        return min(int(digits), high)

    def share(self, field: str, default: float) -> float:
        raw = self.text(field, "")
        try:
            value = float(raw) if raw else default
        except ValueError:
            value = -1.0
        if 0.0 <= value < 1.0:
            return value
        self._ignore(field, "not a number from 0 up to, but not including, 1")
        return default

    def stage(self) -> str:
        raw = self.text("stage", "development")
        if raw in STAGES:
            return raw
        self._ignore("stage", f"not one of {', '.join(STAGES)}; the strictest is assumed")
        return "production"

    def _ignore(self, field: str, why: str) -> None:
        log.warning("%s is ignored: %s", VARIABLES[field], why)


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read every variable. Never raises: a bad value is logged by name (never quoted) and
    ignored."""
    read = _Reader(environ)
    base_url = read.text("base_url", "http://localhost:8000").rstrip("/")
    return Settings(
        stage=read.stage(),
        service=read.text("service", "parley"),
        base_url=base_url,
        poll_base_url=read.text("poll_base_url", base_url).rstrip("/"),
        engine_url=read.text("engine_url", "") or None,
        table=read.text("table", ""),
        timers_queue_url=read.text("timers_queue_url", ""),
        notices_queue_url=read.text("notices_queue_url", ""),
        turns_queue_url=read.text("turns_queue_url", ""),
        needs_input_topic_arn=read.text("needs_input_topic_arn", ""),
        incidents_topic_arn=read.text("incidents_topic_arn", ""),
        kms_key_id=read.text("kms_key_id", ""),
        signing_secret_id=read.text("signing_secret_id", ""),
        expiration_minutes=read.whole("expiration_minutes", 60, low=1, high=MINUTES_IN_SEVEN_DAYS),
        open_protocol=read.flag("open_protocol", default=False),
        reminder_share=read.share("reminder_share", 0.5),
        retention_days=read.whole("retention_days", 30, low=1, high=3650),
        session_token_days=read.whole("session_token_days", 30, low=1, high=366),
        tool_result_timeout_seconds=read.whole(
            "tool_result_timeout_seconds", 300, low=1, high=86_400
        ),
        probe_bad_threshold=read.whole("probe_bad_threshold", 1, low=1, high=100),
        probe_good_threshold=read.whole("probe_good_threshold", 2, low=1, high=100),
        asker_may_answer=read.flag("asker_may_answer", default=False),
        allowed_origins=tuple(
            origin.strip().rstrip("/")
            for origin in read.text("allowed_origins", "").split(",")
            if origin.strip()
        ),
        allow_private_upstreams=read.flag("allow_private_upstreams", default=False),
    )
