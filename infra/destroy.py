"""`make destroy`: delete a stack. Refused while its table is protected; data and keys stay anyway.

To lift the protection, deploy with `TableDeletionProtection=false` first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.deploy import CannotDeploy, stack_name
from infra.stack import PRECIOUS, Stack, StackFailed


class Protected(CannotDeploy):
    """The table of the stack is under deletion protection."""


KEPT: Final = "These stay, for you to delete by hand when nobody needs them:"


def destroy(
    stack: Stack, dynamodb: Any, *, confirm: Callable[[], bool], say: Callable[[str], None] = print
) -> bool:
    """Delete the stack; False when the operator said no. Raises `CannotDeploy`, `StackFailed`."""
    if stack.describe() is None:
        raise CannotDeploy(f"there is no stack {stack.name}")
    table = stack.outputs()["TableName"]
    described = dynamodb.describe_table(TableName=table)["Table"]
    if described.get("DeletionProtectionEnabled"):
        raise Protected(
            f"the table {table} is protected; deploy with TableDeletionProtection=false to lift it"
        )
    kept = [*_precious(stack)]
    say(f"parley: delete {stack.name}, its {described['ItemCount']} rows left where they are")
    if not confirm():
        return False
    stack.delete()
    say(f"parley: {stack.name} is gone. {KEPT}")
    for line in kept:
        say(f"  {line}")
    return True


def _precious(stack: Stack) -> Sequence[str]:
    pages = stack.client.get_paginator("list_stack_resources").paginate(StackName=stack.name)
    return [
        f"{resource['ResourceType']:<28} {resource['PhysicalResourceId']}"
        for page in pages
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] in PRECIOUS
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Delete a stage's stack, after its name was typed."""
    parser = argparse.ArgumentParser(prog="python -m infra.destroy", description=__doc__)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--stack", help="its name; parley-<stage> if not given")
    options = parser.parse_args(arguments)
    session = boto3.session.Session()
    try:
        name = stack_name(options.stage, options.stack)
        stack = Stack(session.client("cloudformation"), name)
        typed = f"Type {name} to delete it: "
        destroy(stack, session.client("dynamodb"), confirm=lambda: input(typed).strip() == name)
    except (CannotDeploy, StackFailed, ClientError, BotoCoreError) as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
