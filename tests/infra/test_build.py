from __future__ import annotations

import importlib.util
import os
import zipfile
from pathlib import Path

import pytest

from infra import check
from infra.build import BUILD, ROOT, CannotBuild, Package, build, prune, runtime, stages, write_zip


def test_an_unknown_stage_is_refused(tmp_path: Path) -> None:
    """Chalice would package it with defaults: 128 MB, an auto-generated role, no environment."""
    with pytest.raises(CannotBuild, match="prod is not a stage"):
        build("prod", out=tmp_path)


def test_stages_are_the_deployed_ones() -> None:
    assert stages() == ["production", "staging"]


def test_zips_of_the_same_files_are_the_same_bytes_whenever_written(tmp_path: Path) -> None:
    made = []
    for number, name in enumerate(("first", "second")):
        folder = tmp_path / name
        (folder / "sub").mkdir(parents=True)
        for file in ("b.py", "a.py") if number else ("a.py", "b.py"):
            path = folder / "sub" / file
            path.write_text(file)
            path.chmod(0o600 if number else 0o755)
            os.utime(path, (number * 10**9, number * 10**9))
        write_zip(folder, tmp_path / f"{name}.zip")
        made.append((tmp_path / f"{name}.zip").read_bytes())

    assert made[0] == made[1]


def test_the_package_carries_bytecode_for_its_runtime(package: Package) -> None:
    with zipfile.ZipFile(package.archive) as archive:
        compiled = archive.read(importlib.util.cache_from_source("app.py"))

    assert compiled[:4] == importlib.util.MAGIC_NUMBER
    assert runtime() in package.template.read_text()


def test_bytecode_names_the_path_that_lambda_runs_it_at(package: Package) -> None:
    with zipfile.ZipFile(package.archive) as archive:
        compiled = archive.read(importlib.util.cache_from_source("app.py"))

    assert b"/var/task/app.py" in compiled


def test_everything_ships_but_what_runs_elsewhere(package: Package) -> None:
    """Of chalicelib file by file: a name left out at one level may be needed at another."""
    with zipfile.ZipFile(package.archive) as archive:
        shipped = {name for name in archive.namelist() if "__pycache__" not in name}
    files = [path for path in (ROOT / "chalicelib").rglob("*") if path.is_file()]
    ours = {path.relative_to(ROOT).as_posix() for path in files if path.suffix != ".pyc"}
    elsewhere = {
        name for name in ours if name.startswith(("chalicelib/hostenv/", "chalicelib/keys.py"))
    }

    assert elsewhere
    assert {name for name in shipped if name.startswith("chalicelib/")} == ours - elsewhere
    assert {name.partition("/")[0] for name in shipped} == {"app.py", "chalicelib", "chalice"}


def test_pruning_removes_only_what_is_listed(tmp_path: Path) -> None:
    for name in ("dns", "dnspython-2.9.2.dist-info", "idna", "aws_lambda_powertools/event_handler"):
        (tmp_path / name).mkdir(parents=True)

    prune(tmp_path)

    assert {path.name for path in tmp_path.iterdir()} == {"idna", "aws_lambda_powertools"}
    assert not [*(tmp_path / "aws_lambda_powertools").iterdir()]


@pytest.mark.slow
def test_packaging_twice_gives_the_same_zip_and_no_check_finds_anything() -> None:
    """Downloads what ships, and needs the linters' environment (`make setup-tools`)."""
    first = build("production").digest
    second = build("production").digest

    assert first == second
    assert BUILD.is_dir()
    assert check.problems("production") == []
