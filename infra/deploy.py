"""`make deploy`: upload a package and create or update its stack, after showing what would change.

Parameters are given as `Name=value`. An update keeps those not given. `PublicBaseUrl` may be left
out of the first deploy: API Gateway's own address is not known before it is there, so the stack is
then made first and told its address in a second step.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.build import ARCHIVE, BUILD, TEMPLATE, Package
from infra.stack import ChangeSet, Stack, StackFailed
from infra.template import with_code

NOT_YET: Final = "https://not-yet-known.invalid"
LONGEST_NAME: Final = 32
"""Lambda names hold 64 characters; roles count on the stack's whole name being in them."""


class CannotDeploy(RuntimeError):
    """Nothing was changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where a package goes. `confirm` is asked before anything changes."""

    stack: Stack
    s3: Any
    bucket: str
    confirm: Callable[[], bool]
    say: Callable[[str], None] = print

    def run(self, package: Package, parameters: Mapping[str, str]) -> bool:
        """Create or update; False when there was nothing to do or the operator said no."""
        template = json.loads(package.template.read_text())
        known = frozenset(template["Parameters"])
        given = self._with_base_url(parameters)
        if unknown := given.keys() - known:
            raise CannotDeploy(f"the template has no parameter {', '.join(sorted(unknown))}")
        url = self._upload(package, template)
        changes = self.stack.propose(url, given, known)
        if changes is None:
            self.say("parley: nothing would change")
            return False
        if not self._agreed(changes):
            self.stack.discard(changes)
            self.say("parley: nothing was changed")
            return False
        self.stack.apply(changes)
        if given.get("PublicBaseUrl") == NOT_YET:
            self._tell_address(url, given, known)
        return True

    def _with_base_url(self, parameters: Mapping[str, str]) -> dict[str, str]:
        if "PublicBaseUrl" in parameters or self.stack.describe():
            return dict(parameters)
        domain = parameters.get("DomainName")
        return {**parameters, "PublicBaseUrl": f"https://{domain}" if domain else NOT_YET}

    def _tell_address(self, url: str, given: dict[str, str], known: frozenset[str]) -> None:
        address = self.stack.outputs()["EndpointURL"].rstrip("/")
        self.say(f"parley: telling the stack its address, {address}")
        changes = self.stack.propose(url, {**given, "PublicBaseUrl": address}, known)
        if changes is not None:
            self.stack.apply(changes)

    def _agreed(self, changes: ChangeSet) -> bool:
        self.say(f"parley: {changes.kind.lower()} {self.stack.name}")
        for line in changes.lines():
            self.say(f"  {line}")
        if losses := changes.losses():
            self.say(f"parley: DATA OR KEYS WOULD BE LEFT BEHIND: {', '.join(losses)}")
        return self.confirm()

    def _upload(self, package: Package, template: Mapping[str, Any]) -> str:
        self._ensure_bucket()
        key = f"{package.stage}/{package.digest}.zip"
        self.s3.upload_file(str(package.archive), self.bucket, key)
        coded = json.dumps(with_code(template, f"s3://{self.bucket}/{key}"), sort_keys=True)
        name = f"{package.stage}/template.json"
        self.s3.put_object(Bucket=self.bucket, Key=name, Body=coded.encode())
        return f"{self.s3.meta.endpoint_url}/{self.bucket}/{name}"

    def _ensure_bucket(self) -> None:
        region = self.s3.meta.region_name
        where: dict[str, Any] = {}
        if region != "us-east-1":
            where["CreateBucketConfiguration"] = {"LocationConstraint": region}
        try:
            self.s3.create_bucket(Bucket=self.bucket, **where)
        except ClientError as error:
            if error.response["Error"]["Code"] != "BucketAlreadyOwnedByYou":
                raise
        private = dict.fromkeys(
            ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"),
            True,
        )
        self.s3.put_public_access_block(Bucket=self.bucket, PublicAccessBlockConfiguration=private)


def pairs(words: Sequence[str]) -> dict[str, str]:
    """`Name=value` words as parameters; raises `CannotDeploy` for any other word."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise CannotDeploy(f"{word!r} is not Name=value")
        found[name] = value
    return found


def stack_name(stage: str, given: str | None) -> str:
    """The stack of a stage. Raises `CannotDeploy` for a name that roles could not count on."""
    name = given or f"parley-{stage}"
    if len(name) > LONGEST_NAME:
        raise CannotDeploy(f"a stack's name may have {LONGEST_NAME} characters: {name}")
    return name


def _ask() -> bool:
    return input("Go on? [y/N] ").strip().lower() in ("y", "yes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Deploy what `make package` built."""
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description=__doc__)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--stack", help="its name; parley-<stage> if not given")
    parser.add_argument("--bucket", help="for the package; made for the account if not given")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("parameters", nargs="*", metavar="Name=value")
    options = parser.parse_args(arguments)
    folder = BUILD / options.stage
    package = Package(options.stage, folder / TEMPLATE, folder / ARCHIVE)
    session = boto3.session.Session()
    try:
        name = stack_name(options.stage, options.stack)
        account = session.client("sts").get_caller_identity()["Account"]
        deployment = Deployment(
            stack=Stack(session.client("cloudformation"), name),
            s3=session.client("s3"),
            bucket=options.bucket or f"parley-artifacts-{account}-{session.region_name}",
            confirm=(lambda: True) if options.yes else _ask,
        )
        deployment.run(package, pairs(options.parameters))
    except (CannotDeploy, StackFailed, ClientError, BotoCoreError) as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    for key, value in deployment.stack.outputs().items():
        print(f"  {key:<22} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
