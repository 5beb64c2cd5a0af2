"""What the service needs to exist: table, queues, topics, key and signing secret.

The one definition of the table: tests and `bench/` create it from `TABLE`. Everything here can be
called again on an engine that has it all already.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sqs import SQSClient

REGION: Final = "us-east-1"
CREDENTIALS: Final[Mapping[str, str]] = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What an AWS client needs to sign for an engine that checks nothing."""


def _index(name: str, partition: str, sort: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": [
            {"AttributeName": partition, "KeyType": "HASH"},
            {"AttributeName": sort, "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }


_ATTRIBUTES: Final[Mapping[str, str]] = {
    "pk": "S",
    "sk": "S",
    "live_pk": "S",
    "live_at": "N",
    "outbox_pk": "S",
    "outbox_at": "N",
    "list_pk": "S",
    "list_at": "S",
}

TABLE: Final[dict[str, Any]] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind} for name, kind in _ATTRIBUTES.items()
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        _index("live", "live_pk", "live_at"),
        _index("outbox", "outbox_pk", "outbox_at"),
        _index("sessions", "list_pk", "list_at"),
    ],
}
"""`CreateTable` without its name. The indexes are sparse: only rows with their key are in them."""

TTL_ATTRIBUTE: Final = "ttl"
TABLE_NAME: Final = "parley"
QUEUES: Final[Mapping[str, int]] = {"timers": 60, "notices": 60, "turns": 300}
"""Queue to visibility time-out in seconds."""
MAX_RECEIVE_COUNT: Final = 5
TOPICS: Final = ("needs-input", "incidents")
MAILBOX: Final = "parley-mailbox"
SIGNING_SECRET: Final = "parley/signing"  # noqa: S105 (a name, not a secret)
KEY_ALIAS: Final = "alias/parley"


class Clients:
    """boto3 clients for one engine, each made when first used. `None` is AWS itself."""

    def __init__(self, engine_url: str | None) -> None:
        self._options: dict[str, Any] = {"config": Config(connect_timeout=2, read_timeout=30)}
        if engine_url is not None:
            self._options |= {
                "endpoint_url": engine_url,
                "region_name": REGION,
                "aws_access_key_id": CREDENTIALS["AWS_ACCESS_KEY_ID"],
                "aws_secret_access_key": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            }

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The table's client."""
        return boto3.client("dynamodb", **self._options)

    @cached_property
    def sqs(self) -> SQSClient:
        """The queues' client."""
        return boto3.client("sqs", **self._options)

    @cached_property
    def sns(self) -> SNSClient:
        """The topics' client."""
        return boto3.client("sns", **self._options)

    @cached_property
    def kms(self) -> KMSClient:
        """The key's client."""
        return boto3.client("kms", **self._options)

    @cached_property
    def secretsmanager(self) -> SecretsManagerClient:
        """The signing secret's client."""
        return boto3.client("secretsmanager", **self._options)


def ensure_all(clients: Clients) -> dict[str, str]:
    """Create what is missing and leave the rest; returns the variables that name it all.

    The names are those of `chalicelib/settings.py`. The mailbox is not among them: only the runner
    reads it.
    """
    ensure_table(clients.dynamodb, TABLE_NAME)
    environ = {"PARLEY_TABLE": TABLE_NAME}
    for name, visibility in QUEUES.items():
        url = ensure_queue(clients.sqs, f"parley-{name}", visibility_seconds=visibility)
        environ[f"PARLEY_{name.upper()}_QUEUE_URL"] = url
    mailbox = _make_queue(clients.sqs, MAILBOX)
    for name in TOPICS:
        topic = clients.sns.create_topic(Name=f"parley-{name}")["TopicArn"]
        clients.sns.subscribe(
            TopicArn=topic, Protocol="sqs", Endpoint=queue_arn(clients.sqs, mailbox)
        )
        environ[f"PARLEY_{name.upper().replace('-', '_')}_TOPIC_ARN"] = topic
    environ["PARLEY_KMS_KEY_ID"] = _ensure_key(clients.kms)
    environ["PARLEY_SIGNING_SECRET_ID"] = _ensure_secret(clients.secretsmanager)
    return environ


def ensure_table(dynamodb: DynamoDBClient, name: str) -> None:
    """Create the service's table under `name` (three characters or more) with its TTL attribute."""
    try:
        dynamodb.create_table(TableName=name, **TABLE)
    except dynamodb.exceptions.ResourceInUseException:
        return
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    dynamodb.update_time_to_live(
        TableName=name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": TTL_ATTRIBUTE},
    )


def ensure_queue(
    sqs: SQSClient,
    name: str,
    *,
    visibility_seconds: int,
    max_receive_count: int = MAX_RECEIVE_COUNT,
) -> str:
    """Create the queue `name` and its dead-letter queue `<name>-dlq`; returns the queue's URL."""
    dead = queue_arn(sqs, _make_queue(sqs, f"{name}-dlq"))
    url = _make_queue(sqs, name)
    redrive = {"deadLetterTargetArn": dead, "maxReceiveCount": max_receive_count}
    # Set, not given at creation: CreateQueue refuses a queue that exists with other attributes.
    sqs.set_queue_attributes(
        QueueUrl=url,
        Attributes={
            "VisibilityTimeout": str(visibility_seconds),
            "RedrivePolicy": json.dumps(redrive),
        },
    )
    return url


def queue_arn(sqs: SQSClient, url: str) -> str:
    """The ARN of the queue at `url`."""
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    return found["Attributes"]["QueueArn"]


def _make_queue(sqs: SQSClient, name: str) -> str:
    return sqs.create_queue(QueueName=name)["QueueUrl"]


def _ensure_key(kms: KMSClient) -> str:
    try:
        return kms.describe_key(KeyId=KEY_ALIAS)["KeyMetadata"]["KeyId"]
    except kms.exceptions.NotFoundException:
        key_id = kms.create_key(Description="Parley secrets at rest")["KeyMetadata"]["KeyId"]
        kms.create_alias(AliasName=KEY_ALIAS, TargetKeyId=key_id)
        return key_id


def _ensure_secret(client: SecretsManagerClient) -> str:
    # An existing one is kept: links and tokens signed before a restart stay good.
    with contextlib.suppress(client.exceptions.ResourceExistsException):
        client.create_secret(Name=SIGNING_SECRET, SecretString=secrets.token_urlsafe(48))
    return SIGNING_SECRET
