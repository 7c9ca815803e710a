"""Sources: where a command finds its log. Law: a file is believed in nothing, and nothing is made by looking.

FILE is an export in JSON Lines (`-` is standard input); ID is a battle of the store in `--data`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from api.terminal.printing import progress
from api.terminal.stop import FOUND_WRONG, Stop
from domain.refusals import Refused
from domain.timeline import recorded
from projections.walk import Log
from replays.codec import MOST_BYTES, Codec
from replays.examine import Examined, examine
from replays.readjudicate import Finding
from replays.shelf import Book, Shelf
from replays.store import Store, StoreUnavailable, on_postgres

MOST_FINDINGS: Final = 5
"""How many findings are told; the first is the one that counts."""

MOST_NAMED: Final = 10
"""How many battles are named to whoever asks for another."""

_ID: Final = re.compile("[0-9a-f]{32}").fullmatch


def log_of(source: str, data: str, at: int | None) -> Log:
    """The log of a file or of a stored battle, up to entry `at`."""
    if source != "-" and not Path(source).is_file() and _ID(source):
        with store_of(data) as store:
            book = book_of(store, source)
            seq = _upto(at, book.head)
            return Log(source, book.record_at(seq), book.entries(0, seq))
    examined = examined_file(source, rules=False)
    seq = _upto(at, len(examined.entries))
    entries = examined.entries[:seq]
    return Log(examined.entries[-1].battle, recorded(None, entries), entries)


def _upto(at: int | None, head: int) -> int:
    if at is not None and not 1 <= at <= head:
        raise Stop(f"there is no entry {at}: the log has entries 1 to {head}")
    return head if at is None else at


@contextmanager
def store_of(data: str, *, new: bool = False, writes: bool = False) -> Iterator[Store]:
    """The store in a file or on PostgreSQL; a `new` one is made where there is none.

    Only a command that `writes` raises a file of an earlier version: the service that uses it would stand still.
    """
    if not new and not on_postgres(data) and not Path(data).is_file():
        raise Stop(f"there is no file {data}: say with --data, or BATTLELOG_DATABASE, where the battles are kept")
    if not (new or writes) and (version := Store.older(data)):
        raise Stop(
            f"{data} is of an older version of this program (version {version} of the tables), and was left as it is: "
            "stop the service that uses it, then raise it with `battlelog serve`"
        )
    try:
        store = Store.open(data)
    except StoreUnavailable as no:
        raise Stop(str(no)) from None
    try:
        yield store
    except StoreUnavailable as no:
        raise Stop(str(no)) from None
    finally:
        store.close()


def book_of(store: Store, battle: str) -> Book:
    """A stored battle."""
    try:
        return Shelf(store, Codec()).book(battle)
    except Refused as no:
        raise Stop(f"{no.refusal.reason}: {there(store)}") from None


def there(store: Store) -> str:
    """Which battles are stored, the first few by id and title."""
    found = [summary for _, summary in store.summaries(0, MOST_NAMED + 1)]
    if not found:
        return "none is stored there"
    named = ", ".join(f"{one.battle} ({one.title or 'no title'})" for one in found[:MOST_NAMED])
    more = "; `battlelog battles` lists all" if len(found) > MOST_NAMED else ""
    return f"there are {named}{more}"


def examined_file(source: str, *, rules: bool) -> Examined:
    """A file whose every entry holds; raises `Stop` with what was found in one that does not."""
    found = _examined(source, rules=rules)
    if not found.good:
        told = "; ".join(_told(finding) for finding in found.findings[:MOST_FINDINGS])
        more = len(found.findings) - MOST_FINDINGS
        raise Stop(f"{source} is no sound log: {told}{f'; and {more} more' if more > 0 else ''}", FOUND_WRONG)
    return found


def _examined(source: str, *, rules: bool) -> Examined:
    with progress(f"looking at {source}") as seen:
        if source == "-":
            return examine(_lines(sys.stdin.buffer), rules=rules, seen=seen)
        return _examined_path(Path(source), seen, rules=rules)


def _examined_path(path: Path, seen: Callable[[int], None], *, rules: bool) -> Examined:
    if path.is_dir():
        raise Stop(f"{path} is a folder: name an export in JSON Lines, or the id of a battle")
    if not path.exists():
        raise Stop(f"there is no file {path}, and a battle's id is 32 digits of 0-9 and a-f")
    try:
        with path.open("rb") as file:
            return examine(_lines(file), rules=rules, seen=seen)
    except OSError as no:
        raise Stop(f"{path} cannot be read: {no.strerror}") from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    # Never more than one entry at a time, however long a "line" is.
    return (line.removesuffix(b"\n") for line in iter(lambda: file.readline(MOST_BYTES + 2), b""))


def _told(finding: Finding) -> str:
    return f"entry {finding.seq}: {finding.message}" if finding.seq else finding.message
