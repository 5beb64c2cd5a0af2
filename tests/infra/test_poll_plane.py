"""A client as strict as the protocol's on the poll plane as it is deployed, while things fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib.api.poll_plane import answer_poll
from chalicelib.domain.errors import TryAgain
from tests.infra.api_gateway import TRANSIENT, Answer, GatewayResponses
from tests.parley import Parley, path_of

INTEGRATION_SECONDS = 29
"""API Gateway gives up on a function after this."""

Function = Callable[[dict[str, Any]], dict[str, Any]]


class RoundTripOver(Exception):
    """The client takes any answer outside 2xx for the end, as real ones do (zimmer 1.4)."""


class PollPlane:
    """The second API with its function, and what is injected before each request reaches it."""

    def __init__(self, responses: GatewayResponses, function: Function) -> None:
        self.responses, self.function = responses, function
        self.faults: Iterator[str | float] = iter(())

    def get(self, parameters: dict[str, str]) -> Answer:
        """One request. A fault is a gateway response's name, or seconds that a start takes."""
        fault = next(self.faults, 0.0)
        if isinstance(fault, str):
            return self.responses.answer(fault)
        if fault > INTEGRATION_SECONDS:
            return self.responses.answer("INTEGRATION_TIMEOUT")
        event = {"httpMethod": "GET", "pathParameters": parameters, "headers": {}}
        try:
            got = self.function(event)
        except Exception:  # a crashed function: the gateway answers for it
            return self.responses.answer("INTEGRATION_FAILURE")
        return Answer(got["statusCode"], got["headers"], got["body"])


def collect(plane: PollPlane, parameters: dict[str, str], ticks: Iterable[object]) -> Any:
    """Poll every tick until there is an outcome. Never tries again, never forgives."""
    for _ in ticks:
        answer = plane.get(parameters)
        if not 200 <= answer.status < 300:
            raise RoundTripOver(answer.status)
        if answer.json["action"] != "pending":
            return answer.json
    raise AssertionError("no outcome in time")


@pytest.fixture
def asked(parley: Parley) -> dict[str, str]:
    """The path parameters of an answered question's poll."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    assert parley.respond(request_id, "accept", {"confirm": True}).status == 200
    token = path_of(session["env"]["ELICITATION_POLL_URL"]).rpartition("/")[2]
    return {"token": token, "request_id": request_id}


@pytest.fixture
def plane(template: dict[str, Any], parley: Parley) -> PollPlane:
    responses = GatewayResponses.of(template, "PollApi")
    return PollPlane(responses, lambda event: answer_poll(event, parley.services))


FAULTS = st.lists(
    st.one_of(st.sampled_from(sorted(TRANSIENT)), st.sampled_from([0.1, 3.0, 31.0])), max_size=12
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(faults=FAULTS)
def test_no_fault_that_passes_ends_a_round_trip(
    faults: list[str | float], plane: PollPlane, asked: dict[str, str]
) -> None:
    """Throttles, crashes, time-outs and cold starts in any order, then the answer."""
    plane.faults = iter(faults)

    assert collect(plane, asked, range(20))["content"] == {"confirm": True}


def _failing(first: Exception, then: Function) -> Function:
    failures = iter([first] * 3)

    def function(event: dict[str, Any]) -> dict[str, Any]:
        for failure in failures:
            raise failure
        return then(event)

    return function


def test_a_crashing_function_does_not_end_a_round_trip(
    plane: PollPlane, asked: dict[str, str]
) -> None:
    plane.function = _failing(MemoryError(), plane.function)

    assert collect(plane, asked, range(5))["action"] == "accept"


@pytest.mark.parametrize("failure", [TryAgain("busy"), RuntimeError("a bug"), KeyError("row")])
def test_a_failure_inside_the_function_does_not_end_a_round_trip(
    plane: PollPlane,
    asked: dict[str, str],
    parley: Parley,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
) -> None:
    """Whether storage is busy or the code is wrong, waiting on is the only safe answer."""
    store = parley.services.store
    read = type(store).elicitation
    failures = iter([failure] * 3)

    def elicitation(self: Any, key: str, *, consistent: bool = True) -> Any:
        for raised in failures:
            raise raised
        return read(self, key, consistent=consistent)

    monkeypatch.setattr(type(store), "elicitation", elicitation)

    assert collect(plane, asked, range(8))["action"] == "accept"


@pytest.mark.parametrize(
    ("change", "status"), [({"token": "forged"}, 401), ({"request_id": "unknown"}, 404)]
)
def test_what_can_never_be_answered_ends_at_once(
    plane: PollPlane, asked: dict[str, str], change: dict[str, str], status: int
) -> None:
    with pytest.raises(RoundTripOver, match=str(status)):
        collect(plane, asked | change, range(3))


def test_the_client_is_as_strict_as_it_says(plane: PollPlane, asked: dict[str, str]) -> None:
    """With the responses AWS gives by itself, one throttled poll would end the round trip."""
    plane.responses = GatewayResponses({})
    plane.faults = iter(["THROTTLED"])

    with pytest.raises(RoundTripOver, match="429"):
        collect(plane, asked, range(3))


def test_the_poll_plane_serves_polls_and_nothing_else(template: dict[str, Any]) -> None:
    paths = template["Resources"]["PollApi"]["Properties"]["DefinitionBody"]["paths"]

    assert {path: list(methods) for path, methods in paths.items()} == {
        "/api/v1/elicitations/{request_id}": ["get"],
        "/api/v1/elicitations/session/{token}/{request_id}": ["get"],
    }


def test_polls_may_come_more_often_than_questions(template: dict[str, Any]) -> None:
    """Creates are throttled low; the poll plane takes a poll a second of a thousand askers."""
    resources = template["Resources"]
    main = resources["RestAPI"]["Properties"]["MethodSettings"]
    creates = [s["ThrottlingRateLimit"] for s in main if s["HttpMethod"] == "POST"]
    (polls,) = resources["PollApi"]["Properties"]["MethodSettings"]

    assert max(creates) <= 20
    assert polls["ThrottlingRateLimit"] >= 1000


def test_the_gateways_answer_is_the_services_own(plane: PollPlane) -> None:
    """Askers read one spelling of degraded."""
    from chalicelib.api.views import DEGRADED

    assert json.loads(plane.responses.answer("THROTTLED").body) == DEGRADED
