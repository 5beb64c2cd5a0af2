"""One CloudFormation stack: what would change, making it so, what is in it. Talks to AWS only."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import ClientError, WaiterError

CAPABILITIES: Final = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
"""Roles are made, and the SAM transform is run."""

WAIT: Final[dict[str, Any]] = {"Delay": 5, "MaxAttempts": 360}
"""Half an hour; a table's first index takes minutes."""

PRECIOUS: Final = ("AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::SecretsManager::Secret")
"""A replaced one would be an empty one, with the old one left aside."""


class StackFailed(RuntimeError):
    """CloudFormation refused, or rolled back; the message says why."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What an update would do, before it is done."""

    arn: str
    kind: str
    changes: tuple[Mapping[str, Any], ...]

    def lines(self) -> Iterator[str]:
        """One line for each change, in CloudFormation's order."""
        for change in self.changes:
            replaced = "  REPLACED" if change.get("Replacement") == "True" else ""
            name, kind = change["LogicalResourceId"], change["ResourceType"]
            yield f"{change['Action']:<8} {name:<34} {kind}{replaced}"

    def losses(self) -> list[str]:
        """Logical ids of data and keys that would be removed or replaced."""
        return [
            change["LogicalResourceId"]
            for change in self.changes
            if change["ResourceType"] in PRECIOUS
            and (change["Action"] == "Remove" or change.get("Replacement") == "True")
        ]


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack by its name; `client` is boto3's CloudFormation client."""

    client: Any
    name: str

    def describe(self) -> Mapping[str, Any] | None:
        """The stack, or None where there is none, or none yet."""
        try:
            (found,) = self.client.describe_stacks(StackName=self.name)["Stacks"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "ValidationError":
                return None
            raise
        made: Mapping[str, Any] = found
        return None if found["StackStatus"] == "REVIEW_IN_PROGRESS" else made

    def outputs(self) -> dict[str, str]:
        """Output keys to values."""
        found = self.describe() or {}
        return {o["OutputKey"]: o["OutputValue"] for o in found.get("Outputs", [])}

    def propose(
        self, template_url: str, parameters: Mapping[str, str], known: frozenset[str]
    ) -> ChangeSet | None:
        """What the template would change; None for nothing.

        `known` are the template's parameters; of those not given, an update keeps what was set.
        """
        before = self.describe()
        if before and before["StackStatus"] == "ROLLBACK_COMPLETE":
            raise StackFailed(f"{self.name} is what a failed first deploy left; delete the stack")
        kind = "UPDATE" if before else "CREATE"
        kept = {p["ParameterKey"] for p in (before or {}).get("Parameters", [])}
        given: list[dict[str, Any]] = [
            {"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()
        ]
        given += [
            {"ParameterKey": name, "UsePreviousValue": True}
            for name in sorted(kept & known - parameters.keys())
        ]
        made = self.client.create_change_set(
            StackName=self.name,
            ChangeSetName=f"parley-{uuid.uuid4().hex}",
            ChangeSetType=kind,
            TemplateURL=template_url,
            Parameters=given,
            Capabilities=list(CAPABILITIES),
        )
        return self._read(made["Id"], kind)

    def apply(self, changes: ChangeSet) -> None:
        """Carry out a change set and wait. Raises `StackFailed` after a rollback."""
        self.client.execute_change_set(ChangeSetName=changes.arn, StackName=self.name)
        self._wait(f"stack_{changes.kind.lower()}_complete")

    def discard(self, changes: ChangeSet) -> None:
        """Leave everything as it was."""
        self.client.delete_change_set(ChangeSetName=changes.arn, StackName=self.name)

    def delete(self) -> None:
        """Delete the stack and wait; what its template retains stays."""
        self.client.delete_stack(StackName=self.name)
        self._wait("stack_delete_complete")

    def _read(self, arn: str, kind: str) -> ChangeSet | None:
        try:
            self.client.get_waiter("change_set_create_complete").wait(
                ChangeSetName=arn, StackName=self.name, WaiterConfig=WAIT
            )
        except WaiterError as error:
            described = self.client.describe_change_set(ChangeSetName=arn, StackName=self.name)
            reason = described.get("StatusReason", str(error))
            self.client.delete_change_set(ChangeSetName=arn, StackName=self.name)
            if "didn't contain changes" in reason or "No updates" in reason:
                return None
            raise StackFailed(reason) from error
        pages = self.client.get_paginator("describe_change_set")
        changes = [
            change["ResourceChange"]
            for page in pages.paginate(ChangeSetName=arn, StackName=self.name)
            for change in page["Changes"]
        ]
        return ChangeSet(arn, kind, tuple(changes))

    def _wait(self, name: str) -> None:
        try:
            self.client.get_waiter(name).wait(StackName=self.name, WaiterConfig=WAIT)
        except WaiterError as error:
            raise StackFailed("\n".join(self._failures()) or str(error)) from error

    def _failures(self) -> Iterator[str]:
        events = self.client.describe_stack_events(StackName=self.name)["StackEvents"]
        for event in events:
            if event["ResourceStatus"].endswith("FAILED"):
                reason = event.get("ResourceStatusReason", "no reason given")
                yield f"{event['LogicalResourceId']}: {reason}"
