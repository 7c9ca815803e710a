"""Wording: how figs, lengths and dice are called. Law: names as the players gave them, and the id where it says more.

Everything here is plain text; whoever puts it on a page escapes it there.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from domain.battle import Battle
from domain.events import Modifier
from domain.measures import Point, inches

PACES = {"still": "moves", "walk": "walks", "run": "runs", "charge": "charges"}
"""What a fig does that moves at a pace."""

SYSTEMS = {"nme": "N:ME", "mfd": "MiniFig Death"}
"""The systems by their own names."""

COVER = {
    "open": "in the open",
    "none": "in the open",
    "cover": "in cover",
    "partial": "partly behind cover",
    "full": "fully behind cover",
    "unseen": "out of sight",
}
"""How a fig stands that is seen with such a cover word."""

INJURIES = {
    "close": "a close call",
    "clipped": "clipped, a wound marker",
    "dropped": "dropped, it goes down",
    "iced": "iced, dead",
}
"""What an injury chart says, and what that means in this house."""


def fig_name(battle: Battle, fig: str) -> str:
    """A fig's name, and its id where that is not just the name again."""
    found = battle.figs.get(fig)
    return with_id(found.name, fig) if found else fig


def side_name(battle: Battle, side: str) -> str:
    """A side's name, and its id where that is not just the name again."""
    found = battle.sides.get(side)
    return with_id(found.name, side) if found else side or "nobody"


def with_id(name: str, identity: str) -> str:
    """A name, and the id where that is not just the name again."""
    plain = "-".join(name.lower().split())
    return name if plain == identity else f"{name} ({identity})"


def seat_name(battle: Battle, actor: str) -> str:
    """A seat as people call it."""
    role, _, side = actor.partition(":")
    return side_name(battle, side) if role == "side" else f"the {role}"


def weapon_name(weapon: str | None) -> str:
    """A weapon with its article; None is bare hands."""
    return "bare hands" if weapon is None else f"the {weapon.replace('-', ' ')}"


def weapon_of(weapon: str | None, owner: str) -> str:
    """A weapon and whose it is; None is bare hands."""
    return f"the {(weapon or 'bare hands').replace('-', ' ')} of {owner}"


def inch(thou: int) -> str:
    """A length: `10.5"`."""
    return f'{inches(thou)}"'


def range_of(distance: int, measured: int) -> str:
    """A distance that counts, and what the coordinates say where a tape said something else."""
    return inch(distance) if distance == measured else f"{inch(distance)} by the tape ({inch(measured)} on the map)"


def spot(at: Point | Mapping[str, Any]) -> str:
    """A place: `(10, 12.5)`."""
    x, y = (at.x, at.y) if isinstance(at, Point) else (at["x"], at["y"])
    return f"({inches(x)}, {inches(y)})"


def listed(items: Iterable[str]) -> str:
    """Several things: `a, b and c`."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int, what: str) -> str:
    """A number of things: `no hits`, `1 hit`, `2 hits`."""
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def faces(shown: Iterable[int]) -> str:
    """Faces as they fell: `6 5 2`."""
    return " ".join(map(str, shown))


def added(modifiers: Iterable[Modifier]) -> str:
    """Modifiers behind a roll: ` -3 (the shooter ran) +1 (less than 3")`."""
    return "".join(f" {m.value:+d} ({m.reason or m.rule})" for m in modifiers)


def saying(reason: str) -> str:
    """A reason that somebody gave, in the words in which it was given; nothing where none was."""
    return f", saying '{reason}'" if reason else ""


def phase_name(phase: str) -> str:
    """A phase: `close combat`."""
    return phase.replace("_", " ")
