"""What a bench reports: rows of a plain table, each with what it was measured against."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

HEADINGS: Final = ("what", "measured", "floor", "ratio", "target", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement. `floor` is the bare minimum, measured in the same run in the same `unit`;
    `at_most` is the target: of the ratio where there is a floor, else of the value."""

    what: str
    value: float
    unit: str = "ms"
    floor: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the floor it took."""
        return self.value / self.floor if self.floor else None

    @property
    def is_missed(self) -> bool:
        """Whether there is a target and it was not reached."""
        reached = self.value if self.ratio is None else self.ratio
        return self.at_most is not None and reached > self.at_most

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
        ratio, times = self.ratio, "" if self.floor is None else "x"
        return (
            self.what,
            f"{_short(self.value)} {self.unit}",
            "" if self.floor is None else f"{_short(self.floor)} {self.unit}",
            "" if ratio is None else f"{ratio:.2f}x",
            "" if self.at_most is None else f"<= {self.at_most:g}{times or ' ' + self.unit}",
            "" if self.at_most is None else "MISSED" if self.is_missed else "ok",
        )


def table(rows: Sequence[Row]) -> str:
    """The rows as text columns."""
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def percentiles(
    what: str, values: Iterable[float], *, unit: str = "ms", p50_at_most: float | None = None
) -> list[Row]:
    """Rows for the median, the 95th and the 99th percentile."""
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    named = ((50, p50_at_most), (95, None), (99, None))
    return [
        Row(what=f"{what}, p{share}", value=cuts[share - 1], unit=unit, at_most=target)
        for share, target in named
    ]


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
