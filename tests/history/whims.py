"""What a client may ask for next. Law: everything that a seat can think of, most of it sensible, some of it not.

Reasons and titles hold the request's key, so that it is known again in the log.
"""

from random import Random
from typing import Any, Final, NamedTuple

from domain.draft import Seat
from domain.record import Record
from tests.history.scene import Scene
from tests.laws.play import attempt, ideas, skirmish

SYSTEMS: Final = ("nme", "mfd")


class Whim(NamedTuple):
    """A request: where to, by which seat (nobody's is the spectator's), with which body, and the head it relies on."""

    path: str
    seat: str
    body: Any
    if_match: int | None = None


def opening(n: int, chance: Random, key: str) -> Whim:
    """The n-th battle: both systems in turn, two or three sides, every fifth one with dice thrown at the table."""
    body = skirmish(SYSTEMS[n % 2], chance.choice([2, 2, 3]), undo_requests=20)
    tags = {"event": "history", "round": str(n % 3)}
    return Whim(
        "battles", "spectator", body | {"title": key, "dice": "table" if n % 5 == 4 else "server", "tags": tags}
    )


def whim(scene: Scene, chance: Random, key: str) -> Whim:
    """Something to ask for at a battle."""
    record = scene.record
    assert record is not None
    kinds = {
        _action: 60,
        _undo: 8,
        _redo: 8 if record.struck is not None else 1,
        _answer: 40 if record.docket.request is not None else 1,
        _ruling: 4,
        _dispute: 3,
        _resolve: 4 if record.docket.disputes else 1,
        _branch: 0.6 if scene.branches < 2 else 0,
        _nonsense: 8,
        _end: 0.4,
    }
    kind = chance.choices(list(kinds), weights=list(kinds.values()))[0]
    asked = kind(record, chance, key)
    return asked._replace(if_match=record.seq) if chance.random() < 0.12 else asked


def _sides(record: Record) -> list[str]:
    return [f"side:{side}" for side in record.battle.sides]


def _seat(record: Record, chance: Random) -> str:
    seats = ["referee", f"side:{record.battle.side}", chance.choice(_sides(record))]
    return chance.choices(seats, weights=[45, 50, 5])[0]


def _action(record: Record, chance: Random, _key: str) -> Whim:
    """Nine times in ten something that the table allows, as far as it is known."""
    seat = _seat(record, chance)
    thoughts = ideas(record.battle)
    careful = chance.random() < 0.9 and record.battle.status == "playing"
    body: Any = {"do": "end_turn"}
    faces: tuple[int, ...] = ()
    for _ in range(8 if careful else 1):
        kind = chance.choice([*thoughts, "end_turn"])
        thought = chance.choice(thoughts[kind])
        seed = chance.getrandbits(30)
        done = attempt(record.battle, thought, seed, Seat.of(seat))
        if done is not None or not careful:
            body, faces = thought, done[1] if done is not None else ()
            break
    return Whim("actions", seat, body | {"dice": list(faces)} if record.battle.dice == "table" and faces else body)


def _undo(record: Record, chance: Random, key: str) -> Whim:
    act, steps = record.tip, chance.choice([0, 0, 0, 1, 2])
    while act is not None and act.previous is not None and steps and act.previous.seq > record.floor:
        act, steps = act.previous, steps - 1
    return Whim("undo", _seat(record, chance), {"to_before": act.seq if act is not None else 1, "reason": key})


def _redo(record: Record, chance: Random, key: str) -> Whim:
    return Whim("redo", _seat(record, chance), {"reason": key})


def _answer(record: Record, chance: Random, _key: str) -> Whim:
    request = record.docket.request
    if request is None:
        return Whim("undo/1", _seat(record, chance), {"agree": True, "head": record.head})
    if chance.random() < 0.1:
        return Whim(f"undo/{request.request}", f"side:{request.by}", {"withdraw": True})
    asked = [side for side in request.ask if side not in request.agreed] or [request.by]
    says = {"agree": chance.random() < 0.85, "head": record.seen}
    return Whim(f"undo/{request.request}", f"side:{chance.choice(asked)}", says)


def _ruling(record: Record, chance: Random, key: str) -> Whim:
    fig = chance.choice(list(record.battle.figs.values()))
    changes: list[dict[str, Any]] = [
        {"fig": fig.id, "field": "status", "value": "active"},
        {"fig": fig.id, "field": "x", "value": chance.randrange(2, 22)},
        {"fig": fig.id, "field": "facing", "value": chance.choice([0, 90, 180, 270])},
        {"fig": fig.id, "field": "hidden", "value": chance.random() < 0.5},
    ]
    made = chance.sample(changes, chance.choice([0, 1, 1, 2]))
    return Whim("rulings", chance.choices(["referee", "side:red"], [9, 1])[0], _said(key, changes=made, rule="HOUSE"))


def _dispute(record: Record, chance: Random, key: str) -> Whim:
    return Whim("disputes", _seat(record, chance), _said(key, about=chance.randint(1, record.seq)))


def _said(key: str, **more: Any) -> dict[str, Any]:
    return {"reason": key, **more}


def _resolve(record: Record, chance: Random, _key: str) -> Whim:
    known = record.docket.disputes.values()
    waiting = [dispute for dispute in known if dispute.status == "open"]
    if not waiting:
        return Whim("disputes/1/resolve", _seat(record, chance), {"withdrawn": True})
    dispute = chance.choice(waiting)
    ways = [(dispute.by, {"withdrawn": True}), (chance.choice(_sides(record)), {"agreed": True})]
    seat, how = chance.choice(ways)
    return Whim(f"disputes/{dispute.dispute}/resolve", seat, how)


def _branch(record: Record, chance: Random, key: str) -> Whim:
    act = record.tip
    at = chance.choice([record.seq, act.last if act is not None else record.seq, max(1, record.seq - 1)])
    dice = "table" if record.battle.dice == "table" else chance.choice(["fresh", "recorded"])
    return Whim("branches", chance.choice(_sides(record)), {"at": at, "dice": dice, "title": key})


def _nonsense(record: Record, chance: Random, key: str) -> Whim:
    fig = next(iter(record.battle.figs))
    return chance.choice(
        [
            Whim("actions", "referee", {"do": "move", "fig": "nobody", "to": {"x": 1, "y": 1}}),
            Whim("actions", "referee", {"do": "fly", "fig": fig}),
            Whim("actions", "spectator", {"do": "end_turn"}),
            Whim("actions", "referee", {"do": "move", "fig": fig, "to": {"x": 900, "y": 1}}),
            Whim("actions", "referee", {"do": "end_turn", "dice": [7]}),
            Whim("undo", "referee", {"to_before": record.seq + 1000, "reason": key}),
            Whim("undo/999", chance.choice(_sides(record)), {"agree": True, "head": record.seq}),
            Whim("rulings", "side:red", _said(key, rule="MINE", changes=[])),
            Whim("branches", "referee", {"at": record.seq + 1000, "title": key}),
            Whim("disputes/999/resolve", "referee", {"withdrawn": True}),
        ]
    )


def _end(record: Record, chance: Random, key: str) -> Whim:
    side = record.battle.side
    return chance.choice(
        [
            Whim("actions", "referee", {"do": "end_battle", "reason": key}),
            Whim("actions", f"side:{side}", {"do": "concede", "side": side, "reason": key}),
        ]
    )
