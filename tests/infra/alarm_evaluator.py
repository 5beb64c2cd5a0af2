"""CloudWatch alarms in small: an alarm of the template against recorded data points.

Knows the statistics, comparisons, expressions and treatments of missing data that the template
uses; anything else is an error.
"""

from __future__ import annotations

import ast
import json
import operator
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Series = tuple[str, str, frozenset[tuple[str, str]]]
"""Namespace, metric, dimensions: data points with other dimensions are another metric's."""

STATISTICS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "Sum": sum,
    "Maximum": max,
}
COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
}


@dataclass
class Metrics:
    """Data points by series and period; period 0 is the newest, 1 the one before."""

    points: dict[Series, dict[int, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def put(
        self,
        namespace: str,
        name: str,
        value: float,
        *,
        period: int = 0,
        dimensions: Mapping[str, str] | None = None,
    ) -> None:
        """Record one data point."""
        series = (namespace, name, frozenset((dimensions or {}).items()))
        self.points[series][period].append(value)

    def put_emf(self, text: str, *, period: int = 0) -> None:
        """Record what a function wrote to its log in the embedded metric format."""
        for line in text.splitlines():
            if '"CloudWatchMetrics"' not in line:
                continue
            record = json.loads(line)
            for directive in record["_aws"]["CloudWatchMetrics"]:
                for names in directive["Dimensions"]:
                    dimensions = {name: record[name] for name in names}
                    for metric in directive["Metrics"]:
                        for value in as_numbers(record[metric["Name"]]):
                            self.put(
                                directive["Namespace"],
                                metric["Name"],
                                value,
                                period=period,
                                dimensions=dimensions,
                            )

    def statistic(self, metric: Mapping[str, Any], statistic: str, period: int) -> float | None:
        """A metric's statistic over a period; None when there is no data."""
        dimensions = {d["Name"]: d["Value"] for d in metric.get("Dimensions", [])}
        series = (metric["Namespace"], metric["MetricName"], frozenset(dimensions.items()))
        values = self.points.get(series, {}).get(period)
        return STATISTICS[statistic](values) if values else None


def as_numbers(value: Any) -> list[float]:
    """EMF has a number or a list of them."""
    return [float(number) for number in (value if isinstance(value, list) else [value])]


def is_firing(alarm: Mapping[str, Any], metrics: Metrics) -> bool:
    """Whether the alarm (properties, intrinsics resolved) is in ALARM at the end of period 0."""
    periods = int(alarm["EvaluationPeriods"])
    needed = int(alarm.get("DatapointsToAlarm", periods))
    compare = COMPARISONS[alarm["ComparisonOperator"]]
    breaching = 0
    for period in range(periods):
        value = _value(alarm, metrics, period)
        if value is None:
            breaching += {"breaching": 1, "notBreaching": 0}[alarm["TreatMissingData"]]
        else:
            breaching += compare(value, float(alarm["Threshold"]))
    return breaching >= needed


def _value(alarm: Mapping[str, Any], metrics: Metrics, period: int) -> float | None:
    if "Metrics" not in alarm:
        return metrics.statistic(alarm, alarm["Statistic"], period)
    values: dict[str, float | None] = {}
    expression = ""
    for entry in alarm["Metrics"]:
        if "Expression" in entry:
            expression = entry["Expression"]
        else:
            stat = entry["MetricStat"]
            values[entry["Id"]] = metrics.statistic(stat["Metric"], stat["Stat"], period)
    return _expression(ast.parse(expression, mode="eval").body, values)


def _expression(node: ast.expr, values: Mapping[str, float | None]) -> float | None:
    """`SUM(METRICS())`, `FILL(id, number)` and sums of them."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _expression(node.left, values), _expression(node.right, values)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "FILL" and isinstance(node.args[1], ast.Constant):
            found = _expression(node.args[0], values)
            return float(str(node.args[1].value)) if found is None else found
        if ast.unparse(node) == "SUM(METRICS())":
            known = [value for value in values.values() if value is not None]
            return sum(known) if known else None
    raise NotImplementedError(ast.unparse(node))
