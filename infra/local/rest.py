"""The proxy event (payload format 1.0) that API Gateway REST makes of an HTTP request.

Percent-encoding: `path` stays as the client sent it; `pathParameters` and the query are decoded
once. Public captures agree on the path and the query; on `pathParameters` reports differ, so the
service puts nothing into a path that encoding changes (ids and tokens are `[A-Za-z0-9_-]`).
"""

from __future__ import annotations

import base64
import secrets
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl

from infra.local.context import ACCOUNT
from infra.local.routes import Match
from infra.local.wire import HttpRequest

STAGE: Final = "local"
API_ID: Final = "local"

_HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_IDENTITY_OF_NOBODY: Final = (
    "accessKey",
    "accountId",
    "caller",
    "cognitoAuthenticationProvider",
    "cognitoAuthenticationType",
    "cognitoIdentityId",
    "cognitoIdentityPoolId",
    "principalOrgId",
    "user",
    "userArn",
)


def rest_event(
    request: HttpRequest,
    match: Match,
    *,
    method: str,
    now: datetime,
    binary_types: Sequence[str],
) -> dict[str, Any]:
    """The Lambda proxy event (format 1.0) of a request to a known resource.

    Repeated headers and query keys are lists in the `multiValue` fields; the last wins elsewhere.
    A body is base64 only when its type is one of `binary_types`; otherwise bad UTF-8 is replaced.
    """
    path, _, query = request.target.partition("?")
    headers = _group(_one_spelling(_forwarded(request, now)))
    parameters = _group(parse_qsl(query, keep_blank_values=True))
    is_binary = _is_binary(_find(request.headers, "content-type"), binary_types)
    return {
        "resource": match.resource,
        "path": path,
        "httpMethod": method,
        "headers": _last(headers),
        "multiValueHeaders": headers,
        "queryStringParameters": _last(parameters) or None,
        "multiValueQueryStringParameters": parameters or None,
        "pathParameters": dict(match.parameters) or None,
        "stageVariables": None,
        "requestContext": _request_context(request, match, method=method, now=now),
        "body": _body(request.body, is_binary=is_binary),
        "isBase64Encoded": is_binary and bool(request.body),
    }


def _request_context(
    request: HttpRequest, match: Match, *, method: str, now: datetime
) -> dict[str, Any]:
    identity: dict[str, str | None] = dict.fromkeys(_IDENTITY_OF_NOBODY)
    identity |= {
        "sourceIp": request.source_ip,
        "userAgent": _find(request.headers, "user-agent") or None,
    }
    domain = _find(request.headers, "host").partition(":")[0] or "localhost"
    return {
        "accountId": ACCOUNT,
        "apiId": API_ID,
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "extendedRequestId": secrets.token_urlsafe(11) + "=",
        "httpMethod": method,
        "identity": identity,
        # As with a custom domain mapped to the stage: the stage is not part of the path.
        "path": request.target.partition("?")[0],
        "protocol": request.protocol,
        "requestId": str(uuid.uuid4()),
        "requestTime": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "requestTimeEpoch": int(now.timestamp() * 1000),
        "resourceId": "local",
        "resourcePath": match.resource,
        "stage": STAGE,
    }


def _forwarded(request: HttpRequest, now: datetime) -> list[tuple[str, str]]:
    """The request's headers as the gateway passes them on, with the ones that it adds."""
    hops = [_find(request.headers, "x-forwarded-for"), request.source_ip]
    trace = f"Root=1-{int(now.timestamp()):08x}-{secrets.token_hex(12)}"
    own = {
        "X-Amzn-Trace-Id": _find(request.headers, "x-amzn-trace-id") or trace,
        "X-Forwarded-For": ", ".join(filter(None, hops)),
        "X-Forwarded-Port": _find(request.headers, "host").partition(":")[2] or "80",
        "X-Forwarded-Proto": "http",
    }
    dropped = _HOP_BY_HOP | {name.lower() for name in own}
    return [pair for pair in request.headers if pair[0].lower() not in dropped] + [*own.items()]


def _find(headers: Sequence[tuple[str, str]], lower_name: str) -> str:
    """The last value of a header, whatever its case; empty when absent."""
    return next((value for name, value in reversed(headers) if name.lower() == lower_name), "")


def _one_spelling(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Headers that differ in case only take the first one's spelling."""
    spelling: dict[str, str] = {}
    for name, value in pairs:
        yield spelling.setdefault(name.lower(), name), value


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, value in pairs:
        groups.setdefault(name, []).append(value)
    return groups


def _last(groups: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: values[-1] for name, values in groups.items()}


def _is_binary(content_type: str, binary_types: Sequence[str]) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    family = media_type.partition("/")[0]
    return bool(media_type) and not {media_type, f"{family}/*", "*/*"}.isdisjoint(binary_types)


def _body(raw: bytes, *, is_binary: bool) -> str | None:
    if not raw:
        return None
    return base64.b64encode(raw).decode() if is_binary else raw.decode(errors="replace")
