"""`python -m bench [name ...]`: run the benches, or those named, and print what they measured.

Everything is measured against its floor in the same run: on shared cores, ratios hold and absolute
times do not.
"""

from __future__ import annotations

import importlib
import sys
import time
from importlib.util import find_spec

from bench.rows import Row, table

BENCHES = (
    "cold_start",
    "round_trip",
    "latency",
    "timers",
    "cleanup",
    "inbox",
    "mcp",
    "url_elicitation",
)


def main(names: list[str]) -> int:
    """Run and print; the exit code is 1 when a target was missed."""
    unknown = set(names) - set(BENCHES)
    if unknown:
        print(f"bench: there is no {', '.join(sorted(unknown))}; known: {', '.join(BENCHES)}")
        return 2
    missed = 0
    for name in names or BENCHES:
        if find_spec(f"bench.{name}") is None:
            continue
        start = time.monotonic()
        rows: list[Row] = importlib.import_module(f"bench.{name}").run()
        print(f"\n{name} ({time.monotonic() - start:.0f} s)\n{table(rows)}", flush=True)
        missed += sum(row.is_missed for row in rows)
    print(f"\n{missed} targets missed" if missed else "\nevery target reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
