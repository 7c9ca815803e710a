"""Desks: a store of ten thousand battles beside small ones. Law: a question about one knows nothing of the rest."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from api.desk import Wanted, desk
from bench.battles import begun, play, referee_on
from bench.machine import resident
from bench.processes import served
from bench.reporting import REPORTS
from bench.rows import Row, alone, at_most, in_turn, row, seconds
from bench.sizes import Run
from bench.wire import Line, request
from domain.commands import COMMAND
from domain.draft import REFEREE
from replays.referee import Asked

ACTIONS = 2
"""Actions of each of the many battles: openings and a few moves are what a desk is full of."""
WRITERS = 8
PAGE = 100
_AT_ONCE = 100


class Desk:
    """A store with so many battles, one of them played on for longer."""

    def __init__(self, run: Run, battles: int, actions: int) -> None:
        self.file = run.file(f"desk-{battles}.db")
        self.battles = battles
        self.referee = referee_on(self.file)
        with ThreadPoolExecutor(WRITERS) as threads:  # so that many share a commit
            for done, written in enumerate([threads.submit(self._one_more) for _ in range(battles - 1)]):
                written.result()
                if done % _AT_ONCE == 0:
                    run.say(f"{battles:,} battles", done, battles)
        self.battle = play(self.referee, actions=actions)
        run.say(f"{battles:,} battles", battles, battles)
        self.reopen()

    def _one_more(self) -> None:
        battle = begun(self.referee)
        for step in range(ACTIONS):
            walk = {"do": "move", "fig": f"red-{step}", "to": {"x": 3 + 4 * step, "y": 2}}
            self.referee.act(battle, COMMAND.validate_python(walk), Asked(REFEREE))

    def reopen(self) -> None:
        """Close the store and open it again: nothing is on the shelf any more."""
        self.referee.store.close()
        self.referee = referee_on(self.file)

    def page(self) -> None:
        """The last page of the desk."""
        found = desk(self.referee, frozenset(), max(0, self.battles - PAGE), PAGE, Wanted(status="playing"))
        assert found.battles

    def first_look(self) -> float:
        """Seconds to open the longer battle, from a store that has nothing at hand."""
        self.reopen()
        return seconds(lambda: self.referee.shelf.book(self.battle))


def rows(run: Run) -> Iterator[Row]:
    """Milliseconds with many battles, beside few."""
    sizes = run.sizes
    few, more = Desk(run, sizes.some_battles, sizes.short), Desk(run, sizes.more_battles, sizes.short)
    many = Desk(run, sizes.battles, sizes.short)
    others = f"of {many.battles:,} battles"
    yield row(
        f"a page of the desk {others}",
        "ms",
        in_turn(_timed(many.page, 9), _timed(more.page, 9), sizes.rounds),
        at_most(2),
        f"the same of {more.battles:,}",
    )
    floor_is = f"the same, one of {few.battles:,}"
    for name, report in REPORTS:
        pairs = in_turn(
            _timed(lambda r=report: r(many.referee, many.battle), 9),  # type: ignore[misc]
            _timed(lambda r=report: r(few.referee, few.battle), 9),  # type: ignore[misc]
            sizes.rounds,
        )
        yield row(f"{name} of a battle of {sizes.short:,} actions, one {others}", "ms", pairs, at_most(1.5), floor_is)
    pairs = in_turn(lambda: many.first_look() * 1e3, lambda: few.first_look() * 1e3, sizes.rounds)
    yield row(f"opening that battle, one {others}", "ms", pairs, at_most(1.5), floor_is)
    yield alone(f"the file {others}", "MB", [Path(many.file).stat().st_size / 1e6])
    for one in (few, more, many):
        one.referee.store.close()
    yield from _memory(many, few)


def _timed(call: Callable[[], object], times: int) -> Callable[[], float]:
    return lambda: seconds(call, times) * 1e3


def _memory(many: Desk, few: Desk) -> Iterator[Row]:
    """What a service over the file holds: when it is ready, and after each look."""
    asked = {
        "when ready": "/healthz",
        "after a page of the desk": f"/v1/battles?after={max(0, many.battles - PAGE)}&limit={PAGE}",
        "after opening a battle": f"/v1/battles/{many.battle}",
        "after its casualty report": f"/v1/battles/{many.battle}/casualties",
    }
    seen: dict[str, list[float]] = {name: [] for name in asked}
    for one in (many, few):
        with served(one.file) as (pid, port), Line(port) as line:
            for name, path in asked.items():
                status, _ = line.ask(request("GET", path.replace(many.battle, one.battle)))
                assert status == 200, path
                seen[name].append(resident(pid))
    for name, (much, little) in seen.items():
        floor_is = f"the same, {few.battles:,}"
        yield row(
            f"memory of the service over {many.battles:,} battles, {name}", "MB", [(much, little)], None, floor_is
        )
