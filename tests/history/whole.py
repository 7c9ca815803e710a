"""What the project's own examination says of the logs, and of the tables that people were shown. Law: as `laws`."""

from collections.abc import Callable, Iterator
from itertools import groupby

from projections.table import table_view
from replays.codec import Codec
from replays.examine import examine
from replays.shelf import Book
from tests.history.diary import digest
from tests.history.laws import Finding, Logs
from tests.history.logs import Log
from tests.history.past import Past


def whole(past: Past, logs: Logs, seen: Callable[[str], None] = lambda _battle: None) -> Iterator[Finding]:
    """Links, states and rules of every log, and every table that was read held against the one that the log gives."""
    reads = sorted((read.battle, read.seq, read.digest, read.who) for read in past.reads if read.digest)
    shown = {battle: list(some) for battle, some in groupby(reads, key=lambda read: read[0])}
    for log in logs.values():
        for found in examine(log.lines).findings:
            yield Finding("whole", log.battle, found.seq, f"{found.check} {found.field}: {found.message}")
        book = _book(log)
        for _, seq, told, who in shown.get(log.battle, ()):
            if seq <= log.head and told != table_digest(book, seq):
                yield Finding("torn", log.battle, seq, f"the table that {who} was shown is not that of entry {seq}")
        seen(log.battle)


def _book(log: Log) -> Book:
    codec, book = Codec(), Book(log.battle, None, 0)
    book.take([codec.parse(line) for line in log.lines], list(log.lines))
    return book


def table_digest(book: Book, seq: int) -> str:
    """The table as the service shows it, after an entry."""
    view = table_view(book.battle, book.record_at(seq), book.entries(0, seq))
    return digest([view.model_dump_json().encode()])
