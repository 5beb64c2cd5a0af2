"""A batch of SQS records: each on its own, the failed ones go back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.jobs.batch import each_record
from chalicelib.observability import Observer


def event(*bodies: str) -> dict[str, Any]:
    """An SQS event with these bodies; ids are 0, 1, ..."""
    return {"Records": [{"messageId": str(n), "body": body} for n, body in enumerate(bodies)]}


def test_the_failed_records_are_named_and_the_others_done() -> None:
    seen: list[Any] = []

    def handle(body: Mapping[str, Any]) -> None:
        seen.append(body["n"])
        if body["n"] == 2:
            raise RuntimeError("no")

    got = each_record(event('{"n": 1}', '{"n": 2}', '{"n": 3}'), handle, Observer("test"), "job")
    assert got == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert seen == [1, 2, 3]


def test_a_record_that_cannot_be_read_fails_and_is_not_dropped() -> None:
    """It ends in the dead-letter queue, where an alarm tells of it."""
    got = each_record(event("not json", "{}"), lambda _: None, Observer("test"), "job")
    assert got == {"batchItemFailures": [{"itemIdentifier": "0"}]}


def test_an_empty_batch_is_done() -> None:
    assert each_record({}, lambda _: None, Observer("test"), "job") == {"batchItemFailures": []}
