"""Targets. Law: one aims and fires at enemies still in play, figs or objects; own figs are hit by chance alone."""

from domain.battle import Battle, Fig
from domain.refusals import refuse


def enemy_target(battle: Battle, fig: Fig, name: str, rule: str) -> Fig:
    """The enemy of that name; refuses one of the fig's own side by `rule`, and one that is out."""
    target = battle.fig(name, "/target")
    enemies = [enemy.id for enemy in battle.enemies_of(fig.side)]
    if target.side == fig.side:
        refuse(rule, f"{target.id} is of {fig.id}'s own side", enemies)
    if not target.in_play:
        refuse("TURN-03", f"{target.id} is out of the battle", enemies)
    return target
