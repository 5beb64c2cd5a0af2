"""Topics: people are told of `needs_input`, operators are paged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chalicelib.messaging import texts
from chalicelib.usecases.ports import Notice

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient


@dataclass(frozen=True, slots=True)
class SnsTopics:
    """Publishes to the two topics; what SNS does not accept is raised, so that it is tried
    again."""

    client: SNSClient
    needs_input_arn: str
    incidents_arn: str

    def publish(self, notice: Notice, link: str, now: datetime) -> None:
        """Tell people about one elicitation."""
        self.client.publish(
            TopicArn=self.needs_input_arn,
            Subject=texts.subject(notice),
            Message=texts.structure(notice, link, now),
            MessageStructure="json",
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value}
                for name, value in texts.attributes(notice).items()
            },
        )

    def page(self, subject: str, message: str, *, key: str, kind: str) -> None:
        """Tell operators; `key` is stable for one incident, so that receivers can fold repeats."""
        self.client.publish(
            TopicArn=self.incidents_arn,
            Subject=subject.encode("ascii", "replace").decode()[: texts.SUBJECT_LIMIT - 1],
            Message=message,
            MessageAttributes={
                "incident": {"DataType": "String", "StringValue": key},
                "kind": {"DataType": "String", "StringValue": kind},
            },
        )

    def unconfirmed(self) -> int:
        """How many of the topics nobody has confirmed a subscription to: nobody would be told."""
        count = 0
        for arn in (self.needs_input_arn, self.incidents_arn):
            attributes = self.client.get_topic_attributes(TopicArn=arn)["Attributes"]
            count += attributes.get("SubscriptionsConfirmed", "0") == "0"
        return count
