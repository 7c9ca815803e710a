"""Play at random: what a side in turn could think of asking on a table, legal or not, and dice that fall at random."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from hypothesis import strategies as st

from domain.battle import Battle, Fig
from domain.commands import COMMAND, Action
from domain.contact import melee_of
from domain.decider import decide
from domain.dice import Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.evolve import evolved
from domain.muster import NEW_BATTLE, muster
from domain.refusals import Refused
from tests.laws.fields import COLOURS, sides
from tests.laws.game import Body

Kinds = Mapping[str, Sequence[Body]]
"""Commands by what they do."""

WALL = {"id": "wall", "kind": "wall", "points": [{"x": 9, "y": 12}, {"x": 13, "y": 12}]}
WOOD = {"id": "wood", "kind": "area", "points": [{"x": 16, "y": 8}, {"x": 20, "y": 8}, {"x": 18, "y": 14}]}


class Chance:
    """Dice that fall by the seed; `faces` are all that fell."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.faces: list[int] = []

    def throw(self, roll: Roll) -> Throw:
        """Throw them."""
        faces = tuple(self._random.randint(1, roll.sides) for _ in range(roll.count))
        self.faces += faces
        return Throw(roll.purpose, roll.sides, faces)


def skirmish(system: str, count: int, **policy: object) -> Body:
    """A crowded table of either system, with terrain, for two or three sides."""
    figs = [fig for n, side in enumerate(COLOURS[:count]) for fig in (_gang(side, n), _block(side, n))[system == "mfd"]]
    covers = ("partial", "full") if system == "mfd" else ("cover", "cover")
    terrain = [piece | {"cover": word} for piece, word in zip((WALL, WOOD), covers, strict=True)]
    policy = ({"last_ditch_percent": 70, "blast_radius": 2} if system == "mfd" else {}) | policy
    table = {"width": 24, "height": 24}
    return {
        "system": system,
        "dice": "table",
        "table": table,
        "sides": sides(count),
        "figs": figs,
        "terrain": terrain,
        "policy": policy,
    }


def _gang(side: str, n: int) -> list[Body]:
    arms: list[list[object]] = [
        ["stub-gun", {"id": "old", "er": 15, "strength": 5, "ammo_rating": 7}],
        ["autogun", "frag-grenade"],
        ["flamer", {"id": "big", "er": 20, "strength": 6, "ammo_rating": 2, "move_or_fire": True}],
    ]
    return [
        {
            "id": f"{side}-{m}",
            "side": side,
            "x": 8 + 4 * m + n,
            "y": 8 + 6 * n,
            "facing": 90 if n == 0 else 270,
            "bs": 1 + m,
            "leader": m == 0,
            "juve": m == 2,
            "weapons": weapons,
        }
        for m, weapons in enumerate(arms)
    ]


def _block(side: str, n: int) -> list[Body]:
    kinds = (("pistol",), ("ccw", "rifle"), ())
    figs: list[Body] = [
        {
            "id": f"{side}-{m}",
            "side": side,
            "x": 8 + 4 * m + n,
            "y": 8 + 6 * n,
            "armour": 3 + m,
            "height": 4 << m,
            "weapons": [{"id": kind, "kind": kind} for kind in mine],
        }
        for m, mine in enumerate(kinds)
    ]
    return [*figs, {"id": f"{side}-hut", "side": side, "x": 3, "y": 3 + 6 * n, "kind": "object", "armour": 1}]


# --- what could be asked --------------------------------------------------------------------------------------------


def ideas(battle: Battle) -> Kinds:
    """What the side in turn could think of, by kind; much of it the rules will not allow."""
    mine, theirs = list(battle.figs_of(battle.side)), list(battle.enemies_of(battle.side))
    common = _moves(mine, theirs)
    special = _nme(battle, mine, theirs) if battle.system == "nme" else _mfd(battle, mine, theirs)
    ends: dict[str, Sequence[Body]] = {
        "end_turn": [{"do": "end_turn"}, {"do": "end_turn", "waive": "nowhere to go"}],
        "end_phase": [{"do": "end_phase"}],
    }
    return {kind: list(some) for kind, some in (common | special | ends).items() if some}


def _moves(mine: Sequence[Fig], theirs: Sequence[Fig]) -> dict[str, Sequence[Body]]:
    steps = [(1, 0, "walk"), (0, 3, "walk"), (0, -4, "walk"), (-2, 1, "walk"), (4, 4, "run"), (-6, 0, "run")]
    strolls = [
        {"do": "move", "fig": fig.id, "to": {"x": fig.x / 1000 + dx, "y": fig.y / 1000 + dy}, "pace": pace}
        for fig, (dx, dy, pace) in product(mine, steps)
    ]
    charges = [
        {"do": "move", "fig": fig.id, "to": {"x": enemy.x / 1000, "y": enemy.y / 1000 + dy}, "pace": "charge"}
        for fig, enemy, dy in product(mine, theirs, (1, -1))
    ]
    return {"move": strolls, "charge": charges}


