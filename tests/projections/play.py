"""Play: battles that nobody planned. Law: each number is a step; what the rules refuse is left out."""

from collections.abc import Callable
from random import Random
from typing import Any

from domain.battle import Battle, Fig
from domain.contact import melee_of
from domain.record import line_of
from domain.refusals import Refused
from tests.projections.fields import AUTOGUN, FLAMER
from tests.projections.tale import Body, Chance, Tale

MELEE: Body = {"kind": "ccw", "id": "blade"}


def field(kind: str) -> Body:
    """A crowded table: `nme`, `reported` (N:ME, the players report injuries) or `mfd`."""
    sides = [{"id": "red", "name": "Reds"}, {"id": "blue", "name": "Blues"}, {"id": "green"}]
    arms = [{"id": "gun", "kind": "pistol"}, MELEE] if kind == "mfd" else [AUTOGUN, FLAMER]
    policy: Body = {"last_ditch_percent": 100} if kind == "mfd" else {}
    if kind == "reported":
        policy = {"injury": "reported_by_players"}
    figs = [
        {"id": f"{side}-{n}", "name": f"{side.title()} {n}", "side": side, "x": x, "y": y, "facing": facing}
        | {"weapons": arms}
        | ({} if kind == "mfd" else {"bs": 3, "leader": n == 1})
        for side, y, facing in (("red", 10, 90), ("blue", 16, 270), ("green", 24, 270))
        for n, x in enumerate((8, 12), start=1)
    ]
    return {
        "system": "mfd" if kind == "mfd" else "nme",
        "dice": "table",
        "table": {"width": 24, "height": 30},
        "sides": sides,
        "figs": figs,
        "policy": policy,
    }


def played(kind: str, steps: list[int]) -> Tale:
    """A battle: each number is a step."""
    return played_on(Tale(field(kind)), steps)


def played_on(tale: Tale, steps: list[int]) -> Tale:
    """The same tale, some steps later."""
    for number in steps:
        chance = Random(number)
        try:
            way = chance.choices(_WAYS, _WEIGHTS)[0]
            waits = any(fig.injuries for fig in tale.record.battle.figs.values())
            (_injure if waits and chance.random() < 0.7 else way)(tale, chance)
        except Refused:
            continue
    return tale


def _acts(tale: Tale, chance: Random, **command: Any) -> None:
    by = chance.choice(["referee", tale.record.battle.side])
    tale.act(by, dice=Chance(chance.randrange(2**32)), **command)


def _own(battle: Battle, chance: Random) -> Fig:
    return chance.choice([fig for fig in battle.figs.values() if fig.side == battle.side])


def _move(tale: Tale, chance: Random) -> None:
    battle = tale.record.battle
    fig, foe = _own(battle, chance), chance.choice(list(battle.figs.values()))
    if chance.random() < 0.4:
        _acts(tale, chance, do="move", fig=fig.id, to={"x": foe.x / 1000, "y": (foe.y - 1000) / 1000}, pace="charge")
    else:
        to = {"x": (fig.x + chance.randint(-3000, 3000)) / 1000, "y": (fig.y + chance.randint(-2000, 3000)) / 1000}
        _acts(tale, chance, do="move", fig=fig.id, to=to, pace=chance.choice(["walk", "walk", "run"]))


def _shoot(tale: Tale, chance: Random) -> None:
    battle = tale.record.battle
    fig, mark = _own(battle, chance), chance.choice(list(battle.figs.values()))
    asked: Body = {"do": "shoot", "fig": fig.id, "weapon": fig.weapons[0].id, "target": mark.id}
    if battle.system == "mfd":
        asked |= {"into_melee": bool(mark.engaged), "cover": chance.choice(["none", "partial", "full"])}
    elif chance.random() < 0.2:
        other = chance.choice(list(battle.figs))
        touched = [{"fig": mark.id, "under": True}]
        asked |= {"weapon": "flamer", "touched": touched + [{"fig": other, "under": False}] * (other != mark.id)}
    else:
        asked |= {"mode": chance.choice(["snap", "aimed"]), "cover": chance.choice(["open", "cover"])}
    _acts(tale, chance, **asked)


def _small(tale: Tale, chance: Random) -> None:
    battle = tale.record.battle
    fig, mark = _own(battle, chance), chance.choice(list(battle.figs))
    ways: list[Body] = [
        {"do": "turn", "fig": fig.id, "facing": chance.randrange(360)},
        {"do": "hide", "fig": fig.id, "cover": "cover"},
        {"do": "aim", "fig": fig.id, "target": mark},
        {"do": "recover", "fig": fig.id},
        {"do": "last_ditch", "side": fig.side},
    ]
    _acts(tale, chance, **chance.choice(ways))


def _injure(tale: Tale, chance: Random) -> None:
    hit = next(fig.id for fig in tale.record.battle.figs.values() if fig.injuries)
    _acts(tale, chance, do="injure", fig=hit, result=chance.choice(["close", "clipped", "dropped", "iced"]))


def _fight(tale: Tale, chance: Random) -> None:
    battle = tale.record.battle
    engaged = [fig.id for fig in battle.figs_of(battle.side) if fig.engaged]
    if engaged:
        melee = melee_of(battle, chance.choice(engaged))
        bouts = [{"fig": name, "target": chance.choice(battle.figs[name].engaged)} for name in melee]
        _acts(tale, chance, do="fight", bouts=bouts)


def _onward(tale: Tale, chance: Random) -> None:
    _acts(tale, chance, do=chance.choice(["end_phase", "end_turn", "end_turn"]), waive=None)


def _end(tale: Tale, chance: Random) -> None:
    ways: list[Body] = [{"do": "end_battle", "winner": "red"}, {"do": "concede", "side": "green"}]
    ended = tale.act("referee", **chance.choice(ways))
    if chance.random() < 0.7:
        tale.undo(ended)


def _rule(tale: Tale, chance: Random) -> None:
    fig = chance.choice(list(tale.record.battle.figs))
    tale.rule({"fig": fig, "field": "status", "value": chance.choice(["active", "pinned", "down", "out"])})


def _undo(tale: Tale, chance: Random) -> None:
    acts = line_of(tale.record)[-4:]
    if acts:
        tale.undo(chance.choice(acts).seq, chance.choice(["referee", "referee", *tale.record.battle.sides]))
    if chance.random() < 0.3:
        _redo(tale, chance)


def _redo(tale: Tale, chance: Random) -> None:
    tale.redo(chance.choice(["referee", "referee", *tale.record.battle.sides]))


def _answer(tale: Tale, chance: Random) -> None:
    request = tale.record.docket.request
    if request is not None and chance.random() < 0.1:
        tale.withdraw(request.by)
    elif request is not None:
        for side in request.ask:
            if tale.record.docket.request is not None:
                tale.answer(side, agree=chance.random() < 0.9)


def _dispute(tale: Tale, chance: Random) -> None:
    disputes = tale.record.docket.disputes
    if disputes and chance.random() < 0.5:
        tale.settle(chance.choice(list(disputes)), withdrawn=True)
    else:
        tale.dispute("red", 1)


_Way = Callable[[Tale, Random], None]
_TABLE: dict[_Way, int] = {
    _move: 9,
    _shoot: 14,
    _small: 5,
    _fight: 4,
    _onward: 4,
    _rule: 1,
    _end: 1,
    _undo: 4,
    _redo: 2,
    _answer: 4,
    _dispute: 1,
}
_WAYS, _WEIGHTS = list(_TABLE), list(_TABLE.values())
