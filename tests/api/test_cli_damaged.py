"""A damaged log on the command line: it is found wrong, the place is named, and nothing is stored."""

from pathlib import Path

import pytest

from tests.api.command import SUMP, run


def damaged(how: str) -> bytes:
    log = SUMP.read_bytes()
    lines = log.splitlines(keepends=True)
    return {
        "tampered": log.replace(b'"faces":[3,3]', b'"faces":[3,4]'),
        "cut": log[:60_000],
        "dropped": b"".join(lines[:50] + lines[51:]),
        "swapped": b"".join([*lines[:9], lines[10], lines[9], *lines[11:]]),
        "empty": b"",
        "binary": bytes(range(256)) * 1000,
        "long": b"[" * 1_000_000,
        "windows": log.replace(b"\n", b"\r\n"),
    }[how]


@pytest.mark.parametrize("how", ["tampered", "cut", "dropped", "swapped", "empty", "binary", "long", "windows"])
def test_a_damaged_log_is_found_wrong(how: str, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(damaged(how))
    for command in ("replay", "casualties", "turns"):
        assert "no sound log" in run(command, file, code=1).stderr
    run("import", file, "--data", data, code=1)
    assert not data.exists(), "nothing was made"


def test_a_log_that_the_rules_do_not_allow_is_not_imported(data: Path, tmp_path: Path) -> None:
    # Each entry follows on the one before, but what happens in the last action is cut off.
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(SUMP.read_bytes().splitlines(keepends=True)[:79]))
    run("replay", file)
    said = run("import", file, "--data", data, code=1).stderr
    assert "entry 79: the file ends in the middle of action 73" in said


@pytest.mark.parametrize("dropped", [1, 3, 5])
def test_a_file_that_ends_in_the_middle_says_where(dropped: int, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(SUMP.read_bytes().splitlines(keepends=True)[: 80 - dropped]))
    assert "the file ends in the middle of action 73" in run("import", file, "--data", data, code=1).stderr
    file.write_bytes(file.read_bytes()[:-20])
    assert f"the file ends in the middle of entry {80 - dropped}" in run("replay", file, code=1).stderr


def test_what_was_tampered_with_is_told_in_json(data: Path, tmp_path: Path) -> None:
    lines = SUMP.read_bytes().splitlines()
    file = tmp_path / "log.jsonl"
    started = next(n for n, line in enumerate(lines) if b'"type":"PhaseStarted"' in line)
    file.write_bytes(b"\n".join([*lines[:started], lines[started].replace(b'"recovery"', b'"shooting"')]) + b"\n")
    said = run("import", file, "--data", data, code=1).stderr
    assert 'recorded "shooting", the rules and dice give "recovery"' in said
