"""Files that survive: at every step at which a machine may stop, a file is whole, the old one or the new one."""

import os
from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR

import pytest

from replays.audit.durable import make_folder, write_new, write_over

posix = pytest.mark.skipif(os.name != "posix", reason="modes and folders that can be opened are of POSIX")


class PowerCut(BaseException):
    """The machine stops here."""


class Steps:
    """Lets file operations through and notes them, until the one at which the power is cut."""

    def __init__(self, patch: pytest.MonkeyPatch, cut: int = -1) -> None:
        self.seen: list[str] = []
        self.cut = cut
        really_sync, really_replace, really_link = os.fsync, Path.replace, Path.hardlink_to

        def sync(number: int) -> None:
            status = os.fstat(number)
            self.step("folder on disk" if S_ISDIR(status.st_mode) else f"{status.st_size} bytes on disk")
            really_sync(number)

        def replace(path: Path, target: Path) -> Path:
            self.step(f"named {target.name}")
            return really_replace(path, target)

        def link(path: Path, target: Path) -> None:
            self.step(f"named {path.name}")
            really_link(path, target)

        patch.setattr(os, "fsync", sync)
        patch.setattr(Path, "replace", replace)
        patch.setattr(Path, "hardlink_to", link)

    def step(self, what: str) -> None:
        if len(self.seen) == self.cut:
            raise PowerCut
        self.seen.append(what)


@posix
@pytest.mark.parametrize("write", [write_new, write_over])
def test_bytes_are_on_the_disk_before_their_name_and_the_name_before_it_returns(
    write: Callable[[Path, bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch)
    write(tmp_path / "file", b"twelve bytes")
    assert steps.seen == ["12 bytes on disk", "named file", "folder on disk"]


@posix
@pytest.mark.parametrize("cut", range(4))
def test_a_power_cut_leaves_the_old_file_or_the_new_one(
    cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    write_over(file, b"old")
    Steps(monkeypatch, cut)
    try:
        write_over(file, b"the new one")
        finished = True
    except PowerCut:
        finished = False
    assert finished == (cut == 3)
    assert file.read_bytes() == (b"the new one" if cut > 1 else b"old")


@posix
@pytest.mark.parametrize("cut", range(4))
def test_a_power_cut_leaves_no_file_or_the_whole_one(cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    Steps(monkeypatch, cut)
    if cut == 3:
        write_new(file, b"whole")
    else:
        with pytest.raises(PowerCut):
            write_new(file, b"whole")
    assert file.exists() == (cut > 1)
    assert not file.exists() or file.read_bytes() == b"whole"


@pytest.mark.parametrize("write", [write_new, write_over])
def test_nothing_but_the_file_is_left_behind(write: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    write(tmp_path / "file", b"bytes")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@posix
def test_writing_keeps_no_file_open(tmp_path: Path) -> None:
    def lowest_free() -> int:
        number = os.open(tmp_path, os.O_RDONLY)
        os.close(number)
        return number

    before = lowest_free()
    write_new(tmp_path / "file", b"bytes")
    write_over(tmp_path / "file", b"bytes")
    assert lowest_free() == before


def test_a_file_that_is_there_is_never_written_again(tmp_path: Path) -> None:
    write_new(tmp_path / "file", b"first")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "file", b"second")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"first")]


def test_a_file_that_cannot_get_its_name_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_over(tmp_path / "taken", b"bytes")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@posix
def test_files_and_folders_are_for_their_owner_unless_said_otherwise(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "folder"
    make_folder(folder)
    make_folder(folder)
    write_new(folder / "private", b"")
    write_over(folder / "over", b"")
    write_new(folder / "public", b"", 0o644)
    modes = [path.stat().st_mode & 0o777 for path in (folder, *sorted(folder.iterdir()))]
    assert modes == [0o700, 0o600, 0o600, 0o644]
