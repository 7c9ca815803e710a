"""Reports: table, casualties and turn history. Law: their cost goes by the battle's own length.

Both are fetched as a route does it: the book from the shelf, grown to the head of the store, then the fold.
"""

from collections.abc import Callable, Iterator

from bench.battles import play, referee_on
from bench.rows import Row, at_most, in_turn, row, spent
from bench.sizes import Run
from projections.casualties import casualty_report
from projections.table import table_view
from projections.turns import turn_history
from replays.referee import Referee


def _table(referee: Referee, battle: str) -> object:
    book = referee.shelf.book(battle)
    return table_view(battle, book.record, book.entries())


def _casualties(referee: Referee, battle: str) -> object:
    book = referee.shelf.book(battle)
    return casualty_report(battle, book.record, book.entries())


def _turns(referee: Referee, battle: str) -> object:
    book = referee.shelf.book(battle)
    return turn_history(battle, book.record, book.entries())


REPORTS: tuple[tuple[str, Callable[[Referee, str], object]], ...] = (
    ("table", _table),
    ("casualty report", _casualties),
    ("turn history", _turns),
)


def rows(run: Run) -> Iterator[Row]:
    """Microseconds an action, of longer battles beside shorter ones."""
    sizes = run.sizes
    played = {}
    for actions in (sizes.short, sizes.middle, sizes.long):
        run.say("playing", 0, 1)
        referee = referee_on(":memory:")
        played[actions] = (referee, play(referee, actions=actions))
    for name, report in REPORTS:
        for longer, shorter in ((sizes.middle, sizes.short), (sizes.long, sizes.middle)):
            pairs = in_turn(
                lambda n=longer, r=report: spent(lambda: r(*played[n]), 3) / n * 1e6,  # type: ignore[misc]
                lambda n=shorter, r=report: spent(lambda: r(*played[n]), 3) / n * 1e6,  # type: ignore[misc]
                sizes.few,
            )
            floor_is = f"the same of {shorter:,} actions"
            yield row(f"{name} of {longer:,} actions, per action", "µs", pairs, at_most(1.5), floor_is)
    for referee, _ in played.values():
        referee.store.close()
