"""The `notices` queue: tell people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.jobs.batch import each_record
from chalicelib.jobs.needs import Needs
from chalicelib.usecases.deliver_notice import deliver_notice
from chalicelib.usecases.ports import Result

KINDS = frozenset({"needs_input", "reminder", "lost", "card"})


def deliver_notices(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """An SQS event to Lambda's partial batch answer; a failed delivery is tried again by the
    queue."""

    def deliver(body: Mapping[str, Any]) -> None:
        kind = str(body["kind"])
        if kind not in KINDS:
            raise ValueError("unknown kind of notice")
        try:
            result = _deliver(str(body["key"]), kind, needs)
        except Exception:
            needs.observer.count("NoticeFailed")
            raise
        needs.observer.facts(result.facts)

    return each_record(event, deliver, needs.observer, "deliver_notices")


def _deliver(key: str, kind: str, needs: Needs) -> Result[bool]:
    if kind == "card":
        from chalicelib.usecases.deliver_card_notice import deliver_card_notice

        return deliver_card_notice(
            key, link_for=needs.card_link, relay=needs.relay, publisher=needs.publisher
        )
    return deliver_notice(
        key,
        kind,
        link_for=needs.link_for,
        world=needs.world,
        box=needs.box,
        publisher=needs.publisher,
    )
