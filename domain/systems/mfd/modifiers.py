"""To-hit modifiers (MFD-11 to 20, 27). Law: each is a named entry added to the die; positive is easier.

They add up, except within a family: of the cover lines one holds, and of the two for being near one. Every family is a
function below; the two lists at the top are the order in which an event keeps them.
"""

from collections.abc import Iterator

from domain.battle import Battle, Fig
from domain.events import Modifier
from domain.policy import MfdPolicy
from domain.systems.mfd.gap import Gap
from domain.systems.mfd.last_ditch import in_last_ditch
from domain.systems.mfd.table import band_of


def shot_modifiers(battle: Battle, shooter: Fig, target: Fig, gap: Gap, cover: str) -> tuple[Modifier, ...]:
    """What the rules add to a shot; what the referee adds (MFD-11) comes behind."""
    policy = battle.mfd
    return (
        *_ran(policy, shooter),
        *_cover(policy, cover, ignored=in_last_ditch(battle, target)),
        *_cannot_dodge(policy, target),
        *_near(policy, gap),
        *_aimed(policy, shooter, target),
        *_size(policy, target),
        *_last_ditch(battle, shooter, target),
        *_no_cover(policy, cover, ignored=in_last_ditch(battle, target)),
    )


def melee_modifiers(battle: Battle, fig: Fig, target: Fig, gap: Gap) -> tuple[Modifier, ...]:
    """What the rules add to a blow: nothing of the shooter's list but the target's size and that it cannot dodge."""
    policy = battle.mfd
    return (
        *_cannot_dodge(policy, target),
        *(_near(policy, gap) if policy.melee_uses_proximity else ()),
        *_size(policy, target),
        *_last_ditch(battle, fig, target),
    )


def hits(policy: MfdPolicy, face: int, modifiers: int, needed: int) -> bool:
    """Whether a face with all modifiers hits; ones and sixes are nothing special unless the policy says so."""
    if policy.natural_rules == "one_misses_six_hits" and face in (1, 6):
        return face == 6
    return face + modifiers >= needed


def size_steps(policy: MfdPolicy, height: int) -> int:
    """How many times "2x the size" a target of so many blocks is: 8, 16, 32 or, linear, 8, 16, 24 (MFD-20)."""
    if policy.size_steps == "linear":
        return height // 8
    steps = 0
    while height >= 8 << steps:
        steps += 1
    return steps


def _ran(policy: MfdPolicy, shooter: Fig) -> Iterator[Modifier]:
    if band_of(shooter.moved) == "ran":
        yield Modifier("MFD-12", policy.modifier_ran, "the shooter ran")


def _cover_lines(policy: MfdPolicy, cover: str) -> Iterator[tuple[Modifier, bool]]:
    """The lines that speak of a cover word, each with whether last ditch takes it away."""
    if cover == "partial":
        yield Modifier("MFD-13", policy.modifier_cover_partial, "the target is partly behind cover"), True
    if cover == "full" or (cover == "unseen" and policy.cover_family == "adding"):
        yield Modifier("MFD-14", policy.modifier_cover_full, "the target is fully behind cover"), True
    if cover == "unseen":
        unseen = Modifier("MFD-15", policy.modifier_unseen, "the target cannot be seen")
        yield unseen, policy.last_ditch_cancels_unseen


def _cover(policy: MfdPolicy, cover: str, *, ignored: bool) -> Iterator[Modifier]:
    for line, cancelled in _cover_lines(policy, cover):
        if not (ignored and cancelled):
            yield line


def _no_cover(policy: MfdPolicy, cover: str, *, ignored: bool) -> Iterator[Modifier]:
    # A nothing that is written down: whoever reads the roll sees why the cover did not count.
    if ignored and any(cancelled for _, cancelled in _cover_lines(policy, cover)):
        yield Modifier("MFD-27", 0, "no benefit from cover in last ditch")


def _cannot_dodge(policy: MfdPolicy, target: Fig) -> Iterator[Modifier]:
    # A flag of the fig, never worked out from its moves: who chose to stand still dodges all the same.
    if target.mfd.cannot_dodge:
        yield Modifier("MFD-16", policy.modifier_cannot_dodge, "the target cannot dodge")


def _near(policy: MfdPolicy, gap: Gap) -> Iterator[Modifier]:
    if gap.close and (policy.contact_stacks or not gap.contact):
        yield Modifier("MFD-17", policy.modifier_under_3in, 'less than 3"')
    if gap.contact:
        yield Modifier("MFD-18", policy.modifier_contact, "in contact")


def _aimed(policy: MfdPolicy, shooter: Fig, target: Fig) -> Iterator[Modifier]:
    aim = shooter.aim
    if aim is not None and aim.target == target.id and aim.turns:
        yield Modifier("MFD-19", aim.turns * policy.modifier_aim_per_turn, f"aimed for {aim.turns} turns")


def _size(policy: MfdPolicy, target: Fig) -> Iterator[Modifier]:
    height = target.mfd.height
    steps = size_steps(policy, height)
    if steps:
        yield Modifier("MFD-20", steps * policy.modifier_size_step, f"the target is {height} blocks high")


def _last_ditch(battle: Battle, fig: Fig, target: Fig) -> Iterator[Modifier]:
    if in_last_ditch(battle, fig):
        yield Modifier("MFD-27", 2, f"{fig.side} is in last ditch")
    if in_last_ditch(battle, target):
        yield Modifier("MFD-27", 1, f"{target.side} is in last ditch")
