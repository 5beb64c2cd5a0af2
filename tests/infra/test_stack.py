"""What is asked of CloudFormation, checked against AWS's own model of its API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from infra import stack as module
from infra.stack import ChangeSet, Stack, StackFailed

ARN = "arn:aws:cloudformation:us-east-1:123456789012:changeSet/parley/1"
URL = "https://s3.amazonaws.com/bucket/template.json"
NAME = {"StackName": "parley"}
OF_SET = {"ChangeSetName": ARN, "StackName": "parley"}


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stack, Stubber]]:
    """A stack, and the answers of AWS in the order of the questions."""
    monkeypatch.setitem(module.WAIT, "Delay", 0)
    client = boto3.client("cloudformation", region_name="us-east-1")
    with Stubber(client) as stubber:
        yield Stack(client, "parley"), stubber
        stubber.assert_no_pending_responses()


def _described(status: str, **more: Any) -> dict[str, Any]:
    return {"Stacks": [{"StackName": "parley", "CreationTime": 0, "StackStatus": status, **more}]}


def _change(action: str, name: str, kind: str, replacement: str = "False") -> dict[str, Any]:
    change = {"Action": action, "LogicalResourceId": name, "ResourceType": kind}
    return {"ResourceChange": change | {"Replacement": replacement}}


def _asks_for(kind: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "StackName": "parley",
        "ChangeSetName": ANY,
        "ChangeSetType": kind,
        "TemplateURL": URL,
        "Parameters": parameters,
        "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    }


def test_a_first_deploy_creates(stubbed: tuple[Stack, Stubber]) -> None:
    stack, aws = stubbed
    aws.add_client_error("describe_stacks", "ValidationError")
    given = [{"ParameterKey": "OperatorEmail", "ParameterValue": "a@b"}]
    aws.add_response("create_change_set", {"Id": ARN}, _asks_for("CREATE", given))
    done = {
        "Status": "CREATE_COMPLETE",
        "Changes": [_change("Add", "Poll", "AWS::Lambda::Function")],
    }
    aws.add_response("describe_change_set", done, OF_SET)
    aws.add_response("describe_change_set", done, OF_SET)

    changes = stack.propose(URL, {"OperatorEmail": "a@b"}, frozenset({"OperatorEmail"}))

    assert changes is not None
    assert changes.kind == "CREATE"
    assert [line.split()[:2] for line in changes.lines()] == [["Add", "Poll"]]


def test_an_update_keeps_what_is_not_given_and_forgets_what_the_template_lost(
    stubbed: tuple[Stack, Stubber],
) -> None:
    stack, aws = stubbed
    set_before = [{"ParameterKey": name, "ParameterValue": "x"} for name in ("A", "B", "Gone")]
    aws.add_response("describe_stacks", _described("CREATE_COMPLETE", Parameters=set_before), NAME)
    given: list[dict[str, Any]] = [
        {"ParameterKey": "A", "ParameterValue": "new"},
        {"ParameterKey": "B", "UsePreviousValue": True},
    ]
    aws.add_response("create_change_set", {"Id": ARN}, _asks_for("UPDATE", given))
    aws.add_response("describe_change_set", {"Status": "CREATE_COMPLETE"}, OF_SET)
    aws.add_response("describe_change_set", {"Status": "CREATE_COMPLETE", "Changes": []}, OF_SET)

    changes = stack.propose(URL, {"A": "new"}, frozenset({"A", "B", "C"}))

    assert changes is not None
    assert changes.kind == "UPDATE"


@pytest.mark.parametrize(
    ("reason", "refused"),
    [("The submitted information didn't contain changes.", False), ("Bad template", True)],
)
def test_no_change_is_no_failure(
    stubbed: tuple[Stack, Stubber], reason: str, refused: bool
) -> None:
    stack, aws = stubbed
    aws.add_response("describe_stacks", _described("UPDATE_COMPLETE"), NAME)
    aws.add_response("create_change_set", {"Id": ARN}, _asks_for("UPDATE", []))
    failed = {"Status": "FAILED", "StatusReason": reason}
    aws.add_response("describe_change_set", failed, OF_SET)
    aws.add_response("describe_change_set", failed, OF_SET)
    aws.add_response("delete_change_set", {}, OF_SET)

    if refused:
        with pytest.raises(StackFailed, match="Bad template"):
            stack.propose(URL, {}, frozenset())
    else:
        assert stack.propose(URL, {}, frozenset()) is None


def test_what_a_failed_first_deploy_left_is_named(stubbed: tuple[Stack, Stubber]) -> None:
    """CloudFormation would refuse every update of it."""
    stack, aws = stubbed
    aws.add_response("describe_stacks", _described("ROLLBACK_COMPLETE"), NAME)

    with pytest.raises(StackFailed, match="delete the stack"):
        stack.propose(URL, {}, frozenset())


def test_a_stack_that_was_only_proposed_is_not_there_yet(stubbed: tuple[Stack, Stubber]) -> None:
    stack, aws = stubbed
    aws.add_response("describe_stacks", _described("REVIEW_IN_PROGRESS"), NAME)

    assert stack.describe() is None


def test_trouble_with_aws_is_not_taken_for_no_stack(stubbed: tuple[Stack, Stubber]) -> None:
    stack, aws = stubbed
    aws.add_client_error("describe_stacks", "AccessDenied")

    with pytest.raises(Exception, match="AccessDenied"):
        stack.describe()


def test_a_rollback_says_which_resource_failed_and_why(stubbed: tuple[Stack, Stubber]) -> None:
    stack, aws = stubbed
    aws.add_response("execute_change_set", {}, OF_SET)
    aws.add_response("describe_stacks", _described("ROLLBACK_COMPLETE"), NAME)
    event = {
        "StackId": "x",
        "EventId": "1",
        "StackName": "parley",
        "Timestamp": 0,
        "LogicalResourceId": "Domain",
        "ResourceStatus": "CREATE_FAILED",
        "ResourceStatusReason": "certificate is of another region",
    }
    fine = event | {"LogicalResourceId": "Table", "ResourceStatus": "CREATE_COMPLETE"}
    aws.add_response("describe_stack_events", {"StackEvents": [event, fine]}, NAME)

    with pytest.raises(StackFailed) as failed:
        stack.apply(ChangeSet(ARN, "CREATE", ()))
    assert str(failed.value) == "Domain: certificate is of another region"


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (_change("Modify", "Table", "AWS::DynamoDB::Table", "True"), ["Table"]),
        (_change("Remove", "Key", "AWS::KMS::Key"), ["Key"]),
        (_change("Modify", "Table", "AWS::DynamoDB::Table", "False"), []),
        (_change("Remove", "Poll", "AWS::Lambda::Function"), []),
    ],
)
def test_what_would_leave_data_behind_is_seen(change: dict[str, Any], lost: list[str]) -> None:
    assert ChangeSet(ARN, "UPDATE", (change["ResourceChange"],)).losses() == lost
