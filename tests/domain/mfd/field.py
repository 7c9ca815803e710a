"""The field: how the MiniFig Death tests set up a table. Red begins; a fig's side is the first word of its id."""

from typing import Any

from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.events import DamageRolled, MfdHitRolled, Modifier
from tests.spec import given, only, opening, played

RED = Seat("side", "red")
BLUE = Seat("side", "blue")

Row = dict[str, Any]


def fig(name: str, x: float, y: float, *weapons: str, **more: Any) -> Row:
    """A fig; each weapon is its kind and has that for an id (`big_solid` is `big-solid`)."""
    arms = [{"id": kind.replace("_", "-"), "kind": kind} for kind in weapons]
    return {"id": name, "side": name.partition("-")[0], "x": round(x, 3), "y": round(y, 3), "weapons": arms} | more


def armoury(side: str, y: float = 47) -> Row:
    """Ten pistols in a far corner, so that the side may have a big gun (MFD-07)."""
    pistols = [{"id": f"p{n}", "kind": "pistol"} for n in range(10)]
    return {"id": f"{side}-store", "side": side, "x": 47, "y": y, "kind": "object", "weapons": pistols}


def field(
    *figs: Row, sides: tuple[str, ...] = ("red", "blue"), terrain: list[Row] | None = None, **policy: Any
) -> Battle:
    """The table after the muster."""
    return given(body(*figs, sides=sides, terrain=terrain or [], **policy))


def body(*figs: Row, sides: tuple[str, ...] = ("red", "blue"), terrain: list[Row] | None = None, **policy: Any) -> Row:
    """The request that opens such a battle."""
    return opening("mfd", figs, policy=policy, sides=[{"id": side} for side in sides], terrain=terrain or [])


def duel(weapon: str, distance: float = 6, *, moved: float = 0, at: Row | None = None, **policy: Any) -> Battle:
    """Red-1 with one weapon, having moved so far, and blue-1 at that distance; `at` is more about blue-1."""
    figs = [fig("red-1", 10, 20 - moved, weapon), fig("blue-1", 10 + distance, 20, **(at or {}))]
    if weapon.startswith("big"):
        figs.append(armoury("red"))
    battle = field(*figs, **policy)
    return played(battle, to("red-1", 10, 20)) if moved else battle


def to(name: str, x: float, y: float, **more: Any) -> Row:
    """A move."""
    return {"do": "move", "fig": name, "to": {"x": round(x, 3), "y": round(y, 3)}} | more


def aim(name: str = "red-1", target: str = "blue-1") -> Row:
    """A turn of aiming."""
    return {"do": "aim", "fig": name, "target": target}


def shot(weapon: str, target: str = "blue-1", name: str = "red-1", **more: Any) -> Row:
    """A shot."""
    return {"do": "shoot", "fig": name, "weapon": weapon.replace("_", "-"), "target": target} | more


def fight(*bouts: str, **more: Any) -> Row:
    """A round of a melee; each bout is written `red-1>blue-1`."""
    pairs = [bout.split(">") for bout in bouts]
    return {"do": "fight", "bouts": [{"fig": fig, "target": target} for fig, target in pairs]} | more


END_TURN: Row = {"do": "end_turn"}
END_PHASE: Row = {"do": "end_phase"}
ROUND = (END_TURN, END_TURN)
"""Both sides' turns go by."""


def added(modifiers: tuple[Modifier, ...]) -> list[tuple[str, int]]:
    """Modifiers as rule and value."""
    return [(m.rule, m.value) for m in modifiers]


def rolled(decision: Decision) -> MfdHitRolled:
    """The one to-hit roll."""
    return only(decision, MfdHitRolled)


def damage(decision: Decision) -> DamageRolled:
    """The one damage roll."""
    return only(decision, DamageRolled)


class Ones:
    """Dice that all show a one."""

    def throw(self, roll: Roll) -> Throw:
        """As many ones as are asked for."""
        return Throw(roll.purpose, roll.sides, (1,) * roll.count)


def tried(battle: Battle, **command: Any) -> MfdHitRolled:
    """The to-hit roll of a shot whose dice all show ones: with what modifiers, and what it would have needed."""
    return rolled(decided(battle, **command))


def decided(battle: Battle, **command: Any) -> Decision:
    """What an action comes to when all dice show ones."""
    return decide(battle, COMMAND.validate_python(command), REFEREE, Ones())
