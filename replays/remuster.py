"""The muster, asked again. Law: a log begins as a request would have it begin, or it is no log of this service.

The first batch is read back as the body of `POST /v1/battles` and held to every bound of it; what the muster makes of
that body is what has to stand there.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain import events as e
from domain.muster import NEW_BATTLE, muster
from domain.words import FROM_LOG


def remustered(events: Sequence[e.Event]) -> tuple[e.Event, ...]:
    """The first batch that the same request would have written. Raises `ValueError` or `Refused` if there is none."""
    started = events[0]
    assert isinstance(started, e.BattleStarted)
    anchors = [event for event in events if isinstance(event, e.DiceAnchored)]
    if len(anchors) != (started.dice == "server"):
        raise ValueError("a battle begins with a commitment to its dice if the service throws them, and only then")
    new = NEW_BATTLE.validate_python(_body(started, events), context=FROM_LOG)
    made = muster(new, anchors)
    # The rules version is the log's own; the muster names the newest.
    return (msgspec.structs.replace(made[0], rules=started.rules, after=started.after), *made[1:])


def _body(started: e.BattleStarted, events: Sequence[e.Event]) -> dict[str, Any]:
    return {
        "system": started.system,
        "title": started.title,
        "table": {"width": started.width, "height": started.height},
        "dice": started.dice,
        "sides": [{"id": side.id, "name": side.name} for side in started.sides],
        "policy": started.policy,
        "tags": started.tags,
        "terrain": [msgspec.to_builtins(x.terrain) for x in events if isinstance(x, e.TerrainPlaced)],
        "figs": [_fig(x) for x in events if isinstance(x, e.FigMustered)],
    }


def _fig(mustered: e.FigMustered) -> dict[str, Any]:
    profile = msgspec.to_builtins(mustered.profile)
    arms = [msgspec.to_builtins(weapon) for weapon in mustered.weapons]
    return {
        "id": mustered.fig,
        "name": mustered.name,
        "side": mustered.side,
        "x": mustered.x,
        "y": mustered.y,
        "facing": msgspec.to_builtins(mustered.facing),
        "base": mustered.base,
        "vehicle": mustered.vehicle,
        **{name: value for name, value in profile.items() if name != "system"},
        "weapons": [{name: value for name, value in weapon.items() if name != "system"} for weapon in arms],
    }
