"""`make package`, second half: what must hold of a built package. Prints findings, exits with 1."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from importlib import metadata

from infra.build import ARCHIVE, BUILD, ROOT, TEMPLATE
from infra.checks import alarms, archive, lint, policies, source, template


def installed() -> dict[str, str]:
    """Normalised name to version of every package of this environment."""
    return {
        re.sub(r"[-_.]+", "-", found.name).lower(): found.version
        for found in metadata.distributions()
    }


def problems(stage: str) -> list[str]:
    """Every finding on a stage's package in build/."""
    folder = BUILD / stage
    made = json.loads((folder / TEMPLATE).read_text())
    architecture = made["Resources"]["APIHandler"]["Properties"]["Architectures"][0]
    runbook = (ROOT / "infra" / "RUNBOOK.md").read_text()
    return [
        *template.problems(made),
        *alarms.problems(made, runbook),
        *policies.problems(policies.load(ROOT / "infra" / "policies")),
        *source.problems(ROOT, made, installed()),
        *archive.problems(folder / ARCHIVE, architecture),
        *lint.problems(folder / TEMPLATE),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a stage's package."""
    parser = argparse.ArgumentParser(prog="python -m infra.check", description=__doc__)
    parser.add_argument("--stage", required=True)
    stage = parser.parse_args(arguments).stage
    found = problems(stage)
    for problem in found:
        print(f"parley: {problem}", file=sys.stderr)
    print(f"parley: {len(found)} problems with the {stage} package")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
