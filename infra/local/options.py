"""The runner's own variables, and the environment that it prepares for the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from infra.local.problems import CannotRun
from infra.local.resources import CREDENTIALS

AWS: Final = "aws"
"""`PARLEY_ENGINE_URL=aws`: no engine; the account and the names that the environment gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run. `engine_url` is None for the embedded engine; port 0 is any free one."""

    host: str
    port: int
    data_dir: Path
    ready_file: Path | None
    engine_url: str | None
    tick_seconds: float | None

    @property
    def creates_resources(self) -> bool:
        """Only on an engine of this machine: nothing is ever created in an account."""
        return self.engine_url is None or is_loopback(urlsplit(self.engine_url).hostname)


def read_options(environ: Mapping[str, str]) -> Options:
    """Raises `CannotRun` for a value that cannot be used."""
    ready_file = environ.get("PARLEY_READY_FILE")
    return Options(
        host=environ.get("PARLEY_HOST") or "127.0.0.1",
        port=_port(environ),
        data_dir=Path(environ.get("PARLEY_DATA_DIR") or ".parley").resolve(),
        ready_file=Path(ready_file).resolve() if ready_file else None,
        engine_url=environ.get("PARLEY_ENGINE_URL") or None,
        tick_seconds=_tick_seconds(environ),
    )


def service_environ(
    options: Options, environ: Mapping[str, str], *, port: int, engine_url: str | None
) -> dict[str, str]:
    """What the service reads besides the names of its resources; the caller's own words win.

    Open protocol routes (design section 6) only where nobody else can reach them.
    """
    base_url = f"http://localhost:{port}"
    defaults = {
        "PARLEY_STAGE": "development",
        "PARLEY_BASE_URL": base_url,
        "ELICITATION_OPEN_PROTOCOL": "true" if is_loopback(options.host) else "false",
        "POWERTOOLS_METRICS_DISABLED": "true",  # they are printed, for CloudWatch to pick up
    }
    chosen = {name: environ.get(name) or value for name, value in defaults.items()}
    if options.creates_resources and engine_url:
        chosen |= CREDENTIALS
    return chosen | ({"PARLEY_ENGINE_URL": engine_url} if engine_url else {})


def is_loopback(host: str | None) -> bool:
    """Whether an address or name means this machine only."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def _port(environ: Mapping[str, str]) -> int:
    raw = environ.get("PARLEY_PORT", "").strip() or "8000"
    if not raw.isascii() or not raw.isdigit() or int(raw) > 65_535:
        raise CannotRun("PARLEY_PORT is not a port number from 0 to 65535.")
    return int(raw)


def _tick_seconds(environ: Mapping[str, str]) -> float | None:
    raw = environ.get("PARLEY_TICK_SECONDS", "").strip()
    if not raw:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise CannotRun("PARLEY_TICK_SECONDS is not a number of seconds up to 86400.")
    return seconds
