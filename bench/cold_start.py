"""What a cold start costs before the first AWS call, in fresh processes.

The floor is what any service on DynamoDB pays: `import boto3` and one client. The time is taken
inside the process, so that the interpreter's own start is in none of them.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import Final

from bench.rows import Row
from infra.local.resources import CREDENTIALS

RUNS: Final = 15
FLOOR: Final = "import boto3; boto3.client('dynamodb')"
AT_MOST: Final = 1.3
CASES: Final = {
    "import app": ("import app", AT_MOST),
    "import app and the poll plane": ("import app, chalicelib.api.poll_plane", AT_MOST),
    "import app, then boto3 and a client": (f"import app; {FLOOR}", None),
    "Lambda's init phase: import app, warm()": ("import app; app.services.warm()", None),
}

_TIMED: Final = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
exec(compile(sys.argv[1], "bench", "exec"))
took = time.perf_counter() - start
import json
print(json.dumps([took * 1000, len(set(sys.modules) - before)]))
"""


def run() -> list[Row]:
    """Each case against the floor, interleaved; and the modules that each loads."""
    took: dict[str, list[float]] = {code: [] for code in (FLOOR, *_codes())}
    modules: dict[str, int] = {}
    for number in range(RUNS + 1):
        for code, values in took.items():
            milliseconds, modules[code] = _fresh(code)
            if number > 0:  # the first run warms the file cache, and writes bytecode
                values.append(milliseconds)
    floor = statistics.median(took[FLOOR])
    rows = []
    for what, (code, target) in CASES.items():
        median = statistics.median(took[code])
        rows.append(Row(what=what, value=median, floor=floor, at_most=target))
    for what, (code, _) in CASES.items():
        count, bare = modules[code], modules[FLOOR]
        rows.append(Row(what=f"{what}: modules", value=count, unit="modules", floor=bare))
    return rows


def _codes() -> list[str]:
    return [code for code, _ in CASES.values()]


def _fresh(code: str) -> tuple[float, int]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environ = inherited | dict(CREDENTIALS) | {"PARLEY_ENGINE_URL": "http://127.0.0.1:9"}
    environ |= {
        "PARLEY_TABLE": "parley",
        "PARLEY_TIMERS_QUEUE_URL": "http://127.0.0.1:9/1/timers",
        "PARLEY_NOTICES_QUEUE_URL": "http://127.0.0.1:9/1/notices",
    }
    done = subprocess.run(
        [sys.executable, "-c", _TIMED, code], env=environ, capture_output=True, check=True
    )
    milliseconds, count = json.loads(done.stdout)
    return milliseconds, count
