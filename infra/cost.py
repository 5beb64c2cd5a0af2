"""`python -m infra.cost`: US$ for 1,000 questions and for an hour that one stays open.

Calls and capacity units are those of a real run on the embedded engine (`measured_run.py`); prices
and what cannot be counted here (function time, log bytes) stand in `prices.json` with their date.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.assemble import assemble
from infra.template import of_type

PRICES: Final = Path(__file__).parent / "prices.json"
HTTP_STEPS: Final = ("create", "first poll of a minute", "poll", "answer", "collect")
LOOK_SECONDS: Final = 0.4
"""How often a held poll reads the row (`usecases/poll_elicitation.py`)."""
TIMER_SECONDS: Final = 900
"""The longest that SQS delays a message; a timer is sent again until the deadline."""
SQS_CALLS_OF_LAMBDA: Final = 2
"""Receive and delete, for each message that is alone in its batch."""

METRICS: Final = 20
"""Of our own, that get values on a busy day."""
QUEUES: Final = 3
"""With a function behind them, for which Lambda asks all the time."""

Steps = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """How an asker waits. Seconds; `hold` is `?wait`."""

    interval: float
    hold: float = 0.0

    @property
    def cycle(self) -> float:
        """Seconds from one poll to the next."""
        return max(self.interval, self.hold)

    @property
    def name(self) -> str:
        """As it stands in the table."""
        if self.hold:
            return f"?wait={self.hold:g}"
        return f"every {self.interval:g} s"


@dataclass(frozen=True, slots=True)
class Model:
    """Prices applied to what was counted."""

    steps: Steps
    prices: Mapping[str, Any]

    def question(self, pattern: Pattern, *, open_seconds: float, emails: int = 1) -> float:
        """US$ of one question that is answered after `open_seconds`."""
        rings = math.ceil(open_seconds / TIMER_SECONDS) + 1
        once = sum(self._step(name) for name in ("create", "notice", "answer", "collect"))
        mails = emails * float(self.prices["per_unit"]["sns_email"])
        return once + mails + rings * self._step("timer") + self.waiting(pattern, open_seconds)

    def waiting(self, pattern: Pattern, seconds: float) -> float:
        """US$ of polling for a time."""
        polls = seconds / pattern.cycle
        noting = min(polls, seconds / 60)
        plain = self._poll("poll", pattern) * (polls - noting)
        return plain + self._poll("first poll of a minute", pattern) * noting

    def fixed(self, *, alarms: int, metrics: int, queues: int) -> float:
        """US$ a month of a stack that nobody uses."""
        month, unit = self.prices["per_month"], self.prices["per_unit"]
        receives = queues * self.prices["assumptions"]["idle_receives_a_month_and_queue"]
        return float(
            alarms * month["alarm"]
            + metrics * month["custom_metric"]
            + month["kms_key"]
            + month["secret"]
            + receives * unit["sqs_request"]
        )

    def _poll(self, step: str, pattern: Pattern) -> float:
        looks = pattern.hold / LOOK_SECONDS
        read = self.steps["poll"].get("read_unit", 0) * float(self.prices["per_unit"]["read_unit"])
        return self._step(step, seconds=pattern.hold) + looks * read

    def _step(self, name: str, *, seconds: float = 0.0) -> float:
        """US$ of one step; `seconds` is what its function waits beside its work."""
        assumed = self.prices["assumptions"]
        units = Counter(self.steps[name])
        time = assumed["lambda_seconds"] + seconds
        units["lambda_request"] += 1
        units["lambda_gb_second"] += time * assumed["lambda_memory_gb"]
        units["log_gigabyte"] += assumed["log_bytes_a_request"] / 1e9
        if name in HTTP_STEPS:
            units["api_request"] += 1
        else:
            units["sqs_request"] += SQS_CALLS_OF_LAMBDA
        return sum(count * float(self.prices["per_unit"][unit]) for unit, count in units.items())


def alarmed_metrics(template: Mapping[str, Any]) -> int:
    """What CloudWatch bills of alarms: every metric that one watches, those of metric math too."""
    alarms = of_type(template, "AWS::CloudWatch::Alarm").values()
    return sum(sum("MetricStat" in m for m in a.get("Metrics", [])) or 1 for a in alarms)


def load_prices(path: Path = PRICES) -> dict[str, Any]:
    """The price table."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def table(model: Model, patterns: Sequence[Pattern], *, open_minutes: float) -> str:
    """The comparison as a Markdown table."""
    lines = [
        f"| asker polls | US$ for 1,000 questions, each open {open_minutes:g} min | "
        "US$ an open hour | functions busy for each open question |",
        "|---|---|---|---|",
    ]
    for pattern in patterns:
        thousand = 1_000 * model.question(pattern, open_seconds=open_minutes * 60)
        busy = (model.prices["assumptions"]["lambda_seconds"] + pattern.hold) / pattern.cycle
        hour = model.waiting(pattern, 3600)
        lines.append(f"| {pattern.name} | {thousand:.2f} | {hour:.4f} | {busy:.3f} |")
    return "\n".join(lines)


def units_table(steps: Steps) -> str:
    """What was counted, as a Markdown table."""
    names = ("read_unit", "write_unit", "sqs_request", "sns_publish")
    lines = ["| step | read units | write units | SQS | SNS |", "|---|---|---|---|---|"]
    for step, units in steps.items():
        lines.append(f"| {step} | {' | '.join(f'{units.get(n, 0):g}' for n in names)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, and print both tables."""
    from infra.measured_run import measure

    parser = argparse.ArgumentParser(prog="python -m infra.cost", description=__doc__)
    parser.add_argument("--open-minutes", type=float, default=10.0, help="until it is answered")
    parser.add_argument("--interval", type=float, action="append", help="seconds between polls")
    parser.add_argument("--wait", type=float, action="append", help="seconds that a poll is held")
    options = parser.parse_args(arguments)
    patterns = [Pattern(seconds) for seconds in options.interval or (2, 5)]
    patterns += [Pattern(1, seconds) for seconds in options.wait or (20,)]
    steps, prices = measure(), load_prices()
    model = Model(steps, prices)
    print(f"Prices of {prices['as_of']}, {prices['region']}. {prices['note']}\n")
    print(units_table(steps), end="\n\n")
    print(table(model, patterns, open_minutes=options.open_minutes), end="\n\n")
    fragments = assemble(PRICES.parent / "fragments")
    fixed = model.fixed(alarms=alarmed_metrics(fragments), metrics=METRICS, queues=QUEUES)
    print(f"A stack that nobody uses: about {fixed:.2f} US$ a month.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
