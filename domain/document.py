"""The table as a published document. Law: what an entry's `state` hashes, fixed for a rules version.

Three documents (`docs/format.md`), each hashed by itself so that only what changed is hashed again: the setting (what
the muster fixed), each fig, and the table that names them by digest. A fig's members that equal their defaults are left
out. Seq, dice counters, disputes and undo requests are no part of the table.
"""

from typing import Any

import msgspec

from domain.battle import Battle, Fig

_DEFAULTS = dict(zip(Fig.__struct_fields__[-len(Fig.__struct_defaults__) :], Fig.__struct_defaults__, strict=True))


def fig_document(fig: Fig) -> dict[str, Any]:
    """A fig: every member that has no default, and those that differ from it."""
    shown: dict[str, Any] = {}
    for name in Fig.__struct_fields__:
        value = getattr(fig, name)
        if name not in _DEFAULTS or value != _DEFAULTS[name]:
            shown[name] = msgspec.to_builtins(value)
    return shown


def setting_document(battle: Battle) -> dict[str, Any]:
    """What the muster (or the opening of the branch) fixed."""
    return {
        "dice": battle.dice,
        "height": battle.height,
        "policy": msgspec.to_builtins(battle.policy),
        "rules": battle.rules,
        "system": battle.system,
        "tags": battle.tags,
        "terrain": [msgspec.to_builtins(piece) for piece in battle.terrain],
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
        "sides": [msgspec.to_builtins(side) for side in battle.sides.values()],
        "status": battle.status,
        "turn": battle.turn,
        "winner": battle.winner,
    }
