"""IAM in small: what a function's role allows, and a guard that refuses every other AWS call.

Reads the policy files that are deployed. Knows `Allow` on exact actions, resources with `*`, and
the conditions that the files use; anything else in a file is an error, so that the simulator cannot
be milder than AWS without notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from infra.checks.policies import as_list, load
from infra.template import Resolver

POLICIES = Path(__file__).parents[2] / "infra" / "policies"

MADE_BY_SERVICES = ("Lambda", "Sns")
"""Names of statements begin so when an AWS service makes the calls, with the role, not our code."""

_KINDS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


Right = tuple[str, str, str]


class OutsideRole(Exception):
    """A call that the function's role does not allow."""


@dataclass(frozen=True, slots=True)
class Call:
    """One action on one resource; `key` is the leading key of a row, if it is one."""

    action: str
    resource: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Policies:
    """All roles, their intrinsics resolved against `resolver`. A right is a statement's name, an
    action and a resource."""

    resolver: Resolver
    folder: Path = POLICIES

    def allows(self, function: str, call: Call) -> bool:
        """Whether the function's role allows the call."""
        return bool(self.allowing(function, call))

    def allowing(self, function: str, call: Call) -> set[Right]:
        """The rights that allow it."""
        return {
            (statement["Sid"], call.action, pattern)
            for statement in self.statements(function)
            if _allows(statement, call)
            for pattern in as_list(statement["Resource"])
            if fnmatchcase(call.resource, pattern)
        }

    def statements(self, function: str) -> list[dict[str, Any]]:
        """The role's statements; raises `KeyError` for a function without a role."""
        found: list[dict[str, Any]] = self.resolver.resolve(load(self.folder)[function])
        return found

    def granted(self, function: str) -> set[Right]:
        """The rights of all that our code may call."""
        return {
            (statement["Sid"], action, resource)
            for statement in self.statements(function)
            if not statement["Sid"].startswith(MADE_BY_SERVICES)
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
        }


@dataclass
class Guard:
    """Refuses what the role of `function` does not allow, and notes what was used."""

    policies: Policies
    function: str
    arns: Mapping[str, str]
    """Name, URL or id by which code calls a resource, to its ARN."""
    used: set[Right] = field(default_factory=set)
    refused: list[Call] = field(default_factory=list)

    def watch(self, client: Any) -> Any:
        """Have every call of a boto3 client pass here first."""
        client.meta.events.register("provide-client-params.*.*", self.check)
        return client

    def check(self, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        """Raise `OutsideRole` for a call outside the role (botocore's event of a call's start)."""
        service = model.service_model.service_name
        for call in calls(service, model.name, params, self.arns):
            rights = self.policies.allowing(self.function, call)
            if not rights:
                self.refused.append(call)
                raise OutsideRole(f"{self.function}: {call}")
            self.used |= rights


def calls(
    service: str, operation: str, params: Mapping[str, Any], arns: Mapping[str, str]
) -> Iterator[Call]:
    """What IAM is asked about one API call."""
    if service == "dynamodb":
        yield from _table_calls(operation, params, arns)
    elif service == "sqs":
        yield Call(f"sqs:{operation}", arns[params["QueueUrl"]])
    elif service == "sns":
        yield Call(f"sns:{operation}", params["TopicArn"])
    elif service == "secretsmanager":
        yield Call(f"secretsmanager:{operation}", arns[params["SecretId"]])
    elif (service, operation) == ("bedrock-runtime", "Converse"):
        yield Call("bedrock:InvokeModel", params["modelId"])
    elif service == "kms":
        yield Call(f"kms:{operation}", arns[params["KeyId"]])
    else:
        raise OutsideRole(f"no role allows anything of {service}")


def _table_calls(
    operation: str, params: Mapping[str, Any], arns: Mapping[str, str]
) -> Iterator[Call]:
    action = f"dynamodb:{operation}"
    if operation == "TransactWriteItems":
        for item in params["TransactItems"]:
            ((kind, row),) = item.items()
            yield Call(f"dynamodb:{_KINDS.get(kind, 'ConditionCheckItem')}", *_row(row, arns))
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table, asked in params["RequestItems"].items():
            for key in _batch_keys(asked):
                yield Call(action, arns[table], key["pk"]["S"])
    elif operation == "Query":
        table = arns[params["TableName"]]
        index = params.get("IndexName")
        values = params["ExpressionAttributeValues"]
        yield Call(action, f"{table}/index/{index}" if index else table, values[":pk"]["S"])
    else:
        yield Call(action, *_row(params, arns))


def _row(row: Mapping[str, Any], arns: Mapping[str, str]) -> tuple[str, str]:
    key = row["Key"] if "Key" in row else row["Item"]
    return arns[row["TableName"]], key["pk"]["S"]


def _batch_keys(asked: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(asked, Mapping):
        yield from asked["Keys"]
        return
    for request in asked:
        put, delete = request.get("PutRequest"), request.get("DeleteRequest")
        yield put["Item"] if put else delete["Key"]


def _allows(statement: Mapping[str, Any], call: Call) -> bool:
    return (
        statement["Effect"] == "Allow"
        and call.action in as_list(statement["Action"])
        and any(fnmatchcase(call.resource, pattern) for pattern in as_list(statement["Resource"]))
        and _holds(statement.get("Condition", {}), call)
    )


def _holds(conditions: Mapping[str, Mapping[str, Any]], call: Call) -> bool:
    for operator, tests in conditions.items():
        for name, expected in tests.items():
            if (operator, name) == ("ForAllValues:StringLike", "dynamodb:LeadingKeys"):
                if call.key is None or not any(fnmatchcase(call.key, p) for p in expected):
                    return False
            elif (operator, name) == ("StringEquals", "kms:ViaService"):
                return False  # code calls KMS itself; only the service named comes by way of it
            elif (operator, name) != ("Null", "dynamodb:LeadingKeys"):
                raise NotImplementedError(f"{operator} {name}")
    return True
