"""Key files: made once, for their owner alone, never overwritten, and refused when something is wrong with them."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from replays.audit import keys
from replays.audit.keys import Role, UnsafeKeys, first_keys, load_keys, make_key, name_of, read_vkey
from replays.audit.secretkey import SecretKey
from tests.replays.audit.notes import HOST, LOG, SEAT, secret

posix = pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
ROLES: list[Role] = ["log", "global", "root"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "var" / "keys"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def put(folder: Path, name: str, content: str) -> None:
    folder.mkdir(0o700, parents=True, exist_ok=True)
    (folder / name).write_text(content, "ascii")
    (folder / name).chmod(0o600)


@posix
def test_the_first_start_makes_a_key_for_its_owner_alone(folder: Path) -> None:
    (key,) = first_keys(folder, "log", HOST)
    assert sorted(path.name for path in folder.iterdir()) == ["log-1.key", "log-1.vkey"]
    assert [mode(folder), mode(folder / "log-1.key"), mode(folder / "log-1.vkey")] == [0o700, 0o600, 0o644]
    assert (folder / "log-1.key").read_text("ascii") == f"{key.encoded()}\n"
    assert (folder / "log-1.vkey").read_text("ascii") == f"{key.public.vkey}\n"
    assert read_vkey(folder / "log-1.vkey") == key.public


def test_the_next_start_finds_the_same_key(folder: Path) -> None:
    (made,) = first_keys(folder, "log", HOST)
    content = (folder / "log-1.key").read_bytes()
    (found,) = first_keys(folder, "log", HOST)
    assert found.encoded() == made.encoded()
    assert (folder / "log-1.key").read_bytes() == content


def test_every_role_has_a_key_and_a_name_of_its_own(folder: Path) -> None:
    own = [first_keys(folder, role, HOST)[0].public for role in ROLES]
    assert [key.name for key in own] == [HOST, f"{HOST}/global", f"{HOST}/root"] == [name_of(r, HOST) for r in ROLES]
    assert len({key.public for key in own}) == 3
    assert {key.kind for key in own} == {1}


def test_nothing_is_made_by_looking(folder: Path) -> None:
    assert load_keys(folder, "log", HOST) == ()
    assert not folder.exists()


def test_a_rotation_adds_a_key_and_keeps_the_old_one(folder: Path) -> None:
    first = make_key(folder, "log", HOST)
    rest = [make_key(folder, "log", HOST) for _ in range(10)]
    assert [key.encoded() for key in load_keys(folder, "log", HOST)] == [key.encoded() for key in (first, *rest)]
    assert first_keys(folder, "log", HOST)[0].encoded() == first.encoded()


def test_services_that_start_together_find_one_key(tmp_path: Path) -> None:
    for number in range(12):
        folder, together = tmp_path / str(number), Barrier(8)

        def start(folder: Path = folder, together: Barrier = together) -> str:
            together.wait()
            (key,) = first_keys(folder, "log", HOST)
            return key.encoded()

        with ThreadPoolExecutor(8) as pool:
            found = {future.result() for future in [pool.submit(start) for _ in range(8)]}
        assert len(found) == 1


def test_a_service_that_looked_before_another_made_its_key_takes_that_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quicker: list[SecretKey] = []

    def make_folder(wanted: Path) -> None:
        monkeypatch.undo()
        quicker.extend(first_keys(wanted, "log", HOST))

    monkeypatch.setattr(keys, "make_folder", make_folder)
    found = first_keys(folder, "log", HOST)
    assert [key.encoded() for key in found] == [key.encoded() for key in quicker]
    assert len(found) == 1


@posix
@pytest.mark.parametrize("bits", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644])
def test_a_key_that_others_can_use_is_refused(folder: Path, bits: int) -> None:
    make_key(folder, "log", HOST)
    (folder / "log-1.key").chmod(bits)
    with pytest.raises(UnsafeKeys, match=rf"others than the owner can use .*log-1\.key: its mode is 0{bits:o}"):
        load_keys(folder, "log", HOST)


@posix
@pytest.mark.parametrize("bits", [0o750, 0o705, 0o711, 0o777])
def test_a_folder_that_others_can_enter_is_refused(folder: Path, bits: int) -> None:
    make_key(folder, "log", HOST)
    folder.chmod(bits)
    with pytest.raises(UnsafeKeys, match="others than the owner can use"):
        load_keys(folder, "log", HOST)
    with pytest.raises(UnsafeKeys, match="others than the owner can use"):
        make_key(folder, "log", HOST)
    assert len(list(folder.iterdir())) == 2


@posix
def test_a_stricter_mode_is_taken(folder: Path) -> None:
    make_key(folder, "log", HOST)
    (folder / "log-1.key").chmod(0o400)
    folder.chmod(0o500)
    assert len(load_keys(folder, "log", HOST)) == 1
    folder.chmod(0o700)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n",
        LOG.encoded(),
        f"{LOG.encoded()}\n\n",
        f"\n{LOG.encoded()}\n",
        f"{LOG.encoded()}\r\n",
        f"{LOG.encoded()[:-1]}\n",
        f"{LOG.public.vkey}\n",
    ],
)
def test_a_damaged_key_file_is_refused_and_left_alone(folder: Path, content: str) -> None:
    put(folder, "log-1.key", content)
    with pytest.raises(UnsafeKeys, match=r"log-1\.key: "):
        first_keys(folder, "log", HOST)
    assert [path.name for path in folder.iterdir()] == ["log-1.key"]
    assert (folder / "log-1.key").read_bytes() == content.encode()


def test_bytes_that_are_no_text_are_no_key(folder: Path) -> None:
    put(folder, "log-1.key", "")
    (folder / "log-1.key").write_bytes(b"\xff\n")
    with pytest.raises(UnsafeKeys, match=r"log-1\.key: "):
        load_keys(folder, "log", HOST)


@pytest.mark.parametrize("key", [secret("other.example"), secret(f"{HOST}/global"), SEAT])
def test_a_key_of_another_name_is_refused(folder: Path, key: SecretKey) -> None:
    put(folder, "log-1.key", f"{key.encoded()}\n")
    with pytest.raises(UnsafeKeys, match=f"is a key of {key.public.name}, wanted {HOST}"):
        load_keys(folder, "log", HOST)


@pytest.mark.parametrize("names", [["log-2.key"], ["log-0.key"], ["log-01.key"], ["log-1.key", "log-3.key"]])
def test_a_missing_or_misnamed_key_is_noticed(folder: Path, names: list[str]) -> None:
    for name in names:
        put(folder, name, f"{LOG.encoded()}\n")
    with pytest.raises(UnsafeKeys, match="without a gap"):
        first_keys(folder, "log", HOST)
    assert sorted(path.name for path in folder.iterdir()) == names


def test_other_files_in_the_folder_are_nobodys_keys(folder: Path) -> None:
    make_key(folder, "log", HOST)
    for name in (".log-2.key.x", "log-2.key~", "xlog-2.key", "log-2.vkey", "global-1.txt", "log-two.key"):
        put(folder, name, "")
    assert len(load_keys(folder, "log", HOST)) == 1
    assert load_keys(folder, "global", HOST) == ()


def test_a_public_file_that_got_lost_is_written_again(folder: Path) -> None:
    key = make_key(folder, "log", HOST)
    (folder / "log-1.vkey").unlink()
    load_keys(folder, "log", HOST)
    assert read_vkey(folder / "log-1.vkey") == key.public


def test_a_public_file_of_another_key_is_refused_and_left_alone(folder: Path) -> None:
    make_key(folder, "log", HOST)
    put(folder, "log-1.vkey", f"{LOG.public.vkey}\n")
    with pytest.raises(UnsafeKeys, match=r"log-1\.vkey is not the public half of"):
        load_keys(folder, "log", HOST)
    assert read_vkey(folder / "log-1.vkey") == LOG.public


@pytest.mark.parametrize("content", ["", LOG.public.vkey, f"{LOG.public.vkey}\n\n", f"{LOG.encoded()}\n"])
def test_a_public_file_holds_one_vkey(tmp_path: Path, content: str) -> None:
    (tmp_path / "some.vkey").write_text(content, "ascii")
    with pytest.raises(ValueError, match=r"."):
        read_vkey(tmp_path / "some.vkey")


@pytest.mark.parametrize("role", ROLES)
def test_no_key_is_made_for_a_host_that_no_log_has(folder: Path, role: Role) -> None:
    with pytest.raises(ValueError, match="no log has the origin"):
        first_keys(folder, role, "War Log")
    assert not folder.exists()
