"""`python -m infra.local`: run it, and turn what stops it from running into one sentence."""

from __future__ import annotations

import os
import sys

from infra.local.problems import CannotRun

OURS = {"app", "chalicelib", "infra"}


def main() -> int:
    """Run until a signal; the exit code is 0 then, and 1 when it cannot run."""
    try:
        from infra.local.runner import run

        run(os.environ)
    except CannotRun as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in OURS:
            raise
        print(f"parley: {error.name} is not installed; start with `make run`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A request may be held in a thread of the server for many seconds yet; nothing waits for it.
    os._exit(code)
