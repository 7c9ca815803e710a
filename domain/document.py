"""The table as a published document. Law: what an entry's `state` hashes, fixed for a rules version.

Three documents (`docs/format.md`), each hashed by itself so that only what changed is hashed again: the setting (what
the muster fixed), each fig, and the table that names them by digest. A fig's members that equal their defaults are left
out. Seq, dice counters, disputes and undo requests are no part of the table. A document holds what the table holds;
whoever hashes it spells structs as objects, and tuples as lists.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from domain.battle import Battle, Fig

_MEMBERS = Fig.__struct_fields__
_WANTED = len(_MEMBERS) - len(Fig.__struct_defaults__)
_DEFAULTS = (msgspec.NODEFAULT,) * _WANTED + Fig.__struct_defaults__
_values: Callable[[Fig], tuple[Any, ...]] = attrgetter(*_MEMBERS)


def fig_document(fig: Fig) -> dict[str, Any]:
    """A fig: every member that has no default, and those that differ from it."""
    return {
        name: value
        for name, value, default in zip(_MEMBERS, _values(fig), _DEFAULTS, strict=True)
        if value is not default and value != default
    }


def setting_document(battle: Battle) -> dict[str, Any]:
    """What the muster (or the opening of the branch) fixed."""
    return {
        "dice": battle.dice,
        "height": battle.height,
        "policy": battle.policy,
        "rules": battle.rules,
        "system": battle.system,
        "tags": battle.tags,
        "terrain": battle.terrain,
        "title": battle.title,
        "width": battle.width,
    }


def table_document(battle: Battle, setting: str, figs: list[list[str]]) -> dict[str, Any]:
    """The table: `setting` is the digest of its setting, `figs` [id, digest] in the order of the muster."""
    return {
        "figs": figs,
        "phase": battle.phase,
        "setting": setting,
        "side": battle.side,
        "sides": list(battle.sides.values()),
        "status": battle.status,
        "turn": battle.turn,
        "winner": battle.winner,
    }
