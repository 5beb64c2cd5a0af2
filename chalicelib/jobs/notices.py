"""The `notices` queue: tell people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.jobs.batch import each_record
from chalicelib.jobs.needs import Needs
from chalicelib.usecases.deliver_notice import deliver_notice

KINDS = frozenset({"needs_input", "reminder", "lost"})


def deliver_notices(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """An SQS event to Lambda's partial batch answer; a failed delivery is tried again by the
    queue."""

    def deliver(body: Mapping[str, Any]) -> None:
        kind = str(body["kind"])
        if kind not in KINDS:
            raise ValueError("unknown kind of notice")
        try:
            result = deliver_notice(
                str(body["key"]),
                kind,
                link_for=needs.link_for,
                world=needs.world,
                box=needs.box,
                publisher=needs.publisher,
            )
        except Exception:
            needs.observer.count("NoticeFailed")
            raise
        needs.observer.facts(result.facts)

    return each_record(event, deliver, needs.observer, "deliver_notices")
