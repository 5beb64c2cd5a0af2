"""What the runner hands a developer: a key, an open session, its five variables, a line to paste.

Uses the API as any host does; only the key is made behind it, as `python -m chalicelib.keys` does.
"""

from __future__ import annotations

import json
import shlex
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError

from infra.local.notices import write_json
from infra.local.problems import CannotRun
from infra.local.wire import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from chalicelib.bootstrap import Services

Ask = Callable[[HttpRequest], HttpResponse]

OPEN_STATUSES: Final = frozenset({"running", "needs_input"})


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """A development key with every scope, and a session that it opened."""

    api_key: str
    session_id: str
    env: Mapping[str, str]


def first_steps(ask: Ask, services: Services, memory: Path) -> FirstSteps:
    """The key and session of the last start while both still work, else new ones.

    `memory` (owner only) keeps them; the variables are made anew, for this start's address. Raises
    `CannotRun` when the service does not open a session.
    """
    steps = _remembered(ask, memory)
    if steps is None:
        key = _issue_key(services)
        opened = _call(ask, key, "POST", "/api/v1/sessions", body={"title": "Development session"})
        if opened is None:
            raise CannotRun("The service started but does not open a session; its log says why.")
        steps = FirstSteps(key, opened["id"], opened["env"])
    write_json(memory, {"api_key": steps.api_key, "session_id": steps.session_id})
    return steps


def ready_file(steps: FirstSteps, *, base_url: str, data_dir: Path, pid: int) -> dict[str, Any]:
    """What `PARLEY_READY_FILE` gets when the service can be called."""
    return {"base_url": base_url, **asdict(steps), "data_dir": str(data_dir), "pid": pid}


def welcome(steps: FirstSteps, *, base_url: str, notices: Path | None) -> str:
    """The text on the console."""
    variables = "\n".join(f"  export {name}={shlex.quote(v)}" for name, v in steps.env.items())
    where = f"Notices appear here and under {notices}." if notices else "Notices go to the topic."
    return f"""
Parley is ready at {base_url}

API key (all scopes)   {steps.api_key}
Session                {steps.session_id}
Inbox                  {base_url}/ (sign in with the key)

Five variables lead an agent's MCP servers here:
{variables}

Ask a question:
  {curl_line(steps)}

{where} Ctrl-C ends it; questions and answers stay.
"""


def curl_line(steps: FirstSteps) -> str:
    """A command that asks one question; the answer link arrives as a notice."""
    question = {
        "mode": "form",
        "message": "Which environment?",
        "requestedSchema": {
            "type": "object",
            "properties": {"environment": {"type": "string", "enum": ["staging", "production"]}},
            "required": ["environment"],
        },
        "_meta": {
            "com.pulsemcp/request-id": str(uuid.uuid4()),
            "com.pulsemcp/session-id": steps.session_id,
        },
    }
    url = steps.env["ELICITATION_REQUEST_URL"]
    body = shlex.quote(json.dumps(question))
    return f"curl -sS {shlex.quote(url)} -H 'Content-Type: application/json' -d {body}"


def _remembered(ask: Ask, memory: Path) -> FirstSteps | None:
    try:
        kept = json.loads(memory.read_text())
        key, session_id = str(kept["api_key"]), str(kept["session_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    path = f"/api/v1/sessions/{session_id}"
    session = _call(ask, key, "GET", path)
    if session is None or session["status"] not in OPEN_STATUSES:
        return None
    variables = _call(ask, key, "GET", f"{path}/env")
    return FirstSteps(key, session_id, variables["env"]) if variables else None


def _issue_key(services: Services) -> str:
    from chalicelib.domain.errors import ParleyError
    from chalicelib.domain.principal import Scope
    from chalicelib.keys import issue
    from chalicelib.settings import MissingSetting

    try:
        return issue(services, name="development", scopes=frozenset(Scope))
    except (BotoCoreError, MissingSetting, ParleyError) as error:
        raise CannotRun(f"The service cannot start: {str(error).rstrip('.')}.") from error


def _call(ask: Ask, key: str, method: str, path: str, *, body: Any = None) -> dict[str, Any] | None:
    """A call of the service's own API; None when it is refused."""
    response = ask(
        HttpRequest(
            method=method,
            target=path,
            headers=[("X-API-Key", key), ("Content-Type", "application/json")],
            body=b"" if body is None else json.dumps(body).encode(),
        )
    )
    if response.status >= 300:
        return None
    answer: dict[str, Any] = json.loads(b"".join(response.body))
    return answer
