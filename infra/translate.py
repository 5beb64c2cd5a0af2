"""What CloudFormation's SAM transform makes of a template, for the linter and the tests.

Run by the interpreter of .venv-tools, from a file to standard output; imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def translate(template: dict[str, Any]) -> dict[str, Any]:
    """The template after the transform. Every `CodeUri` must name an S3 object by then."""
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    from samtranslator.parser.parser import Parser  # type: ignore[import-not-found]
    from samtranslator.translator.translator import Translator  # type: ignore[import-not-found]

    parameters = {
        name: parameter.get("Default", "") for name, parameter in template["Parameters"].items()
    }
    made: dict[str, Any] = Translator({}, Parser()).translate(template, parameters)
    return made


if __name__ == "__main__":
    json.dump(translate(json.loads(Path(sys.argv[1]).read_text())), sys.stdout, indent=1)
