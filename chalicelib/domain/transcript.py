"""The conversation of a session, folded out of its journal: what a model is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.domain import events
from chalicelib.domain.cards import CONFIRM_TOOL
from chalicelib.domain.events import NumberedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One entry: words of the user or the agent, calls of the agent (`id`, `name`, `arguments`), or
    the result of one call (`call_id`). `version` is its place in the journal."""

    role: str  # user | assistant | tool | note
    version: int
    text: str = ""
    calls: Sequence[Mapping[str, Any]] = ()
    call_id: str | None = None
    is_ok: bool = True
    message: Mapping[str, Any] | None = None


def transcript(numbered: Iterable[NumberedEvent]) -> list[Utterance]:
    """Messages and results in their order.

    A card's own confirm call was made by no agent, so its result is not part of the conversation:
    the decision is (as a user's message), and that nobody decided is a note.
    """
    found = [_utterance(one.version, one.event.type, one.event.data) for one in numbered]
    return [one for one in found if one is not None]


def _utterance(version: int, type_: str, data: Mapping[str, Any]) -> Utterance | None:
    match type_:
        case events.INPUT_MESSAGE | events.OUTPUT_MESSAGE:
            message = data["message"]
            return Utterance(
                role=message["role"],
                version=version,
                text=_text(message["content"]),
                calls=message.get("tool_calls", ()),
                message=message,
            )
        case events.TOOL_COMPLETED if data["tool_name"] != CONFIRM_TOOL:
            return Utterance(
                role="tool",
                version=version,
                call_id=data["tool_call_id"],
                text=data.get("error") or _text(data.get("result", [])),
                is_ok=data["success"],
            )
        case events.TOOL_COMPLETED if data["status"] == "timeout":
            return Utterance(role="note", version=version, text=data.get("error", ""))
    return None


def _text(content: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))
