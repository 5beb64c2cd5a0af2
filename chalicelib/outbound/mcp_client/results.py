"""What the reply to `tools/call` means: a result, URL elicitations, one more round, or a failure.

Pure reading. Everything in a reply is the server's word and untrusted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from chalicelib.outbound.mcp_client.era import Code, http_failure
from chalicelib.outbound.mcp_client.values import (
    Completed,
    Failed,
    FailureKind,
    Json,
    UrlElicitationsRequired,
    UrlRequest,
    failure,
)
from chalicelib.outbound.mcp_client.wire import Reply


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The server wants the same call once more, with this state and nothing else."""

    request_state: str = field(repr=False)


Outcome = Completed | UrlElicitationsRequired | Failed | AskAgain


def read_modern(reply: Reply, *, had_state: bool) -> Outcome:
    """The outcome of a 2026-07-28 call; `had_state` says whether the call carried request state.

    A missing `resultType` is complete, an unknown one is invalid. Bad params in answer to a call
    that was fine before it carried state mean that the state is no longer taken (SDK servers expire
    it after ten minutes). Raises `UpstreamFailed` for an HTTP error without JSON-RPC.
    """
    if reply.result is None:
        if had_state and reply.code == Code.INVALID_PARAMS:
            return Failed(FailureKind.STALE_STATE, "the server no longer takes the request state")
        return read_error(reply)
    kind = reply.result.get("resultType", "complete")
    if kind == "complete":
        return Completed(reply.result)
    if kind != "input_required":
        _invalid("the result is of an unknown type")
    return _input_required(reply.result)


def read_legacy(reply: Reply) -> Completed | UrlElicitationsRequired | Failed:
    """The outcome of a 2025 call: a result, or -32042 with the URLs to be opened first."""
    if reply.result is not None:
        return Completed(reply.result)
    if reply.code != Code.URL_ELICITATION_REQUIRED:
        return read_error(reply)
    entries = reply.error_data.get("elicitations")
    requests = [legacy_url_request(e) for e in entries] if isinstance(entries, list) else []
    known = tuple(request for request in requests if request is not None)
    if not known or len(known) != len(requests):
        _invalid("the server asks for a person without saying what for")
    return UrlElicitationsRequired(known, legacy=True)


def legacy_url_request(entry: Any) -> UrlRequest | None:
    """A URL elicitation of 2025-11-25 (params of `elicitation/create`), keyed by its own id."""
    match entry:
        case {"mode": "url", "elicitationId": str(key), "url": str(url)}:
            return UrlRequest(key, url, entry.get("message"), key)
    return None


def _input_required(result: Json) -> Outcome:
    state = result.get("requestState")
    entries = result.get("inputRequests")
    if state is not None and not isinstance(state, str):
        _invalid("the request state is not a string")
    if not entries:
        if state is None:
            _invalid("input is required, but none is named")
        return AskAgain(state)
    if not isinstance(entries, dict):
        _invalid("the input requests are not an object")
    requests = {key: _url_request(key, entry) for key, entry in entries.items()}
    unsupported = sorted(key for key, request in requests.items() if request is None)
    if unsupported:
        message = f"the server asks for input that Parley cannot relay: {', '.join(unsupported)}"
        return Failed(FailureKind.UNSUPPORTED_INPUT, message)
    known = tuple(request for request in requests.values() if request is not None)
    return UrlElicitationsRequired(known, state)


def _url_request(key: str, entry: Any) -> UrlRequest | None:
    """A missing mode is a form (2026-07-28, "Elicitation")."""
    match entry:
        case {"method": "elicitation/create", "params": {"mode": "url", "url": str(url)} as params}:
            return UrlRequest(key, url, params.get("message"))
    return None


def read_error(reply: Reply) -> Failed:
    """The failure that a JSON-RPC error is. Raises `UpstreamFailed` when there is none."""
    if reply.message is None:
        raise http_failure(reply)
    said = reply.error.get("message")
    message = said if isinstance(said, str) and said else "the server gave no reason"
    if reply.code == Code.MISSING_CAPABILITY:
        return Failed(FailureKind.NEEDS_CAPABILITY, message)
    return Failed(FailureKind.RPC, f"{message} ({reply.code})")


def _invalid(message: str) -> NoReturn:
    raise failure(FailureKind.PROTOCOL, message, may_have_run=True)
