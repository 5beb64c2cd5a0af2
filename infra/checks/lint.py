"""cfn-lint on the SAM template and on what the SAM transform makes of it.

Both, since each passes what the other finds: a circular dependency shows only after the transform.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.build import ROOT
from infra.template import with_code

TOOLS: Final = ROOT / ".venv-tools" / "bin"
REGIONS: Final = ("us-east-1", "eu-central-1")
SOMEWHERE: Final = "s3://parley-artifacts/deployment.zip"


def translate(
    template: Mapping[str, Any], folder: Path, *, keep_code: bool = False
) -> dict[str, Any]:
    """The template after the SAM transform; raises `CalledProcessError` when it is refused.

    Its code is said to be `SOMEWHERE`, unless it names a place in S3 already (`keep_code`).
    """
    coded = folder / "coded.json"
    coded.write_text(json.dumps(template if keep_code else with_code(template, SOMEWHERE)))
    command = [str(TOOLS / "python"), str(ROOT / "infra" / "translate.py"), str(coded)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def lint(path: Path) -> list[str]:
    """cfn-lint's findings on a template file, one a line."""
    command = [str(TOOLS / "cfn-lint"), "--format", "parseable", "-t", str(path), "-r", *REGIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def stage_problems(translated: Mapping[str, Any]) -> list[str]:
    """No deployment brings a stage along: SAM's would be a second one, open and unthrottled."""
    return [
        f"{name} makes a stage called {resource['Properties']['StageName']}"
        for name, resource in translated["Resources"].items()
        if resource["Type"] == "AWS::ApiGateway::Deployment"
        and "StageName" in resource["Properties"]
    ]


def problems(path: Path) -> list[str]:
    """All findings on the SAM template at `path` and its translation, kept beside it."""
    template = json.loads(path.read_text())
    try:
        translated = translate(template, path.parent)
    except subprocess.CalledProcessError as error:
        return [f"the SAM transform refuses the template: {error.stderr.strip()}"]
    after = path.with_name("cloudformation.json")
    after.write_text(json.dumps(translated, indent=1))
    return [*lint(path), *lint(after), *stage_problems(translated)]
