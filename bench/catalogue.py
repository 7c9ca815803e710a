"""The catalogue: what can be measured, by name. Law: a benchmark is imported when it is asked for, and no other is."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import NamedTuple, cast

from api.sweeping import swept_seldom
from bench.rows import Row
from bench.sizes import Run


class Bench(NamedTuple):
    """A group of rows: what they are about, and the module and function that measures them."""

    module: str
    about: str
    function: str = "rows"


BENCHES = {
    "replay": Bench("bench.replaying", "a battle read from the store and folded"),
    "append": Bench("bench.appending", "an action made durable"),
    "together": Bench("bench.together", "many battles at once in one process"),
    "http": Bench("bench.http_actions", "an action over HTTP"),
    "looking": Bench("bench.looking_back", "undo, redo, a look at any moment, a branch"),
    "reports": Bench("bench.reporting", "table, casualties and turns by the length of a battle"),
    "desk": Bench("bench.desks", "one battle, and the desk, among ten thousand"),
    "live": Bench("bench.live_feed", "thousands of followers of one battle"),
    "start": Bench("bench.starting", "starting the service"),
    "odds": Bench("bench.chances", "exact odds of a shot", "odds"),
    "forecast": Bench("bench.chances", "a battle played on many times"),
    "verify": Bench("bench.verify_rows", "a bundle verified offline"),
}


def measured(name: str, run: Run) -> list[Row]:
    """The rows of a group."""
    bench = BENCHES[name]
    rows = cast("Callable[[Run], Iterable[Row]]", getattr(import_module(bench.module), bench.function))
    with swept_seldom():  # as the service does
        return list(rows(run))
