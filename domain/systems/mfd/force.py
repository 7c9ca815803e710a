"""Composition of a force (MFD-07). Law: ten guns that are not big for every big one, looked at when it musters."""

from collections.abc import Sequence

from domain.battle import Battle, Fig
from domain.refusals import invalid, refuse
from domain.systems.mfd.arms import big_guns_of, guns_of, is_fig


def check_force(battle: Battle) -> None:
    """Refuse a side with too many big guns; and a switch that no request could make use of."""
    if battle.mfd.big_mode_per_shot:
        reason = "a big weapon is explosive or not from the muster on: muster big_solid or big_explosive (MFD-06)"
        invalid(reason, "/policy/big_mode_per_shot", ["false"])
    by_figs = battle.mfd.ratio_counts == "figs"
    for side in battle.sides:
        figs = list(battle.figs_of(side))
        big = sum(len(big_guns_of(fig)) for fig in figs)
        others = _figs_without(figs) if by_figs else _guns_beside(figs)
        if not ratio_kept(others, big):
            what = "figs without one" if by_figs else "other guns"
            allowed = others // 10
            refuse(
                "MFD-07", f"{side} has {big} big guns for {others} {what}, not ten for each", [f"{allowed} big guns"]
            )


def ratio_kept(others: int, big: int) -> bool:
    """Whether there are ten others for every big gun."""
    return others >= 10 * big


def _guns_beside(figs: Sequence[Fig]) -> int:
    return sum(len(guns_of(fig)) - len(big_guns_of(fig)) for fig in figs)


def _figs_without(figs: Sequence[Fig]) -> int:
    return sum(is_fig(fig) and not big_guns_of(fig) for fig in figs)
