"""`make package`: from the working tree to a template and a zip that are the same on every run.

    stage    app.py, chalicelib/, .chalice/, infra/policies/ and the requirements that ship go to a
             folder of their own: Chalice packages whatever requirements.txt names, and at the root
             that is 37 MB of tools
    merge    the fragments become one JSON file
    package  `chalice package` writes the SAM template and a first zip. It takes the interpreter
             that runs it for Lambda's runtime, so this module does too: run it by the Python to
             deploy on
    prune    parts of packages that nothing here imports go
    compile  bytecode for that runtime goes in: /var/task is read-only, so without it every cold
             start compiles everything again (a third of the time with it, on the API's imports)
    zip      sorted, with fixed dates and modes: the same tree gives the same SHA-256

What must hold of the result is checked by `infra.check`, not here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.assemble import assemble

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "build"
REQUIREMENTS: Final = ROOT / "infra" / "lambda-requirements.txt"
ARCHIVE: Final = "deployment.zip"
TEMPLATE: Final = "sam.json"
FIXED_DATE: Final = (2020, 1, 1, 0, 0, 0)
NOT_SHIPPED: Final = ("hostenv", "keys.py")
"""Parts of chalicelib, directly under it, that run on an agent host or an operator's machine."""
PRUNED: Final = ("dns", "dnspython-*.dist-info", "aws_lambda_powertools/event_handler")
"""Parts of packages that nothing here imports: e-mail domains are not looked up in DNS, and Chalice
does the routing. A fifth of the zip; a test runs the service without them."""


class CannotBuild(RuntimeError):
    """Packaging failed; the message says why."""


@dataclass(frozen=True, slots=True)
class Package:
    """What was built for a stage. The template's `CodeUri` is the archive beside it."""

    stage: str
    template: Path
    archive: Path

    @property
    def digest(self) -> str:
        """The archive's SHA-256 in hexadecimal."""
        return hashlib.sha256(self.archive.read_bytes()).hexdigest()


def stages(root: Path = ROOT) -> list[str]:
    """The stages that can be packaged. Chalice takes any other name silently, with bad defaults."""
    config = json.loads((root / ".chalice" / "config.json").read_text())
    return sorted(config["stages"])


def runtime() -> str:
    """The Lambda runtime that the running interpreter packages for."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def build(
    stage: str,
    *,
    root: Path = ROOT,
    out: Path = BUILD,
    requirements: Path | None = REQUIREMENTS,
) -> Package:
    """Package a stage into `out/<stage>`; what was there is replaced.

    Without `requirements` no package ships: enough for whoever looks at the template only, and free
    of downloads. Raises `CannotBuild`.
    """
    if stage not in stages(root):
        raise CannotBuild(f"{stage} is not a stage; .chalice/config.json has {stages(root)}")
    folder = out / stage
    shutil.rmtree(folder, ignore_errors=True)
    staged, packaged = folder / "stage", folder / "package"
    _stage(root, staged, requirements)
    merge = folder / "merge.json"
    merge.write_text(json.dumps(assemble(root / "infra" / "fragments")))
    _chalice_package(stage, staged=staged, merge=merge, out=packaged)
    unpacked = folder / "unpacked"
    with zipfile.ZipFile(packaged / ARCHIVE) as archive:
        archive.extractall(unpacked)
    prune(unpacked)
    _compile(unpacked)
    archive_path = folder / ARCHIVE
    write_zip(unpacked, archive_path)
    template = folder / TEMPLATE
    shutil.copyfile(packaged / TEMPLATE, template)
    return Package(stage, template, archive_path)


def _stage(root: Path, staged: Path, requirements: Path | None) -> None:
    staged.mkdir(parents=True)
    shutil.copyfile(root / "app.py", staged / "app.py")
    _copy_package(root / "chalicelib", staged / "chalicelib")
    # Without `deployments`: Chalice's cache would ship old packages when only a pin's file changed.
    (staged / ".chalice").mkdir()
    shutil.copyfile(root / ".chalice" / "config.json", staged / ".chalice" / "config.json")
    shutil.copytree(root / "infra" / "policies", staged / "infra" / "policies")
    text = requirements.read_text() if requirements else ""
    (staged / "requirements.txt").write_text(text)


def _copy_package(package: Path, to: Path) -> None:
    compiled = shutil.ignore_patterns("__pycache__", "*.pyc")

    def ignored(folder: str, names: list[str]) -> set[str]:
        elsewhere = NOT_SHIPPED if Path(folder) == package else ()
        return {*elsewhere} | compiled(folder, names)

    shutil.copytree(package, to, ignore=ignored)


def _chalice_package(stage: str, *, staged: Path, merge: Path, out: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from chalice.cli import main; main()",
        "package",
        "--stage",
        stage,
        "--merge-template",
        str(merge.resolve()),
        str(out.resolve()),
    ]
    # A region must be named, though nothing is asked of it. Bytecode is written later, all at once.
    environ = {**os.environ, "AWS_DEFAULT_REGION": "us-east-1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=staged, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotBuild(f"chalice package failed:\n{done.stdout}{done.stderr}")


def prune(folder: Path) -> None:
    """Remove what `PRUNED` names."""
    for pattern in PRUNED:
        for path in folder.glob(pattern):
            shutil.rmtree(path)


def _compile(folder: Path) -> None:
    """Compile in one fresh process with a fixed hash seed, by the path that Lambda runs it at.

    `unchecked-hash`: Lambda never looks whether the source is newer, which it cannot be.
    """
    command = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(folder), "-p", "/var/task", str(folder)]
    environ = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"compileall failed:\n{done.stdout}{done.stderr}")


def write_zip(folder: Path, archive: Path) -> None:
    """Zip a folder reproducibly: sorted names, one date, one mode, no directory entries."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), FIXED_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            made.writestr(entry, path.read_bytes())


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a stage and say what came out."""
    parser = argparse.ArgumentParser(prog="python -m infra.build", description=__doc__)
    parser.add_argument("--stage", required=True)
    stage = parser.parse_args(arguments).stage
    started = time.monotonic()
    try:
        package = build(stage)
    except CannotBuild as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    size = package.archive.stat().st_size / 1e6
    print(f"parley: {stage} packaged for {runtime()} in {time.monotonic() - started:.0f} s")
    print(f"  {package.archive.relative_to(ROOT)}  {size:.2f} MB  sha256 {package.digest}")
    print(f"  {package.template.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
