"""The exit code of a verdict is that of the verdict, whoever reads what is printed and however little of it."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from replays.audit.bundle import Bundle
from tests.replays.audit.notes import LOG
from tests.replays.audit.wrapped import alone, sound, together, wrap
from tests.replays.rooms import Room, skirmish

HOUSE = Path(__file__).parents[3]
MAIN = "from api.cli import main; main()"
DRIFT = (
    "from domain.systems import VERSIONS; from tests.replays.audit.test_verify_drift import Nme2; "
    f"VERSIONS['nme.2'] = Nme2(); {MAIN}"
)
FULL = Path("/dev/full")


def ended(*arguments: object, output: int, program: str = MAIN) -> tuple[int, str]:
    """The exit code of a command that writes there, and what it complained of."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, cwd=HOUSE, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


def unread(*arguments: object, program: str = MAIN) -> tuple[int, str]:
    """The same, where whoever should read is gone already."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return ended(*arguments, output=writer, program=program)
    finally:
        os.close(writer)


def files(folder: Path) -> dict[str, tuple[Path, int]]:
    """Bundles, and the exit codes of what they are."""
    whole = sound(alone())
    last = whole.entries[-1].replace(b'"time":1', b'"time":2')
    bundles: dict[str, tuple[Bundle, int]] = {
        "valid": (whole, 0),
        "invalid": (replace(whole, entries=(*whole.entries[:-1], last)), 1),
        "open": (wrap(alone().battle, alone().data[:-1]), 3),
    }
    for name, (bundle, _) in bundles.items():
        (folder / name).write_bytes(bundle.to_bytes())
    return {name: (folder / name, code) for name, (_, code) in bundles.items()}


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["in words", "in JSON"])
def test_a_reader_who_goes_away_changes_no_verdict(tmp_path: Path, more: tuple[str, ...]) -> None:
    for path, code in files(tmp_path).values():
        assert unread("verify", path, "--key", LOG.public.vkey, *more) == (code, "")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("more", [(), ("--json",)], ids=["in words", "in JSON"])
def test_a_verdict_that_cannot_be_written_is_none(tmp_path: Path, more: tuple[str, ...]) -> None:
    for path, _ in files(tmp_path).values():
        with FULL.open("wb") as full:
            code, said = ended("verify", path, "--key", LOG.public.vkey, *more, output=full.fileno())
        assert code == 2
        assert said.startswith("battlelog: the output cannot be written: ")
        assert said.count("\n") == 1


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_no_command_takes_a_full_disk_for_a_fault_of_the_program(tmp_path: Path) -> None:
    export = tmp_path / "b.jsonl"
    export.write_bytes(b"".join(entry + b"\n" for entry in alone().data))
    for more in ((), ("--json",)):
        with FULL.open("wb") as full:
            code, said = ended("turns", export, *more, output=full.fileno())
        assert (code, said.startswith("battlelog: the output cannot be written: ")) == (2, True)
        assert unread("turns", export, *more) == (0, "")


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["in words", "in JSON"])
def test_what_another_rules_version_would_change_is_told_to_nobody_as_well(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    path = tmp_path / "b.wlog"
    path.write_bytes(sound(together()).to_bytes())
    assert unread("rules-diff", "nme.1", "nme.2", path, *more, program=DRIFT) == (1, "")
    assert unread("rules-diff", "nme.1", "nme.1", path, *more, program=DRIFT) == (0, "")


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["in words", "in JSON"])
def test_totals_that_are_wrong_are_wrong_without_a_reader(tmp_path: Path, more: tuple[str, ...]) -> None:
    data = tmp_path / "battles.db"
    room = Room(str(data))
    battle = skirmish(room, 1)
    assert unread("rebuild", "--data", data, *more) == (0, "")
    room.store._recorder.execute("UPDATE summaries SET turn = 99 WHERE battle = ?", (battle,))
    room.store.close()
    assert unread("rebuild", "--check", "--data", data, *more) == (1, "")
