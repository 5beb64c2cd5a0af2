"""The request headers of 2026-07-28 that repeat parts of the body, and how values are encoded.

Also which arguments a tool's schema asks to be mirrored (`x-mcp-header`, SEP-2243).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from chalicelib.outbound.mcp_client.values import MirrorPaths

ANNOTATION: Final = "x-mcp-header"
PREFIX: Final = "Mcp-Param-"

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLAIN: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")
_SENTINEL: Final = re.compile(r"=\?base64\?.*\?=")
_TYPES: Final = ("string", "integer", "boolean")


class InvalidAnnotation(ValueError):
    """A tool's `x-mcp-header` breaks a rule: the tool must be left out of the list."""


def encode(value: str) -> str:
    """A header value: as it is when HTTP can carry it unchanged, else `=?base64?..?=`."""
    if _PLAIN.fullmatch(value) and not _SENTINEL.fullmatch(value):
        return value
    # JSON can hold half a surrogate pair; a server then decides what to make of it.
    raw = value.encode("utf-8", "surrogatepass")
    return f"=?base64?{base64.b64encode(raw).decode()}?="


def mirror_paths(input_schema: Mapping[str, Any]) -> MirrorPaths:
    """Header to argument path, for every annotation of a tool's schema.

    Raises `InvalidAnnotation`: not a token, doubled (ignoring case), not on a string, integer or
    boolean, or not reachable from the root through `properties` alone.
    """
    found: dict[str, tuple[str, ...]] = {}
    for path, schema in _reachable(input_schema, ()):
        if ANNOTATION in schema:
            name = schema[ANNOTATION]
            if not path or not isinstance(name, str) or not _TOKEN.fullmatch(name):
                raise InvalidAnnotation("the annotation is not a header token on a property")
            if schema.get("type") not in _TYPES:
                raise InvalidAnnotation("the annotated argument is not a string, integer, boolean")
            if (PREFIX + name).lower() in (known.lower() for known in found):
                raise InvalidAnnotation("two arguments are mirrored into one header")
            found[PREFIX + name] = path
    if _count(input_schema) != len(found):
        raise InvalidAnnotation("an annotation is not reachable through properties alone")
    return found


def mirrored(paths: MirrorPaths, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The headers for one call; absent and null arguments have none."""
    headers = {}
    for name, path in paths.items():
        text = _text(_at(arguments, path))
        if text is not None:
            headers[name] = encode(text)
    return headers


def _reachable(
    schema: Any, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            yield from _reachable(inner, (*path, name))


def _count(node: Any) -> int:
    """Annotations anywhere in a schema; a property that is itself named so is none."""
    if isinstance(node, list):
        return sum(map(_count, node))
    if not isinstance(node, Mapping):
        return 0
    return sum(
        sum(map(_count, value.values()))
        if key == "properties" and isinstance(value, Mapping)
        else (1 if key == ANNOTATION else _count(value))
        for key, value in node.items()
    )


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, Mapping) else None
    return arguments


def _text(value: Any) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return value
    return None
