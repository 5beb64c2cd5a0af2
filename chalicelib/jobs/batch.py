"""SQS batches: each record on its own; the failed ones go back, the others are done.

`ReportBatchItemFailures` is set on every event source (infra/fragments), so that Lambda reads the
answer; without it the whole batch would repeat.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.observability import Observer

Handle = Callable[[Mapping[str, Any]], None]


def each_record(
    event: Mapping[str, Any], handle: Handle, observer: Observer, job: str
) -> dict[str, Any]:
    """Call `handle` with each record's JSON body; returns Lambda's partial batch answer.

    A record that cannot be read at all fails too: after its last try it is in the dead-letter
    queue, where an alarm tells of it, and nothing is dropped silently.
    """
    failed: list[dict[str, str]] = []
    for record in event.get("Records", []):
        try:
            handle(json.loads(record["body"]))
        except Exception:
            observer.log.exception("record failed", extra={"job": job})
            observer.count("RecordFailed")
            failed.append({"itemIdentifier": record["messageId"]})
    observer.flush()
    return {"batchItemFailures": failed}
