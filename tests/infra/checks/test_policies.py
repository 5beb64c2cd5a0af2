from __future__ import annotations

from typing import Any

import pytest

from infra.build import ROOT
from infra.checks import policies as checks

GOOD: dict[str, Any] = {
    "Sid": "ReadRows",
    "Effect": "Allow",
    "Action": "dynamodb:GetItem",
    "Resource": {"Fn::GetAtt": ["Table", "Arn"]},
}


def test_the_policies_have_no_problems() -> None:
    assert checks.problems(checks.load(ROOT / "infra" / "policies")) == []


def test_every_written_reason_is_needed() -> None:
    """A reason without its wildcard would allow one to slip in later."""
    used = {
        statement["Sid"]
        for statements in checks.load(ROOT / "infra" / "policies").values()
        for statement in map(checks.unconditional, statements)
        if "*" in str(statement["Resource"])
    }

    assert used == set(checks.WILDCARDS)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"Action": "dynamodb:*"}, "allows dynamodb:*"),
        ({"Action": ["dynamodb:GetItem", "sqs:Send*"]}, "allows sqs:Send*"),
        ({"Resource": "*"}, "covers * without a written reason"),
        ({"Resource": [{"Fn::Sub": "${Table.Arn}/index/*"}]}, "without a written reason"),
        ({"Effect": "Deny"}, "is not a plain list"),
        ({"NotAction": "s3:*"}, "is not a plain list"),
        ({"Sid": ""}, "is no name for a statement"),
    ],
)
def test_each_breach_is_found(change: dict[str, Any], finding: str) -> None:
    found = checks.problems({"poll": [GOOD | change]})

    assert any(finding in problem for problem in found)


def test_a_statement_under_a_condition_is_looked_at_too() -> None:
    conditional = {"Fn::If": ["Has", GOOD | {"Resource": "*"}, {"Ref": "AWS::NoValue"}]}

    assert checks.problems({"poll": [conditional]})


def test_two_statements_of_one_name_are_found() -> None:
    assert checks.problems({"poll": [GOOD, GOOD]})
