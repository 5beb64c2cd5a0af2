"""Which of the app's resources a path is, and which methods it has: API Gateway's matching."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Match:
    """A path that belongs to a resource: its template and its parameters, decoded once."""

    resource: str
    parameters: Mapping[str, str]


class Routes:
    """The resources of one API. A literal segment wins over a parameter, from the left."""

    def __init__(self, methods: Mapping[str, Collection[str]]) -> None:
        self._methods = methods
        self._templates = sorted(
            (template.strip("/").split("/") for template in methods),
            key=lambda segments: [_is_parameter(segment) for segment in segments],
        )

    def match(self, path: str) -> Match | None:
        """The resource of a percent-encoded path, or None. One trailing slash is ignored, as there.

        A parameter is one segment and not empty; an encoded slash does not split a segment.
        """
        segments = path.removeprefix("/").removesuffix("/").split("/")
        for template in self._templates:
            parameters = _fit(template, segments)
            if parameters is not None:
                return Match("/" + "/".join(template), parameters)
        return None

    def method(self, resource: str, asked: str) -> str | None:
        """The declared method that serves `asked`: itself, or GET for a HEAD; None is a 405."""
        declared = self._methods[resource]
        if asked in declared:
            return asked
        return "GET" if asked == "HEAD" and "GET" in declared else None

    def allowed(self, resource: str) -> str:
        """The value of an `Allow` header."""
        declared = set(self._methods[resource])
        return ", ".join(sorted(declared | ({"HEAD"} if "GET" in declared else set())))


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{") and segment.endswith("}")


def _fit(template: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(template) != len(segments):
        return None
    parameters: dict[str, str] = {}
    for expected, found in zip(template, segments, strict=True):
        if _is_parameter(expected) and found:
            parameters[expected[1:-1]] = unquote(found)
        elif expected != unquote(found):
            return None
    return parameters
