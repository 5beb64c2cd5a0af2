"""Several files or none: atomic, modes kept, links refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from chalicelib.domain.errors import Conflict, InvalidInput, NotFound
from chalicelib.hostenv.files import read, write_all


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.json", tmp_path / "b.toml"]
    for path in paths:
        path.write_text(f"old {path.name}")
    return paths


def texts(paths: list[Path]) -> list[str]:
    return [path.read_text() for path in paths]


def test_all_files_are_written_and_keep_their_mode(pair: list[Path]) -> None:
    pair[0].chmod(0o600)
    pair[1].chmod(0o664)
    write_all([(read(path), "new") for path in pair])
    assert texts(pair) == ["new", "new"]
    assert [path.stat().st_mode & 0o777 for path in pair] == [0o600, 0o664]
    assert sorted(path.name for path in pair[0].parent.iterdir()) == ["a.json", "b.toml"]


def test_line_ends_and_a_byte_order_mark_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\n")
    source = read(path)
    assert source.text == "a\r\nb\n"
    write_all([(source, source.text + "c")])
    assert path.read_bytes() == b"\xef\xbb\xbfa\r\nb\nc"


def test_a_failure_on_the_second_file_puts_the_first_one_back(
    pair: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [read(path) for path in pair]
    swap = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target == pair[1]:
            raise PermissionError(13, "Permission denied", str(target))
        return swap(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(InvalidInput, match=r"nothing was changed: .*b\.toml"):
        write_all([(source, "new") for source in sources])
    assert texts(pair) == ["old a.json", "old b.toml"]
    assert len(list(pair[0].parent.iterdir())) == 2


def test_a_folder_that_cannot_be_written_changes_nothing(pair: list[Path], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    (gone / "c").write_text("old")
    sources = [read(pair[0]), read(gone / "c")]
    (gone / "c").unlink()
    gone.rmdir()
    with pytest.raises(InvalidInput, match="nothing was changed"):
        write_all([(source, "new") for source in sources])
    assert texts(pair[:1]) == ["old a.json"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_that_changed_meanwhile_is_not_overwritten(pair: list[Path]) -> None:
    sources = [read(path) for path in pair]
    pair[1].write_text("somebody else's")
    with pytest.raises(Conflict, match=r"b\.toml changed meanwhile"):
        write_all([(source, "new") for source in sources])
    assert texts(pair) == ["old a.json", "somebody else's"]
    assert len(list(pair[0].parent.iterdir())) == 2


def test_a_missing_file_a_link_a_folder_and_binary_data_are_named(
    tmp_path: Path, pair: list[Path]
) -> None:
    link, binary = tmp_path / "link", tmp_path / "binary"
    link.symlink_to(pair[0])
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(NotFound, match="nothing-here does not exist"):
        read(tmp_path / "nothing-here")
    for path, words in [
        (link, "is a symbolic link"),
        (tmp_path, "is not a file"),
        (binary, "is not UTF-8"),
    ]:
        with pytest.raises(InvalidInput, match=words):
            read(path)
