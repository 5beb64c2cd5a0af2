from __future__ import annotations

import importlib.util
import os
import struct
import zipfile
from pathlib import Path

import pytest

from infra.build import FIXED_DATE, Package
from infra.checks import archive as checks

GOOD_BYTECODE = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + bytes(8)


def _elf(machine: int) -> bytes:
    return b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + bytes(44)


def _zip(path: Path, files: dict[str, bytes], date: tuple[int, ...] = FIXED_DATE) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, date), content)  # type: ignore[arg-type]
    return path


def _good() -> dict[str, bytes]:
    files = {"native.so": _elf(0xB7)}
    for name in checks.REQUIRED:
        files[name] = b""
        files[importlib.util.cache_from_source(name)] = GOOD_BYTECODE
    return files


def test_the_package_has_no_problems(package: Package) -> None:
    assert checks.problems(package.archive, "arm64") == []


def test_a_good_zip_has_no_problems(tmp_path: Path) -> None:
    assert checks.problems(_zip(tmp_path / "a.zip", _good()), "arm64") == []


@pytest.mark.parametrize(
    ("name", "content", "finding"),
    [
        ("boto3/session.txt", b"", "boto3/ must not ship"),
        ("chalicelib/hostenv/x.txt", b"", "chalicelib/hostenv/ must not ship"),
        ("native.so", _elf(0x3E), "native.so is not for arm64"),
        ("lonely.py", b"", "lonely.py has no bytecode"),
        ("__pycache__/app.cpython-311.pyc", b"\0" * 16, "compiled again"),
    ],
)
def test_each_breach_is_found(tmp_path: Path, name: str, content: bytes, finding: str) -> None:
    if name.endswith(".pyc"):
        name = importlib.util.cache_from_source("app.py")
    found = checks.problems(_zip(tmp_path / "a.zip", _good() | {name: content}), "arm64")

    assert any(finding in problem for problem in found)


def test_bytecode_that_looks_at_its_source_is_found(tmp_path: Path) -> None:
    """With a time stamp of its source it would be thrown away: the zip's dates are fixed."""
    timestamped = importlib.util.MAGIC_NUMBER + bytes(12)
    files = _good() | {importlib.util.cache_from_source("app.py"): timestamped}

    assert checks.problems(_zip(tmp_path / "a.zip", files), "arm64")


def test_a_missing_entry_point_is_found(tmp_path: Path) -> None:
    files = _good()
    del files["app.py"]

    assert "app.py is missing" in checks.problems(_zip(tmp_path / "a.zip", files), "arm64")


def test_a_large_zip_is_found(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", _good() | {"noise": os.urandom(checks.LARGEST)})

    assert any("over 8,000,000" in problem for problem in checks.problems(path, "arm64"))


def test_a_date_of_today_is_found(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", _good(), (2026, 5, 4, 3, 2, 1))

    assert checks.problems(path, "arm64") == ["an entry carries the date of its build"]
