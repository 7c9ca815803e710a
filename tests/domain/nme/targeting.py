"""Targeting: how the N:ME tests ask whether a fig may be shot at."""

from typing import Any

from domain.battle import Battle
from domain.events import NmeHitRolled
from domain.refusals import Refusal
from tests.domain.nme.scenes import MISS, RED, SHOOT, a, shot, table
from tests.spec import only, refused


def no(battle: Battle, target: str = "blue-1", **more: Any) -> Refusal:
    """Why the target may not be shot at."""
    return refused(battle, RED, **SHOOT | {"target": target} | more)


def may(battle: Battle, target: str, **more: Any) -> bool:
    """Whether the target may be shot at; the dice miss, and pin nobody at 20" and more."""
    return only(shot(battle, *MISS, target=target, **more), NmeHitRolled).target == target


def squad(policy: dict[str, Any] | None = None, **more: Any) -> Battle:
    """Three enemies in front, at 6", 8" and 20"."""
    figs = (a("red-1", 10), a("blue-1", 16), a("blue-2", 18, 20.5), a("blue-3", 30))
    return table(*figs, policy=policy, **more)
