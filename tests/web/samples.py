"""Questions, sessions and viewers as the pages get them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib.domain.cards import Card
from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.form_schema import derive_fields
from chalicelib.domain.form_schema.fields import Field
from chalicelib.domain.lost import Lost, LostReason
from chalicelib.domain.principal import Actor, Channel
from chalicelib.domain.session import Session
from chalicelib.web.viewer import Viewer

NOW = datetime(2026, 12, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
VIEWER = Viewer(name="alice", csrf="csrf-token")
BY_LINK = Actor("link holder", Channel.LINK)
BY_ALICE = Actor("alice", Channel.INBOX)

CONFIRM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Delete 14 rows?"}},
    "required": ["confirm"],
}
WHOLE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "environment": {
            "type": "string",
            "title": "Target environment",
            "enum": ["dev", "staging", "prod"],
            "enumNames": ["Development", "Staging", "Production"],
            "default": "staging",
        },
        "note": {"type": "string", "title": "Release note", "description": "For the changelog."},
        "ticket": {"type": "string", "minLength": 3, "maxLength": 12},
        "email": {"type": "string", "format": "email", "title": "Who to tell"},
        "link": {"type": "string", "format": "uri"},
        "day": {"type": "string", "format": "date"},
        "start": {
            "type": "string",
            "format": "date-time",
            "default": "2026-12-01T10:00:00+02:00",
        },
        "replicas": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
        "ratio": {"type": "number", "title": "Canary share"},
        "dry_run": {"type": "boolean", "title": "Dry run first"},
        "regions": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "eu", "title": "Europe"},
                    {"const": "us", "title": "United States"},
                ]
            },
            "maxItems": 2,
            "default": ["eu"],
        },
        "zone": {"type": "string", "title": "Zone", "enum": [f"zone-{n}" for n in range(12)]},
    },
    "required": ["environment", "replicas", "zone"],
}


def field(leaf: dict[str, Any], *, required: bool = False, name: str = "field") -> Field:
    """The one field of a form whose property is `leaf`."""
    schema = {"properties": {name: leaf}, "required": [name] if required else []}
    return derive_fields(schema)[0]


def elicitation(**over: Any) -> Elicitation:
    """A live question, asked three minutes ago, with 42 minutes to go."""
    given: dict[str, Any] = {
        "key": "key-1",
        "session_id": "session_1",
        "request_id": "request-1",
        "message": "Which environment?\n\nThe last release was on Friday.",
        "created_at": NOW - 3 * MINUTE,
        "expires_at": NOW + 42 * MINUTE + timedelta(seconds=20),
        "tool_name": "deploy",
        "context": "Release 4.2.1",
    }
    return Elicitation(**(given | over))


def session(**over: Any) -> Session:
    """A running session in which nothing waits."""
    given: dict[str, Any] = {
        "id": "session_1",
        "owner": "host",
        "created_at": NOW - 60 * MINUTE,
        "updated_at": NOW,
        "secret": "never shown",
        "title": "Nightly release",
    }
    return Session(**(given | over))


def lost(reason: LostReason, **over: Any) -> Lost:
    """A lost record of twenty minutes ago."""
    given: dict[str, Any] = {"at": NOW - 20 * MINUTE, "summary": "deploy: Which environment?"}
    return Lost(reason=reason, **(given | over))


def card(**over: Any) -> Card:
    """An open card with five minutes to go."""
    given: dict[str, Any] = {
        "call_id": "url_elicitation_1",
        "session_id": "session_1",
        "turn_id": "turn_1",
        "server": "github",
        "tool": "list_repos",
        "message": "Connect your account.",
        "url": "https://github.example/login?state=1",
        "host": "github.example",
        "is_punycode": False,
        "origin": "https://github.example:443",
        "arguments_digest": "d",
        "request_key": "r",
        "created_at": NOW,
        "expires_at": NOW + 5 * MINUTE,
    }
    return Card(**(given | over))
