from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import boto3
import pytest
from moto import mock_aws

from infra.build import Package
from infra.deploy import NOT_YET, CannotDeploy, Deployment, pairs, stack_name
from infra.destroy import Protected, destroy
from infra.stack import ChangeSet, Stack

TABLE_CHANGE = {
    "Action": "Modify",
    "LogicalResourceId": "Table",
    "ResourceType": "AWS::DynamoDB::Table",
    "Replacement": "True",
}


@dataclass
class FakeStack:
    """A stack that does at once what it is told."""

    exists: bool = False
    name: str = "parley"
    proposes: ChangeSet | None = field(default_factory=lambda: ChangeSet("arn", "CREATE", ()))
    proposed: list[dict[str, str]] = field(default_factory=list)
    applied: int = 0
    discarded: int = 0

    def describe(self) -> Mapping[str, Any] | None:
        return {"StackStatus": "CREATE_COMPLETE"} if self.exists else None

    def outputs(self) -> dict[str, str]:
        return {"EndpointURL": "https://api.example/parley/", "TableName": "rows"}

    def propose(
        self, template_url: str, parameters: Mapping[str, str], known: frozenset[str]
    ) -> ChangeSet | None:
        assert template_url.endswith("/parley-artifacts/production/template.json")
        assert "PublicBaseUrl" in known
        self.proposed.append(dict(parameters))
        return self.proposes

    def apply(self, changes: ChangeSet) -> None:
        assert changes is self.proposes
        self.applied += 1
        self.exists = True

    def discard(self, changes: ChangeSet) -> None:
        assert changes is self.proposes
        self.discarded += 1


@pytest.fixture
def s3() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client("s3", region_name="eu-central-1")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    function = {"Type": "AWS::Serverless::Function", "Properties": {"CodeUri": "./x.zip"}}
    template = {
        "Parameters": {"PublicBaseUrl": {}, "OperatorEmail": {}, "DomainName": {}},
        "Resources": {"Poll": function},
    }
    (tmp_path / "sam.json").write_text(json.dumps(template))
    (tmp_path / "deployment.zip").write_bytes(b"zip")
    return Package("production", tmp_path / "sam.json", tmp_path / "deployment.zip")


def _deployment(stack: FakeStack, s3: Any, *, agrees: bool = True) -> tuple[Deployment, list[str]]:
    said: list[str] = []
    made = Deployment(
        stack=cast("Stack", stack),
        s3=s3,
        bucket="parley-artifacts",
        confirm=lambda: agrees,
        say=said.append,
    )
    return made, said


def test_the_template_that_is_stored_names_the_zip_by_its_content(
    s3: Any, package: Package
) -> None:
    deployment, _ = _deployment(FakeStack(), s3)

    deployment.run(package, {"PublicBaseUrl": "https://ask.example"})

    key = f"production/{package.digest}.zip"
    assert s3.get_object(Bucket="parley-artifacts", Key=key)["Body"].read() == b"zip"
    stored = s3.get_object(Bucket="parley-artifacts", Key="production/template.json")
    template = json.loads(stored["Body"].read())
    assert template["Resources"]["Poll"]["Properties"]["CodeUri"] == f"s3://parley-artifacts/{key}"


def test_the_bucket_is_made_private_and_used_again(s3: Any, package: Package) -> None:
    deployment, _ = _deployment(FakeStack(), s3)

    deployment.run(package, {})
    deployment.run(package, {})

    block = s3.get_public_access_block(Bucket="parley-artifacts")["PublicAccessBlockConfiguration"]
    assert all(block.values())


def test_nothing_changes_when_the_operator_says_no(s3: Any, package: Package) -> None:
    stack = FakeStack()
    deployment, _ = _deployment(stack, s3, agrees=False)

    assert not deployment.run(package, {})
    assert (stack.applied, stack.discarded) == (0, 1)


def test_nothing_to_do_is_said_without_asking(s3: Any, package: Package) -> None:
    stack = FakeStack(exists=True, proposes=None)
    deployment, said = _deployment(stack, s3)

    assert not deployment.run(package, {})
    assert said == ["parley: nothing would change"]


