from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.template import Resolver
from tests.infra.policy_simulator import Call, Guard, OutsideRole, Policies, calls

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/rows"
QUEUE = "arn:aws:sqs:us-east-1:123456789012:work"
ARNS = {"rows": TABLE, "https://queue/work": QUEUE}

ROLE: list[dict[str, Any]] = [
    {
        "Sid": "ReadQuestions",
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:PutItem"],
        "Resource": {"Fn::GetAtt": ["Table", "Arn"]},
        "Condition": {
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["E#*"]},
            "Null": {"dynamodb:LeadingKeys": "false"},
        },
    },
    {
        "Sid": "QueryOneIndex",
        "Effect": "Allow",
        "Action": "dynamodb:Query",
        "Resource": {"Fn::Sub": "${Table.Arn}/index/live"},
    },
    {"Sid": "LambdaPolls", "Effect": "Allow", "Action": "sqs:ReceiveMessage", "Resource": QUEUE},
    {
        "Sid": "SnsUsesKey",
        "Effect": "Allow",
        "Action": "kms:Decrypt",
        "Resource": "key",
        "Condition": {"StringEquals": {"kms:ViaService": "sns.us-east-1.amazonaws.com"}},
    },
]


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    (tmp_path / "poll.json").write_text(json.dumps({"Statement": ROLE}))
    return Policies(Resolver({}, {"Table.Arn": TABLE}), tmp_path)


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        (Call("dynamodb:GetItem", TABLE, "E#1"), True),
        (Call("dynamodb:GetItem", TABLE, "S#1"), False),
        (Call("dynamodb:GetItem", TABLE), False),
        (Call("dynamodb:GetItem", f"{TABLE}2", "E#1"), False),
        (Call("dynamodb:DeleteItem", TABLE, "E#1"), False),
        (Call("dynamodb:Query", f"{TABLE}/index/live", "L#0"), True),
        (Call("dynamodb:Query", TABLE, "E#1"), False),
        (Call("kms:Decrypt", "key"), False),
    ],
)
def test_only_what_is_listed_is_allowed(policies: Policies, call: Call, allowed: bool) -> None:
    assert policies.allows("poll", call) is allowed


def test_what_services_do_with_the_role_is_not_ours_to_use(policies: Policies) -> None:
    assert {name for name, *_ in policies.granted("poll")} == {"ReadQuestions", "QueryOneIndex"}


def test_a_condition_that_is_not_known_is_an_error(tmp_path: Path) -> None:
    """Else the simulator would allow what AWS might refuse."""
    role = [ROLE[0] | {"Condition": {"Bool": {"aws:SecureTransport": "true"}}}]
    (tmp_path / "poll.json").write_text(json.dumps({"Statement": role}))
    policies = Policies(Resolver({}, {"Table.Arn": TABLE}), tmp_path)

    with pytest.raises(NotImplementedError):
        policies.allows("poll", Call("dynamodb:GetItem", TABLE, "E#1"))


def _row(key: str) -> dict[str, Any]:
    return {"pk": {"S": key}, "sk": {"S": "META"}}


@pytest.mark.parametrize(
    ("operation", "params", "expected"),
    [
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "rows", "Item": _row("S#1")}},
                    {"Update": {"TableName": "rows", "Key": _row("E#1")}},
                    {"Delete": {"TableName": "rows", "Key": _row("E#2")}},
                    {"ConditionCheck": {"TableName": "rows", "Key": _row("E#3")}},
                ]
            },
            [
                ("dynamodb:PutItem", "S#1"),
                ("dynamodb:UpdateItem", "E#1"),
                ("dynamodb:DeleteItem", "E#2"),
                ("dynamodb:ConditionCheckItem", "E#3"),
            ],
        ),
        (
            "BatchGetItem",
            {"RequestItems": {"rows": {"Keys": [_row("E#1"), _row("E#2")]}}},
            [("dynamodb:BatchGetItem", "E#1"), ("dynamodb:BatchGetItem", "E#2")],
        ),
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    "rows": [
                        {"DeleteRequest": {"Key": _row("S#1")}},
                        {"PutRequest": {"Item": _row("S#2")}},
                    ]
                }
            },
            [("dynamodb:BatchWriteItem", "S#1"), ("dynamodb:BatchWriteItem", "S#2")],
        ),
        ("GetItem", {"TableName": "rows", "Key": _row("E#1")}, [("dynamodb:GetItem", "E#1")]),
    ],
)
def test_a_call_is_judged_row_by_row(
    operation: str, params: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = [*calls("dynamodb", operation, params, ARNS)]

    assert [(call.action, call.key) for call in found] == expected
    assert {call.resource for call in found} == {TABLE}


def test_a_guarded_client_refuses_before_anything_is_sent(policies: Policies) -> None:
    """Nothing listens at the address; a call that passed the guard would say so."""
    guard = Guard(policies, "poll", ARNS)
    sqs = guard.watch(boto3.client("sqs", endpoint_url="http://127.0.0.1:9"))

    with pytest.raises(OutsideRole, match="sqs:SendMessage"):
        sqs.send_message(QueueUrl="https://queue/work", MessageBody="x")
    assert guard.refused == [Call("sqs:SendMessage", QUEUE)]
