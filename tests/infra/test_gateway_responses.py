from __future__ import annotations

from typing import Any

import pytest

from chalicelib.api import problems
from chalicelib.domain import errors
from tests.infra.api_gateway import DEFAULT_STATUS, TRANSIENT, GatewayResponses

OTHER_CODES = {"refused", "server_error"}


def _known_codes() -> set[str]:
    kinds: list[type[errors.ParleyError]] = [errors.ParleyError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {kind.code for kind in kinds} | OTHER_CODES


@pytest.mark.parametrize("kind", sorted(DEFAULT_STATUS))
def test_the_main_api_answers_in_our_envelope(template: dict[str, Any], kind: str) -> None:
    answer = GatewayResponses.of(template, "RestAPI").answer(kind)

    error = answer.json["error"]
    assert error["code"] in _known_codes()
    assert error["message"]
    assert answer.status >= 400
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-parley"] == "gateway"


@pytest.mark.parametrize("kind", ["THROTTLED", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"])
def test_what_may_pass_says_when_to_come_back(template: dict[str, Any], kind: str) -> None:
    answer = GatewayResponses.of(template, "RestAPI").answer(kind)

    assert answer.headers["retry-after"] == problems.RETRY_AFTER[errors.TryAgain]


def test_an_unknown_path_is_404_and_not_about_tokens(template: dict[str, Any]) -> None:
    """AWS says 403 "Missing Authentication Token", which sends people looking for a key."""
    for api in ("RestAPI", "PollApi"):
        answer = GatewayResponses.of(template, api).answer("MISSING_AUTHENTICATION_TOKEN")
        assert (answer.status, answer.json["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("kind", sorted(TRANSIENT))
def test_on_the_poll_plane_what_may_pass_is_still_pending(
    template: dict[str, Any], kind: str
) -> None:
    answer = GatewayResponses.of(template, "PollApi").answer(kind)

    assert answer.status == 200
    assert answer.json == {"action": "pending", "_meta": {"com.parley/degraded": True}}
    assert answer.headers["x-parley"] == "gateway"


@pytest.mark.parametrize("kind", sorted(DEFAULT_STATUS.keys() - TRANSIENT))
def test_on_the_poll_plane_a_wrong_request_is_not_pending_for_ever(
    template: dict[str, Any], kind: str
) -> None:
    assert GatewayResponses.of(template, "PollApi").answer(kind).status >= 400
