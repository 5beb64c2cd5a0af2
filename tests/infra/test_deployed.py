"""The stack, created and run: the real template, zip, roles and functions on a local engine.

What the engine lacks is left out here by name and checked elsewhere: alarms by metric math
(`test_alarms.py`), roles (`test_roles.py`: it enforces none), gateway responses
(`test_poll_plane.py`) and throttles. The SAM transform, which AWS runs on its side, is run on the
way.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from chalicelib.bootstrap import Services
from chalicelib.domain.principal import Scope
from chalicelib.keys import issue
from infra.build import ROOT, Package, build
from infra.checks.lint import translate
from infra.deploy import Deployment
from infra.destroy import Protected, destroy
from infra.stack import Stack
from infra.template import of_type
from tests.infra import ministack
from tests.parley import question

pytestmark = pytest.mark.slow

ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}


class TransformingS3:
    """S3, with the SAM transform run on templates as they are stored."""

    def __init__(self, client: Any, folder: Path) -> None:
        self._client, self._folder = client, folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_object(self, **given: Any) -> Any:
        """Store a template in the form that the engine takes."""
        template = json.loads(given["Body"])
        made = translate(template, self._folder, keep_code=True)
        for name, alarm in of_type(made, "AWS::CloudWatch::Alarm").items():
            if "Metrics" in alarm:
                del made["Resources"][name]
        return self._client.put_object(**given | {"Body": json.dumps(made).encode()})


class Deployed:
    """A stack that is there."""

    def __init__(self, url: str, package: Package, folder: Path) -> None:
        self.url = url
        self.said: list[str] = []
        self.stack = Stack(self.client("cloudformation"), "parley-production")
        self.package = package
        self.deployment = Deployment(
            stack=self.stack,
            s3=TransformingS3(self.client("s3"), folder),
            bucket="parley-artifacts",
            confirm=lambda: True,
            say=self.said.append,
        )

    def client(self, service: str) -> Any:
        """A client of the engine."""
        return boto3.client(service, endpoint_url=self.url)  # type: ignore[call-overload]

    def http(self, method: str, url: str, body: Any = None, key: str | None = None) -> Any:
        """One request to a deployed address, which the engine serves by its host name."""
        host, _, path = url.partition("://")[2].partition("/")
        api = host.partition(".")[0]
        headers = {"host": f"{api}.execute-api.localhost", "content-type": "application/json"}
        if key:
            headers["x-api-key"] = key
        engine = http.client.HTTPConnection(self.url.partition("://")[2], timeout=60)
        with contextlib.closing(engine) as connection:
            connection.request(method, f"/{path}", json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        assert answer.status < 300, text
        assert answer.headers["x-parley"] == "1"
        return json.loads(text)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    folder = tmp_path_factory.mktemp("deployed")
    package = build("production", root=_for_this_machine(folder / "tree"), out=folder / "build")
    with ministack.running(folder) as url:
        made = Deployed(url, package, folder)
        made.deployment.run(package, {"OperatorEmail": "operator@example.org"})
        yield made


def _for_this_machine(root: Path) -> Path:
    """The working tree, set to the architecture that the functions run on here."""
    for name in ("chalicelib", "infra", ".chalice"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "app.py", root / "app.py")
    config = root / ".chalice" / "config.json"
    made = json.loads(config.read_text())
    made["lambda_architecture"] = ARCHITECTURES[platform.machine()]
    config.write_text(json.dumps(made))
    return root


def test_a_round_trip_runs_through_the_deployed_functions(deployed: Deployed) -> None:
    outputs = deployed.stack.outputs()
    environ = {"PARLEY_TABLE": outputs["TableName"], "PARLEY_ENGINE_URL": deployed.url}
    key = issue(Services(environ), name="operator", scopes=frozenset(Scope))
    base = outputs["EndpointURL"].rstrip("/")

    opened = deployed.http("POST", f"{base}/api/v1/sessions", {"title": "Release"}, key)
    ask, look = (opened["env"][f"ELICITATION_{name}_URL"] for name in ("REQUEST", "POLL"))
    asked = deployed.http("POST", ask, question())["requestId"]
    assert deployed.http("GET", f"{look}/{asked}")["action"] == "pending"
    answer = {"action_type": "accept", "content": {"confirm": True}}
    deployed.http("PATCH", f"{base}/api/v1/elicitations/{asked}/respond", answer, key)
    collected = deployed.http("GET", f"{look}/{asked}")

    assert (collected["action"], collected["content"]) == ("accept", {"confirm": True})
    assert ask.startswith(base)
    assert look.startswith(outputs["PollEndpointURL"])


def test_the_stack_is_told_its_own_address_in_a_second_step(deployed: Deployed) -> None:
    (told,) = [line for line in deployed.said if "telling the stack its address" in line]

    assert told.endswith(deployed.stack.outputs()["EndpointURL"].rstrip("/"))


def test_every_scheduled_function_runs(deployed: Deployed) -> None:
    resources = deployed.client("cloudformation").list_stack_resources(
        StackName=deployed.stack.name
    )["StackResourceSummaries"]
    names = {r["LogicalResourceId"]: r["PhysicalResourceId"] for r in resources}
    functions = deployed.client("lambda")
    for logical_id in ("Cleanup", "Probe"):
        event = (ROOT / "tests" / "events" / "scheduled.json").read_bytes()
        answer = functions.invoke(FunctionName=names[logical_id], Payload=event)
        assert "FunctionError" not in answer, answer["Payload"].read()


def test_the_stack_is_not_destroyed_while_its_table_is_protected(deployed: Deployed) -> None:
    with pytest.raises(Protected, match="TableDeletionProtection=false"):
        destroy(deployed.stack, deployed.client("dynamodb"), confirm=lambda: True)

    assert deployed.stack.describe()
