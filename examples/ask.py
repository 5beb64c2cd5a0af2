#!/usr/bin/env python3
"""Ask a person through Parley and print the answer. Needs nothing but Python.

    python examples/ask.py "Which environment?" --choices staging,production

Reads the five variables that an agent's host sets (see `GET /api/v1/sessions/{id}/env`):
ELICITATION_REQUEST_URL, ELICITATION_POLL_URL, ELICITATION_TTL_MS, ELICITATION_SESSION_ID and
ELICITATION_PREFER_HTTP_FALLBACK. The exit code is 0 when a person accepted, 1 when not, 2 when
nobody could be asked.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

TIMEOUT = 30
"""Seconds for one request; a poll may be held for 20."""


class CannotAsk(Exception):
    """The question did not reach Parley, or Parley refused it."""


def main() -> int:
    """Ask, wait, print the answer as JSON."""
    options = _options()
    try:
        answer = ask(
            options.message,
            schema=_schema(options),
            tool=options.tool,
            seconds=options.seconds or int(os.environ.get("ELICITATION_TTL_MS", "3600000")) / 1000,
            wait=options.wait,
        )
    except CannotAsk as problem:
        print(f"ask: {problem}", file=sys.stderr)
        return 2
    print(json.dumps(answer, ensure_ascii=False))
    return 0 if answer["action"] == "accept" else 1


def ask(
    message: str, *, schema: dict[str, Any], tool: str, seconds: float, wait: int
) -> dict[str, Any]:
    """Put one question and wait for its outcome; `seconds` is how long anybody may take."""
    deadline = datetime.now(UTC) + timedelta(seconds=seconds)
    request_id = str(uuid.uuid4())
    meta = {
        "com.pulsemcp/request-id": request_id,
        "com.pulsemcp/expires-at": deadline.isoformat(timespec="milliseconds"),
        "com.pulsemcp/session-id": os.environ.get("ELICITATION_SESSION_ID", ""),
        "com.pulsemcp/tool-name": tool,
    }
    body = {"mode": "form", "message": message, "requestedSchema": schema, "_meta": meta}
    created = _call(_variable("ELICITATION_REQUEST_URL"), body)
    handle = created.get("requestId", request_id)
    poll_url = f"{_variable('ELICITATION_POLL_URL').rstrip('/')}/{handle}?wait={wait}"
    print(f"ask: waiting for a person until {deadline:%H:%M:%S} UTC", file=sys.stderr)
    while datetime.now(UTC) < deadline:
        polled = _call(poll_url)
        if polled["action"] != "pending":
            return {key: polled[key] for key in ("action", "content") if key in polled}
        if not wait:
            time.sleep(2)
    return {"action": "expired"}


def _call(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            read: dict[str, Any] = json.load(answer)
            return read
    except urllib.error.HTTPError as error:
        raise CannotAsk(f"Parley answered {error.code}: {_message(error)}") from None
    except OSError as error:
        raise CannotAsk(f"Parley cannot be reached: {error}") from None


def _message(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            return str(json.load(error)["error"]["message"])
        except (ValueError, KeyError, TypeError):
            return str(error.reason)


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise CannotAsk(f"{name} is not set; an agent's host sets it for every session")
    return value


def _schema(options: argparse.Namespace) -> dict[str, Any]:
    """What to ask for: a choice, a form of one's own, or a plain yes or no."""
    if options.schema:
        own: dict[str, Any] = json.loads(options.schema)
        return own
    if options.choices:
        field: dict[str, Any] = {"type": "string", "enum": options.choices.split(",")}
        return {"type": "object", "properties": {"choice": field}, "required": ["choice"]}
    field = {"type": "boolean", "title": "Yes or no"}
    return {"type": "object", "properties": {"confirm": field}, "required": ["confirm"]}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("message", help="what to ask")
    parser.add_argument("--choices", help="comma list to choose from; without it: yes or no")
    parser.add_argument("--schema", help="a requestedSchema of your own, as JSON")
    parser.add_argument("--tool", default="ask.py", help="the name shown to people")
    parser.add_argument("--seconds", type=float, help="how long anybody may take")
    parser.add_argument("--wait", type=int, default=20, help="seconds to hold each poll (0..20)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