def test_data_that_would_be_left_behind_is_said_before_asking(s3: Any, package: Package) -> None:
    stack = FakeStack(exists=True, proposes=ChangeSet("arn", "UPDATE", (TABLE_CHANGE,)))
    deployment, said = _deployment(stack, s3, agrees=False)

    deployment.run(package, {})

    assert any("DATA OR KEYS WOULD BE LEFT BEHIND: Table" in line for line in said)
    assert any("REPLACED" in line for line in said)


@pytest.mark.parametrize(
    ("given", "exists", "urls"),
    [
        ({}, False, [NOT_YET, "https://api.example/parley"]),
        ({"DomainName": "ask.example"}, False, ["https://ask.example"]),
        ({"PublicBaseUrl": "https://x.example"}, False, ["https://x.example"]),
        ({}, True, [None]),
    ],
)
def test_where_the_public_address_comes_from(
    s3: Any, package: Package, given: dict[str, str], exists: bool, urls: list[str | None]
) -> None:
    stack = FakeStack(exists=exists)
    deployment, _ = _deployment(stack, s3)

    assert deployment.run(package, given)
    assert [p.get("PublicBaseUrl") for p in stack.proposed] == urls
    assert stack.applied == len(urls)


def test_a_misspelt_parameter_is_refused_before_anything_is_stored(
    s3: Any, package: Package
) -> None:
    deployment, _ = _deployment(FakeStack(), s3)

    with pytest.raises(CannotDeploy, match="OperatorMail"):
        deployment.run(package, {"OperatorMail": "a@b"})
    assert s3.list_buckets()["Buckets"] == []


def test_words_become_parameters_at_their_first_equals_sign() -> None:
    assert pairs(["A=1", "B=x=y", "C="]) == {"A": "1", "B": "x=y", "C": ""}
    for word in ("A", "=1"):
        with pytest.raises(CannotDeploy):
            pairs([word])


def test_a_stack_is_named_by_its_stage_and_not_too_long() -> None:
    """Roles name log groups by the stack's name, which a long function name would cut."""
    assert stack_name("staging", None) == "parley-staging"
    assert stack_name("staging", "mine") == "mine"
    with pytest.raises(CannotDeploy):
        stack_name("staging", "x" * 33)


@dataclass
class FakeTables:
    """DynamoDB's description of a table."""

    protected: bool

    def describe_table(self, **_: Any) -> Any:
        return {"Table": {"DeletionProtectionEnabled": self.protected, "ItemCount": 3}}


class DestroyableStack(FakeStack):
    """With what a deletion looks at."""

    deleted = False

    @property
    def client(self) -> Any:
        return self

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **_: Any) -> Any:
        kinds = {"Table": "AWS::DynamoDB::Table", "Poll": "AWS::Lambda::Function"}
        resources = [{"ResourceType": k, "PhysicalResourceId": f"my-{n}"} for n, k in kinds.items()]
        return [{"StackResourceSummaries": resources}]

    def delete(self) -> None:
        self.deleted = True


def test_a_protected_stack_is_not_destroyed() -> None:
    stack = DestroyableStack(exists=True)

    with pytest.raises(Protected, match="TableDeletionProtection=false"):
        destroy(cast("Stack", stack), FakeTables(protected=True), confirm=lambda: True)
    assert not stack.deleted


@pytest.mark.parametrize("agrees", [True, False])
def test_an_unprotected_stack_is_destroyed_if_the_operator_agrees(agrees: bool) -> None:
    stack, said = DestroyableStack(exists=True), list[str]()

    destroy(
        cast("Stack", stack), FakeTables(protected=False), confirm=lambda: agrees, say=said.append
    )

    assert stack.deleted is agrees
    assert any("my-Table" in line for line in said) is agrees
    assert not any("my-Poll" in line for line in said)


def test_there_must_be_a_stack_to_destroy() -> None:
    with pytest.raises(CannotDeploy, match="there is no stack"):
        destroy(cast("Stack", FakeStack()), FakeTables(protected=False), confirm=lambda: True)