def _nme(battle: Battle, mine: Sequence[Fig], theirs: Sequence[Fig]) -> dict[str, Sequence[Body]]:
    return {
        "turn": [{"do": "turn", "fig": fig.id, "facing": facing} for fig, facing in product(mine, (0, 90, 180, 270))],
        "face": [{"do": "turn", "fig": fig.id, "toward": foe.id} for fig, foe in product(mine, theirs)],
        "hide": [{"do": "hide", "fig": fig.id, "cover": word} for fig, word in product(mine, ("cover", "open"))],
        "recover": [{"do": "recover", "fig": fig.id} for fig in mine if fig.status == "pinned"],
        "injure": [
            {"do": "injure", "fig": fig.id, "result": result}
            for fig in battle.figs.values()
            if fig.in_play and fig.injuries
            for result in ("close", "clipped", "dropped", "iced")
        ],
        "shoot": [*_shots(mine, theirs)],
    }


def _shots(mine: Sequence[Fig], theirs: Sequence[Fig]) -> Iterator[Body]:
    for fig in mine:
        for weapon, mode in product(fig.weapons, ("aimed", "snap")):
            shot = {"do": "shoot", "fig": fig.id, "weapon": weapon.id, "mode": mode}
            blast = getattr(weapon, "template", "none") != "none"
            for foe in theirs:
                under = [{"fig": foe.id, "under": True}, {"fig": fig.id, "under": False}] if blast else []
                yield shot | {"target": foe.id, "touched": under}
                yield shot | {"target": foe.id, "cover": "cover", "touched": under}
            yield shot | {"point": {"x": 20, "y": 20}}


def _mfd(battle: Battle, mine: Sequence[Fig], theirs: Sequence[Fig]) -> dict[str, Sequence[Body]]:
    fights = [
        {"do": "fight", "bouts": [{"fig": name, "target": battle.figs[name].engaged[0]} for name in melee]}
        for melee in sorted({melee_of(battle, fig.id) for fig in mine if fig.engaged})
    ]
    return {
        "aim": [{"do": "aim", "fig": fig.id, "target": foe.id} for fig, foe in product(mine, theirs)],
        "fight": fights,
        "last_ditch": [{"do": "last_ditch", "side": battle.side}],
        "shoot": [
            {"do": "shoot", "fig": fig.id, "weapon": weapon.id, "target": foe.id, "into_melee": bool(foe.engaged)}
            | cover
            for fig, foe, cover in product(mine, theirs, ({}, {"cover": "partial"}, {"cover": "unseen"}))
            for weapon in fig.weapons
        ],
    }


# --- what becomes of it ---------------------------------------------------------------------------------------------


def asked(command: Body) -> Action:
    """A command, validated."""
    return COMMAND.validate_python(command)


def attempt(battle: Battle, command: Body, seed: int, by: Seat = REFEREE) -> tuple[Decision, tuple[int, ...]] | None:
    """What comes of a command with dice at random, and the faces that fell; None where the rules say no."""
    dice = Chance(seed)
    try:
        decision = decide(battle, asked(command), by, dice)
    except Refused:
        return None
    return decision, tuple(dice.faces)


FAVOUR = ("shoot", "shoot", "shoot", "charge", "fight", "fight", "recover", "injure")
"""What is tried more often than the rest, where it can be."""


def next_idea(battle: Battle, seed: int) -> Body:
    """Something legal to do next."""
    chance, thoughts = random.Random(seed), ideas(battle)
    kinds = [*thoughts, *(kind for kind in FAVOUR if kind in thoughts)]
    chance.shuffle(kinds)
    for kind in kinds:
        for idea in chance.sample(thoughts[kind], len(thoughts[kind])):
            if attempt(battle, idea, 0) is not None:
                return idea
    raise AssertionError("nothing can be done")


def table_after(system: str, count: int, seeds: Sequence[int], **policy: object) -> Battle:
    """The table after so many legal ideas, each taken by its seed."""
    battle = evolved(None, muster(NEW_BATTLE.validate_python(skirmish(system, count, **policy))))
    for seed in seeds:
        found = attempt(battle, next_idea(battle, seed), seed)
        assert found is not None
        battle = found[0].battle
    return battle


seeds = st.integers(0, 2**16)
tables = st.builds(
    table_after,
    st.sampled_from(["nme", "mfd"]),
    st.sampled_from([2, 3]),
    st.lists(seeds, max_size=24),
)
"""Tables of both systems in the middle of play."""
