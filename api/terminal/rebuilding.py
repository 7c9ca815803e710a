"""Rebuilding: totals and desk out of the log. Law: it may be killed at any moment, and the service goes on."""

from collections.abc import Sequence
from typing import Any

from api.terminal.printing import out, progress_of, show_json, words
from api.terminal.sources import store_of
from api.terminal.stop import FOUND_WRONG, GOOD
from api.terminal.verdict import telling
from api.totals import projector
from projections.wording import counted
from replays.projector import Projector
from replays.store import SetAside, Store


def run(data: str, *, resume: bool, check: bool, as_json: bool) -> int:
    """Rebuild or compare, and tell what came of it; the exit code."""
    with store_of(data, writes=not check) as store:
        keeps = projector(store)
        if not resume and not check:
            keeps.begin_anew()
        folded = _caught_up(keeps)
        totals = keeps.differs() if check else []
        desk = _desk(store, keeps, mend=not check)
        aside = store.totals.set_aside()
        what_ifs = sum(store.branch_of(battle) is not None for battle in store.totals.battles())
    told = {
        "checked" if check else "folded": folded,
        "totals_wrong": totals,
        "desk_wrong" if check else "desk_mended": desk,
        "set_aside": [{"battle": row.battle, "seq": row.seq, "reason": row.reason} for row in aside],
    }
    code = FOUND_WRONG if aside or (check and (totals or desk)) else GOOD
    with telling(code):
        if as_json:
            show_json(told)
        else:
            _tell(told, aside, what_ifs, check=check)
    return code


def _caught_up(keeps: Projector) -> int:
    folded = 0
    with progress_of("totals: entries") as done:
        while True:
            came = keeps.step()
            folded += came.battles
            done(came.position, came.newest)
            if came.there:
                return folded


def _desk(store: Store, keeps: Projector, *, mend: bool) -> list[str]:
    wrong, all_battles = [], len(store.totals.battles())
    with progress_of("desk: battles") as done:
        for number, (battle, was_wrong) in enumerate(keeps.desk(mend=mend), start=1):
            wrong += [battle] if was_wrong else []
            done(number, all_battles)
    return wrong


def _tell(told: dict[str, Any], aside: Sequence[SetAside], what_ifs: int, *, check: bool) -> None:
    if check:
        wrong = {*told["totals_wrong"], *told["desk_wrong"]}
        said = ", ".join(sorted(wrong)[:10])
        out().print(
            words(f"These battles are told wrongly: {said}." if wrong else "Totals and desk are what the log says."),
            soft_wrap=True,
        )
    else:
        mended = len(told["desk_mended"])
        battles, rows = counted(told["folded"], "battle"), counted(mended, "row")
        said = f"{battles} counted; {counted(what_ifs, 'what-if')} left out; {rows} of the desk mended."
        out().print(words(said), soft_wrap=True)
    for row in aside:
        out().print(words(f"Left out: {row.battle}, at its entry {row.seq}: {row.reason}"), soft_wrap=True)
