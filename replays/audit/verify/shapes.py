"""Shapes: the bodies that the proof half reads. Law: a member is there, of its kind, or the entry is refused.

Only what carries the proof; what a hit or a move looks like is for the rules half.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

Kind = Callable[[Any], object]
"""Whether a value is of a kind: true or false; `TypeError` is false, too."""

_HEX: Final = {digits: re.compile(f"[0-9a-f]{{{digits}}}").fullmatch for digits in (32, 64, 128)}
_MOST: Final = 2**53 - 1


def hexed(digits: int) -> Kind:
    """So many hex digits."""
    return _HEX[digits]


def whole(least: int = 0, most: int = _MOST) -> Kind:
    """An integer in these bounds, and no truth."""
    return lambda value: type(value) is int and least <= value <= most


def of(kind: type) -> Kind:
    """A value of that type."""
    return lambda value: type(value) is kind


def each(kind: Kind) -> Kind:
    """A list of such."""

    def well(value: object) -> bool:
        if type(value) is not list:
            return False
        for one in value:  # noqa: SIM110 - all() takes twice as long, and there are many dice
            if not kind(one):
                return False
        return True

    return well


def among(*words: str) -> Kind:
    """One of these words."""
    return lambda value: isinstance(value, str) and value in words


def either(kind: Kind, constant: object) -> Kind:
    """Of a kind, or just this."""
    return lambda value: value == constant or kind(value)


def holding(**members: Kind) -> Kind:
    """An object that has these members, and others perhaps."""
    return lambda value: type(value) is dict and not misshapen(members, value)


_U32: Final = whole(0, 2**32 - 1)
_PARTY: Final = whole(0, 255)
_LINK: Final = hexed(64)
_FACES: Final = each(whole(1, 100))
_SEQS: Final = each(whole(1))


def thrown(value: Any) -> bool:
    """Dice that fell together: their faces, their sides, and what they fell for."""
    if type(value) is not dict:
        return False
    sides = value.get("sides")
    well = type(sides) is int and 2 <= sides <= 100 and type(value.get("purpose")) is str
    return well and bool(_FACES(value.get("faces")))


_ASKED: Final = {"do": of(str), "side": of(str), "request": of(dict)}

SHAPES: Final[Mapping[str, Mapping[str, Kind]]] = {
    "BattleStarted": {
        "dice": among("server", "table"),
        "rules": of(str),
        "policy": of(dict),
        "sides": each(holding(id=of(str), party=whole(1, 255))),
    },
    "DiceAnchored": {"party": _PARTY, "epoch": _U32, "length": whole(0, 4096), "anchor": _LINK},
    "DiceDrawn": {
        "source": among("chain", "whatif", "forfeit"),
        "epoch": _U32,
        "index": _U32,
        "link": _LINK,
        "contributors": each(holding(party=_PARTY, link=_LINK)),
    },
    "SeatJoined": {
        "seat": of(str),
        "party": _PARTY,
        "key": _LINK,
        "epoch": _U32,
        "length": whole(0, 4096),
        "anchor": either(_LINK, ""),
        "proof": hexed(128),
    },
    "SeatNamed": {"seat": of(str), "person": _LINK},
    "RollRequested": _ASKED | {"epoch": _U32, "index": _U32, "parties": each(_PARTY)},
    "LinkReleased": {"request": whole(1), "party": _PARTY, "link": _LINK, "sig": hexed(128)},
    "RollForfeited": {"request": whole(1), "party": _PARTY, "reason": of(str)},
    "DiceTyped": _ASKED | {"faces": _FACES},
    "DiceContested": {"request": whole(1), "faces": _FACES},
    "DiceConfirmed": {"request": whole(1), "faces": _FACES},
    "RequestSigned": {"kind": of(str), "request": either(of(dict), None), "sig": hexed(128)},
    "ActionDeclared": _ASKED,
    "RulingMade": {"changes": each(of(dict))},
    "UndoAsked": {"request": whole(1), "side": of(str), "ask": each(of(str))},
    "UndoAgreed": {"request": whole(1), "side": of(str)},
    "UndoRefused": {"request": whole(1)},
    "UndoWithdrawn": {"request": whole(1)},
    "ActionsUndone": {"actions": _SEQS, "dice": whole(), "request": whole(), "agreed": each(of(str))},
    "ActionsRestored": {"actions": _SEQS, "request": whole(), "agreed": each(of(str))},
    "BranchOpened": {
        "parent": hexed(32),
        "at": whole(1),
        "leaf": _LINK,
        "dice": among("fresh", "recorded", "table"),
        "mode": among("server", "table"),
        "commitment": _LINK,
    },
    "SideConceded": {"side": of(str)},
    "DisputeClosed": {"dispute": whole(1), "how": of(str), "ruling": either(whole(1), None), "by": of(str)},
}
"""What the proof half reads, by the type of the entry."""

DICE_ELSEWHERE: Final = frozenset({"BattleStarted", "ActionsUndone", "BranchOpened"})
"""Types whose `dice` is something else than throws."""

ENVELOPE: Final[Mapping[str, Kind]] = {
    "action": whole(1),
    "actor": of(str),
    "battle": hexed(32),
    "body": of(dict),
    "prev": hexed(64),
    "seq": whole(1),
    "state": hexed(64),
    "time": whole(),
    "type": of(str),
    "v": whole(1),
}
"""The ten members of every entry."""


_IN_ORDER: Final = itemgetter(*ENVELOPE)
_TYPES: Final = ({int}, {str}, {str}, {dict}, {str}, {int}, {str}, {int}, {str}, {int})


def enveloped(docs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each of some entries has the ten members and no others: what `ENVELOPE` says, of all at once."""
    if set(map(len, docs)) != {len(ENVELOPE)}:
        return False
    try:
        columns = list(zip(*map(_IN_ORDER, docs), strict=True))
    except KeyError:
        return False
    if tuple([set(map(type, column)) for column in columns]) != _TYPES:
        return False
    action, _, battle, _, prev, seq, state, time, _, v = columns
    if min(action) < 1 or min(seq) < 1 or min(v) < 1 or min(time) < 0 or max(map(max, (action, seq, time, v))) > _MOST:
        return False
    if set(map(len, battle)) != {32} or set(map(len, prev + state)) != {64}:
        return False
    hexes = "".join(battle + prev + state)
    try:
        # Bytes are written back in one way: nothing else than lower-case digits comes back the same.
        return bytes.fromhex(hexes).hex() == hexes
    except ValueError:
        return False


def misshapen(members: Mapping[str, Kind], value: Mapping[str, Any]) -> str:
    """The first member that is missing or of another kind; empty if all are well."""
    name = ""
    try:
        for name, kind in members.items():
            if name not in value or not kind(value[name]):
                return name
    except TypeError:
        return name
    return ""
