"""A skirmish for the demo, with dice that the service throws. Law: played once, and found as it is from then on.

It stands in its first turn and needs a referee: one shot is disputed, another is to be taken back.
"""

import json
from typing import Any, Final

from domain.commands import COMMAND
from domain.draft import SPECTATOR, Seat
from domain.muster import NEW_BATTLE
from domain.procedure import DisputeAsked
from replays.referee import Asked, Preview, Receipt, Referee
from replays.shelf import digest

KEY: Final = "battlelog-demo"
"""The idempotency key under which it is opened."""

_KITES, _VOLES = Seat("side", "kites"), Seat("side", "voles")


def _fig(fig: str, side: str, x: int, y: int, weapon: str) -> dict[str, Any]:
    facing = 0 if side == "kites" else 180
    return {
        "id": fig,
        "name": fig.title(),
        "side": side,
        "x": x,
        "y": y,
        "facing": facing,
        "bs": 3,
        "weapons": [weapon],
    }


_PUMP: Final = [{"x": 11, "y": 5}, {"x": 14, "y": 5}, {"x": 14, "y": 8}, {"x": 11, "y": 8}]
_OPENING: Final[dict[str, Any]] = {
    "system": "nme",
    "title": "A Quarrel at the Pump",
    "table": {"width": 18, "height": 12},
    "dice": "server",
    "tags": {"event": "Undercity League", "round": "4", "table": "1"},
    "sides": [{"id": "kites", "name": "Kites"}, {"id": "voles", "name": "Voles"}],
    "terrain": [{"id": "pump", "kind": "area", "cover": "cover", "points": _PUMP}],
    "figs": [
        _fig("gale", "kites", 2, 4, "autogun"),
        _fig("talon", "kites", 2, 8, "lasgun"),
        _fig("bank", "voles", 13, 6, "stub-gun"),
        _fig("reed", "voles", 14, 10, "autogun"),
    ],
}


def skirmish(referee: Referee) -> Receipt:
    """Open it and play its first shots, unless that was done before; its secrets are in the receipt the first time."""
    body = digest(json.dumps(_OPENING, sort_keys=True).encode())
    opened = referee.open(NEW_BATTLE.validate_python(_OPENING), Asked(SPECTATOR, KEY, body))
    assert not isinstance(opened, Preview)
    if not opened.replayed:
        first = _shot(referee, opened.battle, "gale", "autogun", "bank", "aimed")
        second = _shot(referee, opened.battle, "talon", "lasgun", "reed", "snap")
        referee.dispute(
            opened.battle, DisputeAsked(about=first.seq, reason="can Gale see past the pump?"), Asked(_VOLES)
        )
        referee.undo(opened.battle, second.action, "Talon was to aim, not to snap", Asked(_KITES))
    return opened


def _shot(referee: Referee, battle: str, fig: str, weapon: str, target: str, mode: str) -> Receipt:
    action = {"do": "shoot", "fig": fig, "weapon": weapon, "target": target, "mode": mode}
    done = referee.act(battle, COMMAND.validate_python(action), Asked(_KITES))
    assert not isinstance(done, Preview)
    return done
