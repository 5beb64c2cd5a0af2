"""The `turns` queue: run or resume turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.jobs.batch import each_record
from chalicelib.usecases.run_turn import run_turn

if TYPE_CHECKING:
    from chalicelib.jobs.needs import Needs


def run_turns(event: Mapping[str, Any], needs: Needs) -> dict[str, Any]:
    """An SQS event to Lambda's partial batch answer."""

    def run(body: Mapping[str, Any]) -> None:
        result = run_turn(str(body["session_id"]), str(body["turn_id"]), relay=needs.relay)
        needs.observer.facts(result.facts)

    return each_record(event, run, needs.observer, "run_turns")
