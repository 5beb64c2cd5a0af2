"""The resources on a real engine: what is there, and that a second start changes nothing."""

from __future__ import annotations

import pytest

from chalicelib.settings import VARIABLES
from infra.local import resources
from infra.local.resources import Clients

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def environ(aws: Clients) -> dict[str, str]:
    return resources.ensure_all(aws)


def test_every_returned_name_is_a_variable_of_the_service(environ: dict[str, str]) -> None:
    assert set(environ) <= set(VARIABLES.values())
    assert all(environ.values())


def test_creating_again_changes_nothing(aws: Clients, environ: dict[str, str]) -> None:
    secret = {"SecretId": environ["PARLEY_SIGNING_SECRET_ID"]}
    before = aws.secretsmanager.get_secret_value(**secret)["SecretString"]

    assert resources.ensure_all(aws) == environ
    assert aws.secretsmanager.get_secret_value(**secret)["SecretString"] == before


def test_the_signing_secret_cannot_be_guessed(aws: Clients, environ: dict[str, str]) -> None:
    secret = environ["PARLEY_SIGNING_SECRET_ID"]
    assert len(aws.secretsmanager.get_secret_value(SecretId=secret)["SecretString"]) >= 43


@pytest.mark.parametrize(("queue", "seconds"), [("timers", 60), ("notices", 60), ("turns", 300)])
def test_a_queue_gives_up_after_five_receives(
    aws: Clients, environ: dict[str, str], queue: str, seconds: int
) -> None:
    url = environ[f"PARLEY_{queue.upper()}_QUEUE_URL"]
    found = aws.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert found["VisibilityTimeout"] == str(seconds)
    assert '"maxReceiveCount":5' in found["RedrivePolicy"].replace(" ", "")
    assert f"parley-{queue}-dlq" in found["RedrivePolicy"]


def test_the_table_has_its_indexes_and_its_retention(aws: Clients, table: str) -> None:
    shown = aws.dynamodb.describe_table(TableName=table)["Table"]
    assert {index["IndexName"] for index in shown["GlobalSecondaryIndexes"]} == {
        "live",
        "outbox",
        "sessions",
    }
    retention = aws.dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert retention["AttributeName"] == "ttl"


def test_what_is_published_to_people_reaches_the_mailbox(
    aws: Clients, environ: dict[str, str]
) -> None:
    mailbox = aws.sqs.get_queue_url(QueueName=resources.MAILBOX)["QueueUrl"]
    aws.sns.publish(TopicArn=environ["PARLEY_NEEDS_INPUT_TOPIC_ARN"], Message="hello, mailbox")
    bodies: list[str] = []
    while not any("hello, mailbox" in body for body in bodies):
        received = aws.sqs.receive_message(QueueUrl=mailbox, WaitTimeSeconds=5)
        bodies += [message["Body"] for message in received["Messages"]]
