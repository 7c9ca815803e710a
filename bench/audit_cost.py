"""What the audit costs: `python -m bench.audit_cost [folder]` prints it; the folder is where the files are made.

Before: an append without its leaf hashes and frontier. After: with them. Then what a signed head costs, for every
action or asked for again, and what the proofs cost on a long log.
"""

import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from replays.audit.merkle import Frontier, leaf_hash
from replays.audit.secretkey import SecretKey
from replays.keyring import Keyring
from replays.notary import Notary
from replays.store import Beside, Sealed, Store, trees

ROUNDS = 1_500
ENTRIES = 3
"""In an action."""
BATTLE = "a" * 32


def micros(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median, in microseconds."""
    taken = []
    for _ in range(rounds):
        started = perf_counter()
        work()
        taken.append(perf_counter() - started)
    return median(taken) * 1e6


def appender(store: Store, battle: str = BATTLE) -> Callable[[], None]:
    """Appends actions of three entries of 600 bytes."""
    seqs = count(1)

    def append() -> None:
        store.append(battle, [Sealed(next(seqs), "HitRolled", 1, b"%600d" % n) for n in range(ENTRIES)], Beside())

    return append


def appends(databases: tuple[str, str]) -> tuple[float, float]:
    """An append without the audit, and with it; taken in turns, so that both meet the same machine."""
    tree_of, grown = trees.tree_of, trees.grown
    without, within = [], []
    with closing(Store.open(databases[0])) as one, closing(Store.open(databases[1])) as other:
        plain, whole = appender(one), appender(other)
        for _ in range(10):
            trees.tree_of = trees.grown = _none  # type: ignore[assignment]
            without.append(micros(plain, ROUNDS // 10))
            trees.tree_of, trees.grown = tree_of, grown
            within.append(micros(whole, ROUNDS // 10))
    return median(without), median(within)


def _none(*_: object) -> Frontier:
    return Frontier()


def heads(folder: Path | None, database: str) -> dict[str, float]:
    """What heads and proofs cost, on a log of some thousand entries."""
    with closing(Store.open(database)) as store:
        notary = Notary(store, Keyring.open(folder, "localhost"), lambda: 1_764_450_000_000)
        append = appender(store)
        for _ in range(1_700):
            append()
        notary.checkpoint(BATTLE)
        each: list[float] = []
        for _ in range(300):
            append()
            each.append(micros(lambda: notary.checkpoint(BATTLE), 1))
        size = store.head(BATTLE)
        places = count()
        return {
            "a new signed head": median(each),
            "the same head again": micros(lambda: notary.checkpoint(BATTLE)),
            "an inclusion proof": micros(lambda: notary.inclusion(BATTLE, next(places) * 7 % size)),
            "a consistency proof": micros(lambda: notary.consistency(BATTLE, 1 + next(places) * 7 % size)),
            "first head after a start": micros(lambda: Notary(store, notary.keyring, lambda: 0).checkpoint(BATTLE), 20),
        }


def main() -> None:
    """Measure and print."""
    data, key = b"%600d" % 0, SecretKey.fresh("localhost")
    shown("a leaf hash (600 bytes)", micros(lambda: leaf_hash(data)))
    shown("an Ed25519 signature", micros(lambda: key.sign("localhost\n")))
    with TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        for where, files in (("file", [str(folder / f"{n}.db") for n in range(3)]), ("memory", [":memory:"] * 3)):
            before, after = appends((files[0], files[1]))
            shown(f"append {ENTRIES} entries, {where}, before", before)
            shown(f"append {ENTRIES} entries, {where}, after", after)
            for what, cost in heads(folder / "keys" if where == "file" else None, files[2]).items():
                shown(f"{what}, {where}", cost)


def shown(what: str, cost: float) -> None:
    """One line."""
    print(f"{what:40}{cost:9.1f} us")


if __name__ == "__main__":
    main()
