"""Replay: a battle read and folded, beside reading and decoding alone, and beside the library's own aggregate."""

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench import raw
from bench.battles import Doc, play, referee_on
from bench.rows import Row, at_least, in_turn, row, spent
from bench.sizes import Run
from domain.entry import Entry
from replays.codec import Codec
from replays.shelf import Shelf
from replays.store import Store


class Skirmish(Aggregate):
    """A battle in the library's declarative style: the same bodies, folded into a table of plain dicts."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.turn = 0
        self.phase = ""
        self.figs: dict[str, Doc] = {}
        self.dice: list[Doc] = []

    @event("FigChanged")
    def change(self, body: Doc) -> None:
        """A fig moves, turns or fares otherwise."""
        fig = self.figs.setdefault(body["fig"], {})
        fig |= {name: value for name, value in body.items() if name in {"x", "y", "facing", "status"}}

    @event("TableChanged")
    def go_on(self, body: Doc) -> None:
        """A turn or a phase begins or ends."""
        self.turn = body.get("turn", self.turn)
        self.phase = body.get("phase", self.phase)

    @event("Told")
    def tell(self, body: Doc) -> None:
        """Something is declared or rolled."""
        self.dice = [*body.get("throws", ())]


def _library(file: str, entries: Sequence[Entry]) -> Callable[[], None]:
    """Reads the library's aggregate, an event for each of these entries."""
    app = Application[UUID](env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": file})
    skirmish = Skirmish("Pipe Alley")
    for entry in entries[1:]:
        body: Doc = msgspec.to_builtins(entry.body)
        if entry.type.startswith("Fig"):
            skirmish.change(body=body)
        elif entry.type.startswith(("Turn", "Phase")):
            skirmish.go_on(body=body)
        else:
            skirmish.tell(body=body)
    app.save(skirmish)

    def read() -> None:
        found: Skirmish = app.repository.get(skirmish.id)
        assert found.version == len(entries)

    return read


def rows(run: Run) -> Iterator[Row]:
    """Events a second."""
    file, sizes = run.file("replay.db"), run.sizes
    referee = referee_on(file)
    battle = play(referee, entries=sizes.entries)
    read = referee.shelf.book(battle).entries()
    entries = len(read)
    referee.store.close()
    store, codec, db = Store.open(file), Codec(), raw.connect(file)
    decode = msgspec.json.Decoder().decode
    library = _library(run.file("library.db"), read)

    def ours() -> float:
        return entries / spent(lambda: Shelf(store, codec).book(battle), 3)

    def bare() -> float:
        return entries / spent(lambda: [decode(data) for _, data in raw.lines(db, battle)], 3)

    try:
        pairs = in_turn(ours, bare, sizes.rounds)
        yield row(f"replay of {entries:,} entries", "events/s", pairs, at_least(0.5), "raw select and decode")
        pairs = in_turn(ours, lambda: entries / spent(library), sizes.few)
        floor_is = "eventsourcing's declarative aggregate of the same bodies"
        yield row("the same replay beside the library's own", "events/s", pairs, at_least(5), floor_is)
    finally:
        store.close()
        db.close()
