"""Where a command gets the session's values from: the service, an env file, the process itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv import dotenv, files
from chalicelib.hostenv.client import Service
from chalicelib.hostenv.variables import NAMES, POLL_URL, REQUEST_URL, Values, chosen, complete
from chalicelib.outbound.prober import PROBE_NAME, probe_url

BASE_URL: Final = "PARLEY_BASE_URL"
API_KEY: Final = "PARLEY_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSource:
    """What was said on the command line or in the environment about the session."""

    base_url: str | None
    session_id: str | None
    env_file: Path | None
    api_key: str | None = field(repr=False)

    def service(self) -> Service | None:
        """The service to ask, or None when an env file stands in for it. Raises `InvalidInput`
        naming what is missing."""
        if self.env_file is not None:
            if self.session_id is not None:
                raise InvalidInput("--env-file and --session exclude each other")
            return None
        needed = {"--base-url": self.base_url, "--session": self.session_id, API_KEY: self.api_key}
        missing = [name for name, value in needed.items() if not value]
        if missing:
            raise InvalidInput(f"missing: {', '.join(missing)} (or --env-file)")
        return Service(str(self.base_url), str(self.session_id), str(self.api_key))

    def values(self, *, allow_incomplete: bool = False) -> dict[str, str]:
        """The session's values of the five. Raises `InvalidInput` when one is missing without which
        the round trip breaks, unless that is what is being looked for."""
        service = self.service()
        if service is not None:
            what = service.base_url
            values = chosen(service.variables(), what=what)
        else:
            what = str(self.env_file)
            values = chosen(dotenv.parse(files.read(Path(what)).text), what=what)
        if not allow_incomplete:
            complete(values, what=what)
        return values

    def probe_urls(self, environ: Mapping[str, str]) -> Sequence[str]:
        """What to probe: the env file's URLs, the instance, or what this very process was given.
        Raises `InvalidInput` when there is none of them."""
        if self.env_file is not None:
            return urls_of(self.values(allow_incomplete=True), what=str(self.env_file))
        if self.base_url:
            return [probe_url(self.base_url)]
        given = {name: environ[name] for name in NAMES if name in environ}
        return urls_of(chosen(given, what="the environment"), what="the environment")


def urls_of(values: Values, *, what: str) -> Sequence[str]:
    """The poll of an id that nobody has, at each of the addresses that the values name."""
    bases = [values[name].rstrip("/") for name in (REQUEST_URL, POLL_URL) if name in values]
    if not bases:
        raise InvalidInput(f"{what} names no URL; give --base-url or --env-file")
    return [f"{base}/{PROBE_NAME}" for base in dict.fromkeys(bases)]
