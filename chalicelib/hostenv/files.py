"""Files read before and written after: all of them or none, each swapped in whole.

A symbolic link is refused, not followed: the rename would replace the link, and its target may be
shared with agents that this session is not about. Mode bits, and where permitted the owner, stay.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chalicelib.domain.errors import Conflict, InvalidInput, NotFound

BOM: Final = "\ufeff"
MAX_BYTES: Final = 16 * 1_048_576


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read; `text` has every byte but a leading byte order mark, `mark`."""

    path: Path
    data: bytes
    mode: int
    owner: tuple[int, int]
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class _Staged:
    """A finished temporary file beside the one that it replaces."""

    temporary: Path
    source: Source


def read(path: Path) -> Source:
    """The file at `path`. Raises `NotFound` or `InvalidInput`, naming it, on anything that is not a
    readable regular file in UTF-8."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise InvalidInput(f"{path} is a symbolic link; name the file itself")
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{path} is not a file")
        if found.st_size > MAX_BYTES:
            raise InvalidInput(f"{path} is over 16 MiB")
        data = path.read_bytes()
        text = data.decode("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"{path} does not exist") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text") from error
    mark = BOM if text.startswith(BOM) else ""
    owner = (found.st_uid, found.st_gid)
    return Source(path, data, stat.S_IMODE(found.st_mode), owner, mark, text.removeprefix(mark))


def write_all(changes: Sequence[tuple[Source, str]]) -> None:
    """Write every new text, or leave every file as it was.

    All temporary files are complete before the first rename; a failure after that puts back what
    was replaced. Raises `Conflict` when a file changed since it was read, `InvalidInput` when one
    cannot be written.
    """
    staged: list[_Staged] = []
    try:
        for source, text in changes:
            staged.append(_Staged(_temporary(source, (source.mark + text).encode()), source))
        for item in staged:
            _same_as_read(item.source)
        _swap_all(staged)
    except OSError as error:
        name = error.filename or "a file"
        raise InvalidInput(f"nothing was changed: {name}: {error.strerror}") from error
    finally:
        for item in staged:
            item.temporary.unlink(missing_ok=True)


def _swap_all(staged: Sequence[_Staged]) -> None:
    done: list[_Staged] = []
    try:
        for item in staged:
            item.temporary.replace(item.source.path)
            done.append(item)
    except OSError:
        for item in reversed(done):
            _temporary(item.source, item.source.data).replace(item.source.path)
        raise


def _temporary(source: Source, data: bytes) -> Path:
    """A complete file beside the source, with its mode and owner, on disk."""
    handle, name = tempfile.mkstemp(prefix=f".{source.path.name}.", dir=source.path.parent)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            _give(file.fileno(), source.owner)
            os.fchmod(file.fileno(), source.mode)
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _give(file: int, owner: tuple[int, int]) -> None:
    if owner != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(file, *owner)


def _same_as_read(source: Source) -> None:
    if read(source.path).data != source.data:
        raise Conflict(f"nothing was changed: {source.path} changed meanwhile")
