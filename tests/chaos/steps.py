"""Killed at one step after the other. Law: each life is a process of its own, and ends in the middle of what it did.

A step is a statement that the writer's connection begins, or something that is done to a file: opened, made, linked,
renamed, removed. `python -m tests.chaos.steps SCENE FOLDER STRIDE` lives a scene again and again, killed before its
first step, its second (or with another stride), until it lives to the end; after each life is looked at what is left.
"""

import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from shutil import copytree

from replays.keyring import Keyring
from replays.notary import Notary
from replays.store import Beside, KeyTaken, Sealed, Store, Summary
from tests.replays.test_store_files import A, batch, key

FILES = {"open", "os.mkdir", "os.link", "os.rename", "os.remove", "os.chmod", "tempfile.mkstemp"}
Life = Callable[[Path, Callable[[], None]], None]


def battle(entries: list[Sealed]) -> Summary:
    return Summary(
        battle=A, system="nme", title="", status="playing", turn=1, phase="shooting", side="red", event="", round="",
        table="", head=entries[-1].seq, disputes=0, undo_pending=False, parent="", private=False, time=0,
    )  # fmt: skip


def add(store: Store, head: int) -> None:
    entries = batch(head)
    store.append(A, entries, Beside(key=key(head), summary=battle(entries)))


def watch(store: Store, step: Callable[[], None]) -> None:
    """Have each statement that writes counted as a step."""
    store._recorder.datastore._writer._db.set_trace_callback(lambda _: step())  # type: ignore[attr-defined]


# --- scenes: how it begins, what is done, and what has to hold afterwards ---


def begin_log(folder: Path) -> None:
    with closing(Store.open(str(folder / "a.db"))) as store:
        add(store, 0)


def append(folder: Path, step: Callable[[], None]) -> None:
    with closing(Store.open(str(folder / "a.db"))) as store:
        watch(store, step)
        add(store, 5)
        step()
        (folder / "acknowledged").touch()


def check_log(folder: Path) -> None:
    with closing(Store.open(str(folder / "a.db"))) as store:
        head = store.head(A)
        assert head in {5, 10}, head
        assert head == 10 or not (folder / "acknowledged").exists()
        assert store.read(A) == [entry for start in range(0, head, 5) for entry in batch(start)]
        assert store.frontier(A).size == len(store.leaf_hashes(A)) == head
        assert (store.key(A, "referee", "after 5") is not None) == (head == 10)
        summary = store.summary(A)
        assert summary is not None
        assert summary.head == head
        try:
            add(store, 5)  # sent again
        except KeyTaken:
            assert head == 10
        assert store.head(A) == 10


def begin_nothing(folder: Path) -> None:
    pass


def sign(folder: Path, step: Callable[[], None]) -> None:
    """The first start of a service, and the first battle that it signs and publishes."""
    watch_files(folder / "keys", step)
    ring = Keyring.open(folder / "keys", "club.example")
    with closing(Store.open(str(folder / "a.db"))) as store:
        watch(store, step)
        notary = Notary(store, ring, lambda: 1_764_450_000_000)
        for head in (0, 5):
            add(store, head)
            notary.publish(A)
            (folder / "handed-out").write_bytes(notary.checkpoint(A) + b"\0" + notary.global_checkpoint())
            (folder / "vkeys").write_text(" ".join(ring.vkeys))


def check_signed(folder: Path) -> None:
    ring = Keyring.open(folder / "keys", "club.example")
    assert Keyring.open(folder / "keys", "club.example").vkeys == ring.vkeys
    if (folder / "vkeys").exists():
        assert (folder / "vkeys").read_text() == " ".join(ring.vkeys)
    with closing(Store.open(str(folder / "a.db"))) as store:
        notary = Notary(store, ring, lambda: 1_764_450_000_000)
        if store.head(A) == 0:
            add(store, 0)
        refused: list[tuple[str, Exception]] = []
        notary.publish_owed(lambda battle, no: refused.append((battle, no)))
        assert refused == []
        notary.publish(A)
        notary.publish(A)  # a leaf has one place
        published = store.ledger.published(0, 100)
        assert [row.size for row in published] == sorted({row.size for row in published})
        assert published[-1].size == store.head(A)
        assert notary.global_proof(notary.head(A)) is not None
        if (folder / "handed-out").exists():
            note, everything = (folder / "handed-out").read_bytes().split(b"\0")
            signed, size = int(note.split(b"\n")[1]), int(everything.split(b"\n")[1])
            assert notary.consistency(A, signed)  # what was handed out is the beginning of what there is
            assert size <= len(published)
    assert not {path.name for path in (folder / "keys").glob("*.key")} - {"log-1.key", "global-1.key"}


def watch_files(folder: Path, step: Callable[[], None]) -> None:
    """Have whatever is done to files in a folder counted as a step."""

    def heard(event: str, told: tuple[object, ...]) -> None:
        if event in FILES and told and str(told[0]).startswith(str(folder)):
            step()

    sys.addaudithook(heard)


def within_a_write(folder: Path, step: Callable[[], None]) -> None:
    """Killed by the system in the middle of a write: as many bytes further each time as `step` was called for."""
    with closing(Store.open(str(folder / "a.db"))) as store:
        add(store, 5)
        step()
        (folder / "acknowledged").touch()


SCENES: dict[str, tuple[Callable[[Path], None], Life, Callable[[Path], None]]] = {
    "append": (begin_log, append, check_log),
    "write": (begin_log, within_a_write, check_log),
    "sign": (begin_nothing, sign, check_signed),
}


def main(scene: str, folder: Path, stride: int) -> int:
    """Live it until it is lived to the end; how often it was killed."""
    begin, live, check = SCENES[scene]
    (folder / "begin").mkdir()
    begin(folder / "begin")
    for n in count(1, stride):
        life = folder / str(n)
        copytree(folder / "begin", life)
        how = in_a_process(lambda life=life, n=n: live(life, killer(n) if scene != "write" else bound(n)))  # type: ignore[misc]
        check(life)
        if how == 0:
            return (n - 1) // stride
    raise AssertionError


def killer(n: int) -> Callable[[], None]:
    """What ends the process before its step `n`."""
    steps = count(1)

    def step() -> None:
        if next(steps) == n:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


def bound(n: int) -> Callable[[], None]:
    """Files may grow to so many bytes; who writes more is killed by the system, as Python's own would not be."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500 * n, resource.RLIM_INFINITY))
    return lambda: None


def in_a_process(live: Callable[[], None]) -> int:
    """How a process ends that lives this: 0, or by a signal."""
    child = os.fork()
    if child == 0:
        try:
            live()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - told, and the end of the process
            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL, -signal.SIGXFSZ}, status
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.stdout.write(f"{main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))}\n")
