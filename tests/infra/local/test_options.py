"""The runner's variables: defaults, refusals, and what the service is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.local.options import read_options, service_environ
from infra.local.problems import CannotRun


def test_without_variables_it_is_port_8000_of_loopback_on_an_embedded_engine() -> None:
    options = read_options({})
    assert (options.host, options.port, options.engine_url) == ("127.0.0.1", 8000, None)
    assert options.data_dir == Path(".parley").resolve()
    assert options.creates_resources


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PARLEY_PORT", "http"),
        ("PARLEY_PORT", "-1"),
        ("PARLEY_PORT", "65536"),
        ("PARLEY_PORT", "80.5"),
        ("PARLEY_TICK_SECONDS", "soon"),
        ("PARLEY_TICK_SECONDS", "nan"),
    ],
)
def test_a_value_that_cannot_be_used_is_one_sentence(name: str, value: str) -> None:
    with pytest.raises(CannotRun, match=rf"^{name} is not .*\.$"):
        read_options({name: value})


@pytest.mark.parametrize(
    ("url", "creates"),
    [
        ("", True),
        ("http://127.0.0.1:4566", True),
        ("http://localhost:4566", True),
        ("http://[::1]:4566", True),
        ("https://dynamodb.eu-west-1.amazonaws.com", False),
        ("http://192.168.1.4:4566", False),
        ("aws", False),
    ],
)
def test_resources_are_created_on_this_machine_only(url: str, creates: bool) -> None:
    assert read_options({"PARLEY_ENGINE_URL": url}).creates_resources is creates


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, {"ELICITATION_OPEN_PROTOCOL": "true", "PARLEY_BASE_URL": "http://localhost:81"}),
        ({"PARLEY_HOST": "0.0.0.0"}, {"ELICITATION_OPEN_PROTOCOL": "false"}),
        ({"ELICITATION_OPEN_PROTOCOL": "false"}, {"ELICITATION_OPEN_PROTOCOL": "false"}),
        ({"PARLEY_BASE_URL": "https://x.example"}, {"PARLEY_BASE_URL": "https://x.example"}),
    ],
)
def test_the_service_is_told_what_the_caller_did_not_say(
    environ: dict[str, str], expected: dict[str, str]
) -> None:
    options = read_options(environ)
    told = service_environ(options, environ, port=81, engine_url="http://127.0.0.1:1")
    assert expected.items() <= told.items()
    assert told["PARLEY_ENGINE_URL"] == "http://127.0.0.1:1"


def test_an_account_keeps_its_own_credentials_and_region() -> None:
    environ: dict[str, Any] = {"PARLEY_ENGINE_URL": "aws"}
    told = service_environ(read_options(environ), environ, port=81, engine_url=None)
    assert not [name for name in told if name.startswith("AWS_")]
    assert "PARLEY_ENGINE_URL" not in told
