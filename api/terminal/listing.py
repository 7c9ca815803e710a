"""Listing: what a store holds. Law: one row a battle, and nothing is replayed for it."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from api.terminal.printing import out, show_json, words
from api.terminal.sources import book_of, store_of
from api.totals import projector
from api.totals import standings as standing
from projections.wording import SYSTEMS
from replays.store import BranchRow, Filter, Store, Summary

_AT_ONCE = 200
_MOST_PLAYERS = 10_000


def battles(data: str, *, as_json: bool) -> None:
    """Every battle, in the order in which they were stored."""
    with store_of(data) as store:
        found = list(_summaries(store))
    if as_json:
        show_json({"battles": [_told(summary) for summary in found]})
        return
    table = _table("id", "title", "system", "status", "turn")
    for one in found:
        title = f"{one.title}{' (what if)' if one.parent else ''}{' (private)' if one.private else ''}"
        system = SYSTEMS.get(one.system, one.system)
        table.add_row(one.battle, words(title.strip()), words(system), words(one.status), str(one.turn))
    out().print(table if found else "There is no battle here.")


def standings(data: str, event: str | None, round_: str | None, *, as_json: bool) -> None:
    """The players of an event, as the totals have them after taking in what is new."""
    with store_of(data) as store:
        keeps = projector(store)
        while not keeps.step().there:
            pass
        told = standing(store, Filter(event, round_), _MOST_PLAYERS, 0)
    if as_json:
        show_json(told)
        return
    table = _table("player", "battles", "won", "drawn", "lost", "playing", "figs taken", "figs lost")
    for one in told.players:
        figures = (one.battles, one.won, one.drawn, one.lost, one.playing, one.kills, one.figs_lost)
        table.add_row(words(one.name), *map(str, figures))
    out().print(table if told.players else _nobody(event, round_))
    for row in told.left_out:
        out().print(words(f"Left out: {row.battle}, at its entry {row.seq}: {row.reason}"), soft_wrap=True)


def _nobody(event: str | None, round_: str | None) -> Text:
    shown = [f"{name} {tag}" for name, tag in (("event", event), ("round", round_)) if tag is not None]
    if not shown:
        return words("Nobody has played yet. Private battles and what-ifs do not count.")
    return words(f"Nobody has played in {', '.join(shown)}. Private battles and what-ifs do not count.")


def branches(battle: str, data: str, *, as_json: bool) -> None:
    """The what-ifs below a battle."""
    with store_of(data) as store:
        book_of(store, battle)
        own = store.branch_of(battle)
        found = list(_below(store, battle))
    if as_json:
        rows = [{**_told(summary), "at": row.at, "depth": depth} for row, depth, summary in found]
        show_json({"battle": battle, "parent": own and own.parent, "at": own and own.at, "branches": rows})
        return
    if own is not None:
        out().print(
            words(f"This is a what-if itself: it parts from {own.parent} after entry {own.at}."), soft_wrap=True
        )
    table = _table("id", "title", "parts after entry", "status", "turn")
    for row, depth, one in found:
        title = f"{'  ' * (depth - 1)}{one.title}"
        table.add_row(one.battle, words(title), str(row.at), words(one.status), str(one.turn))
    out().print(table if found else "Nothing parts from it.")


def _summaries(store: Store) -> Iterator[Summary]:
    after = 0
    while found := store.summaries(after, _AT_ONCE):
        yield from (summary for _, summary in found)
        after = found[-1][0]


def _below(store: Store, battle: str) -> Iterator[tuple[BranchRow, int, Summary]]:
    to_come = [(row, 1) for row in reversed(store.branches(battle))]
    while to_come:
        row, depth = to_come.pop()
        summary = store.summary(row.battle)
        if summary is not None:
            yield row, depth, summary
        to_come += [(below, depth + 1) for below in reversed(store.branches(row.battle))]


def _told(summary: Summary) -> dict[str, Any]:
    return {
        "id": summary.battle,
        "title": summary.title,
        "system": summary.system,
        "status": summary.status,
        "turn": summary.turn,
        "side": summary.side,
        "seq": summary.head,
        "parent": summary.parent or None,
        "private": summary.private,
    }


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in titles:
        number = title not in ("id", "title", "system", "status", "player")
        # An id is there to be copied: it is never cut or broken.
        table.add_column(title, overflow="fold", no_wrap=title == "id", justify="right" if number else "left")
    return table
