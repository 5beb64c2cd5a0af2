"""Checks of the zip: size, content, native code for the right machine, usable bytecode."""

from __future__ import annotations

import importlib.util
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from infra.build import FIXED_DATE

LARGEST: Final = 8_000_000
"""Bytes. A larger zip is uploaded and unpacked on every cold start; argue before raising it."""

REQUIRED: Final = ("app.py", "chalice/app.py", "chalicelib/bootstrap.py")
FORBIDDEN: Final = (
    "boto3/",
    "botocore/",
    "moto/",
    "pytest/",
    "pip/",
    "chalice/cli/",
    "chalicelib/hostenv/",
    "chalicelib/keys.py",
    "infra/",
    "tests/",
)
"""What Lambda's runtime has, or what only tools, operators and agent hosts need."""

MACHINES: Final = {"x86_64": 0x3E, "arm64": 0xB7}
"""ELF's `e_machine` by Lambda's name of the architecture."""

UNCHECKED_HASH: Final = 0b01
"""PEP 552: bytecode by hash of its source, which is not compared at run time."""


def size(archive: zipfile.ZipFile) -> Iterator[str]:
    """The zip is small."""
    length = Path(str(archive.filename)).stat().st_size
    if length >= LARGEST:
        yield f"the zip has {length:,} bytes, over {LARGEST:,}"


def content(archive: zipfile.ZipFile) -> Iterator[str]:
    """What must be there is, what must not be is not."""
    names = archive.namelist()
    for name in REQUIRED:
        if name not in names:
            yield f"{name} is missing"
    for prefix in FORBIDDEN:
        if any(name.startswith(prefix) for name in names):
            yield f"{prefix} must not ship"


def bytecode(archive: zipfile.ZipFile) -> Iterator[str]:
    """Every module has bytecode that this interpreter's runtime takes without looking further."""
    names = {*archive.namelist()}
    for name in sorted(names):
        if not name.endswith(".py"):
            continue
        compiled = importlib.util.cache_from_source(name)
        if compiled not in names:
            yield f"{name} has no bytecode"
            continue
        with archive.open(compiled) as file:
            magic, flags = file.read(4), int.from_bytes(file.read(4), "little")
        if magic != importlib.util.MAGIC_NUMBER or flags != UNCHECKED_HASH:
            yield f"{compiled} would be compiled again at every cold start"


def dates(archive: zipfile.ZipFile) -> Iterator[str]:
    """Entries have the fixed date, or two builds differ."""
    if any(entry.date_time != FIXED_DATE for entry in archive.infolist()):
        yield "an entry carries the date of its build"


def machines(archive: zipfile.ZipFile, architecture: str) -> Iterator[str]:
    """Native modules are for the architecture that the functions run on."""
    for name in archive.namelist():
        if name.endswith(".so"):
            with archive.open(name) as file:
                (machine,) = struct.unpack_from("<H", file.read(20), 18)
            if machine != MACHINES[architecture]:
                yield f"{name} is not for {architecture}"


CHECKS: Final[tuple[Callable[[zipfile.ZipFile], Iterator[str]], ...]] = (
    size,
    content,
    bytecode,
    dates,
)


def problems(path: Path, architecture: str) -> list[str]:
    """All findings."""
    with zipfile.ZipFile(path) as archive:
        found = [problem for check in CHECKS for problem in check(archive)]
        return [*found, *machines(archive, architecture)]
