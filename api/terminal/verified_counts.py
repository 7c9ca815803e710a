"""Counts of a verification, in lines. Law: it says how many, and judges nothing; one of a thing is told as one."""

from replays.audit.verify.tally import Tally, chi_square
from replays.reexamine import Reexamined


def level_of(level: str) -> str:
    """Who threw the dice."""
    return {"": "the service threw no dice", "L0": "L0, the service alone"}.get(
        level, f"{level}, seats contributed to every roll"
    )


def counted(tally: Tally) -> list[str]:
    """What a referee wants to read."""
    rolls = f"{of(tally.rolls, 'roll')} of {of(tally.dice, 'die', 'dice')}"
    seen = f"{of(tally.undone_dice, 'die was', 'dice were')} seen and then struck out"
    unused = f"{tally.replaced} of them in place of one that was not used up"
    behind = f"{of(tally.rulings, 'ruling')}, {of(tally.branches, 'branch', 'branches')} in its past"
    signed = of(tally.signed, "request of a side is", "requests of sides are")
    at_table = of(tally.physical, "of the rolls was", "of the rolls were")
    return [
        f"{of(tally.entries, 'entry', 'entries')}, {of(tally.actions, 'action')}; {rolls}.",
        f"{at_table} thrown at the table, {tally.simulated} in a what-if.",
        f"{of(tally.undos, 'undo')} and {of(tally.restored, 'redo')}; {seen}.",
        f"{of(tally.anchors, 'chain')} of dice, {unused}.",
        f"{of(tally.disputes, 'dispute')}, {behind}.",
        f"{signed} signed, {of(tally.unsigned, 'is', 'are')} not.",
        *(_forfeit(forfeit.seat, forfeit.request, forfeit.withheld) for forfeit in tally.forfeits),
    ]


def of(count: int, one: str, more: str = "") -> str:
    """So many of something, in the singular where it is one."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def score_of(rules: Reexamined | None) -> list[str]:
    """How the sides stand, or that nobody looked."""
    if rules is None:
        return ["The rules were not checked: no action was decided again."]
    return [
        f"{name}: {of(side.start, 'fig')} at the muster; {side.active} active, {side.pinned} pinned, {side.down} down, "
        f"{side.out} out."
        for name, side in rules.score.items()
    ]


def faces_of(tally: Tally) -> list[str]:
    """How the dice fell."""
    lines = []
    for sides, faces in sorted(tally.faces.items()):
        odds = f"chi-square {chi_square(faces, sides):.2f} with {of(sides - 1, 'degree')} of freedom"
        lines.append(f"{sum(faces.values())} d{sides}: {odds} (for information).")
    return lines


def _forfeit(seat: str, request: int, withheld: list[int] | None) -> str:
    dice = "its dice have not come to light" if withheld is None else f"the dice that it withheld: {withheld}"
    return f"{seat} forfeited the roll of entry {request}; {dice}."
