"""What a client declared that it can do, reduced to what a server may build on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from chalicelib.mcp_server.refusals import InvalidParams, MissingCapability

_MODES: Final = ("form", "url")


class Capabilities:
    """Declared capabilities by dotted name, such as `elicitation.url`, `sampling`, `roots`.

    A declared `elicitation` without modes means form only (MCP 2025-11-25, "Elicitation").
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = frozenset(names)

    @classmethod
    def read(cls, declared: Any) -> Capabilities:
        """Raises `InvalidParams` unless `declared` is an object; ill-typed members do not count."""
        if not isinstance(declared, dict):
            raise InvalidParams("The client's capabilities must be an object.")
        names = [name for name in ("roots", "sampling") if isinstance(declared.get(name), dict)]
        elicitation = declared.get("elicitation")
        if isinstance(elicitation, dict):
            modes = [mode for mode in _MODES if isinstance(elicitation.get(mode), dict)]
            names += [f"elicitation.{mode}" for mode in modes]
            if not any(mode in elicitation for mode in _MODES):
                names.append("elicitation.form")
        return cls(names)

    def require(self, name: str) -> None:
        """Raises `MissingCapability` unless declared."""
        if name not in self.names:
            raise MissingCapability(name)


def needed_for(input_request: Mapping[str, Any]) -> str:
    """The capability that an entry of `inputRequests` needs."""
    method = input_request["method"]
    if method == "elicitation/create":
        return f"elicitation.{input_request['params'].get('mode', 'form')}"
    return str(method).partition("/")[0]
