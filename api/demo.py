"""The demo: sample battles for people who want to look around. Law: it adds what is missing and changes nothing else.

The recorded battles come with their own ids; a skirmish with the service's own dice is played beside them.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Final, NamedTuple

from rich.padding import Padding
from rich.text import Text

from api.app import new_id, now
from api.saying import result
from api.seats import new_secret
from api.terminal.printing import out, progress, show_json, words
from api.terminal.shipping import SHOWN_ONCE
from api.terminal.skirmish import skirmish
from api.terminal.sources import store_of
from api.terminal.stop import FOUND_WRONG, Stop
from domain import events as e
from domain.battle import Battle
from projections.sentences.procedure import changed
from projections.walk import along_line
from projections.wording import SYSTEMS, fig_name, listed, side_name, weapon_name
from replays.examine import examine
from replays.imports import Clash, import_log
from replays.referee import Receipt, Referee
from replays.shelf import Book
from replays.store import Store

RECORDED: Final = Path(__file__).parent.parent / "replays" / "recorded"
"""The sample battles: what `battlelog export` gave of each."""


class Shown(NamedTuple):
    """A battle of the demo."""

    battle: str
    title: str
    system: str
    parent: str
    url: str
    result: str
    story: tuple[str, ...]


def show(data: Path, address: str, *, as_json: bool) -> None:
    """Play the sample battles into a store, and say where to look; `address` is empty where nothing will serve them."""
    with store_of(str(data), new=True) as store:
        _import_all(store)
        referee = Referee(store, clock=now, new_id=new_id, new_secret=new_secret)
        played = skirmish(referee)
        battles = [_shown(referee.shelf.book(battle), address) for battle in _ids(store)]
    if as_json:
        told = [{**shown._asdict(), "story": list(shown.story)} for shown in battles]
        seats = {played.battle: played.seats} if played.seats else {}
        show_json({"data": str(data), "address": address, "battles": told, "seats": seats})
        return
    for line in _told(battles, played, data, address):
        out().print(line, soft_wrap=isinstance(line, Text))


def _import_all(store: Store) -> None:
    with progress("playing the sample battles") as seen:
        for file in sorted(RECORDED.glob("*.jsonl")):
            data = file.read_bytes().splitlines()
            last = json.loads(data[-1])
            if store.head(last["battle"]) < last["seq"]:
                try:
                    import_log(store, examine(data, seen=seen), new_secret)
                except Clash as clash:
                    raise Stop(str(clash), FOUND_WRONG) from None


def _ids(store: Store) -> Iterator[str]:
    after = 0
    while found := store.summaries(after, 100):
        yield from (summary.battle for _, summary in found if not summary.private)
        after = found[-1][0]


def _shown(book: Book, address: str) -> Shown:
    record = book.record
    return Shown(
        battle=book.battle,
        title=record.battle.title or book.battle,
        system=record.battle.system,
        parent=record.origin.parent if record.origin else "",
        url=f"{address}battles/{book.battle}" if address else "",
        result=result(record.battle),
        story=tuple(_story(book)),
    )


def _story(book: Book) -> Iterator[str]:
    """What happened in each turn in which anything decisive did, in a line; of a what-if only what is its own."""
    turns: dict[int, list[str]] = {}
    for entry, before, after in along_line(book.entries()):
        if before is not None and entry.seq > book.at and (said := _decisive(before, entry.body)):
            turns.setdefault(after.turn, []).append(said)
    return (f"Turn {turn}: {'; '.join(said)}." for turn, said in turns.items())


def _decisive(battle: Battle, event: e.Event) -> str:
    match event:
        case e.FigRemoved(fig=fig, by=by):
            return f"{fig_name(battle, fig)} is out, by {fig_name(battle, by)}"
        case e.FigDowned(fig=fig, by=by):
            return f"{fig_name(battle, fig)} goes down, by {fig_name(battle, by)}"
        case e.WeaponFailed(fig=fig, weapon=weapon):
            return f"{weapon_name(weapon)} of {fig_name(battle, fig)} jams"
        case e.LastDitchCalled(side=side):
            return f"{side_name(battle, side)} calls last ditch"
        case e.RulingMade(changes=changes) if changes:
            return f"the referee rules: {listed(changed(battle, change) for change in changes)}"
        case _:
            return ""


def _called() -> str:
    """How this program was called, for whoever is to call it again."""
    typed, found = Path(sys.argv[0]), which("battlelog")
    if typed.stem != "battlelog" or (found and Path(found).resolve() == typed.resolve()):
        return "battlelog"
    return str(typed)


def _told(battles: Sequence[Shown], played: Receipt, data: Path, address: str) -> Iterator[Text | Padding]:
    program = _called()
    for shown in (battle for battle in battles if not battle.parent):
        yield Text()
        yield words(f"{shown.title} ({SYSTEMS[shown.system]}). {shown.result}", "bold")
        yield from (Padding(words(line), (0, 0, 0, 2)) for line in shown.story)
        yield words(f"    {shown.url or shown.battle}", "cyan")
        for branch in _below(battles, shown.battle):
            yield words(f"  {branch.title}", "italic")
            yield words(f"    {branch.url or branch.battle}", "cyan")
    yield Text()
    yield words(f"All {len(battles)} battles are in {data}.", "bold")
    browser = f"{address} and {address}docs" if address else f"{program} serve --data {data}, then at what it says"
    yield words(f"  In the browser: {browser}")
    yield words(f"  In the terminal: {program} replay {battles[0].battle} --data {data}")
    if played.seats:
        yield words(f"  A Quarrel at the Pump. {SHOWN_ONCE}")
        yield from (words(f"    {seat:12} {secret}") for seat, secret in played.seats.items())
    else:
        yield words(
            "  The seats of A Quarrel at the Pump were shown when it was first played; only hashes of them are kept."
        )
        yield words(f"  If they are lost: {program} reseat {played.battle} --seat referee --data {data}")


def _below(battles: Sequence[Shown], parent: str) -> Iterator[Shown]:
    for battle in battles:
        if battle.parent == parent:
            yield battle
            yield from _below(battles, battle.battle)
