"""Policy: the switches of a battle. Law: a reading is changed here, at the muster, and never in mid-battle.

One definition serves the request, the log and the rules: frozen dataclasses that pydantic checks and msgspec writes.
Lengths are inches in a request and thou in the log. Defaults are the recommended readings of the rules page.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from domain.words import Inches, Plain

Lost = Literal["move", "retarget", "fire", "melee"]
Switch = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Switches of both systems."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=False)

    undo_dice: Literal["consent", "referee"] = "consent"
    undo_requests: Annotated[int, Field(strict=True, ge=0, le=100)] = 3
    what_if: Literal["anyone", "after"] = "anyone"
    tape_tolerance: Annotated[Inches, Field(ge=0)] = 1000
    private: Switch = False
    contributors: Literal["none", "one", "all"] = "none"
    table_dice: Literal["typed", "confirmed"] = "typed"
    signed: Literal["optional", "required"] = "optional"


@dataclass(frozen=True, kw_only=True)
class NmePolicy(Policy):
    """Switches of N:ME."""

    bonus_dice: Literal["explode", "once"] = "explode"
    critical_hits: Switch = True
    point_blank: Switch = True
    proximity_trigger: Literal["visible_active", "any"] = "visible_active"
    hidden_pinned_targetable: Switch = False
    pin_in_combat: Switch = False
    hit_pins: Switch = True
    flamer_pins_firer: Switch = False
    recovery_friend_within: Annotated[Inches, Field(ge=0)] = 2000
    recovery_leader_self: Switch = True
    recovery_friend_excludes: Annotated[tuple[Literal["juve", "down"], ...], Field(strict=False, max_length=2)] = (
        "juve",
        "down",
    )
    injury: Literal["n_me_charts", "reported_by_players"] = "n_me_charts"
    strength_cap: Annotated[int, Field(strict=True, ge=1, le=6)] = 6


@dataclass(frozen=True, kw_only=True)
class MfdPolicy(Policy):
    """Switches of MiniFig Death."""

    base_to_hit: Annotated[int, Field(strict=True, ge=1, le=7)] = 3
    armour: Annotated[int, Field(strict=True, ge=0, le=40)] = 5
    penetration: Literal["gt", "ge"] = "gt"
    natural_rules: Literal["none", "one_misses_six_hits"] = "none"
    modifier_ran: Plain = -3
    modifier_cover_partial: Plain = -1
    modifier_cover_full: Plain = -3
    modifier_unseen: Plain = -6
    modifier_cannot_dodge: Plain = 1
    modifier_under_3in: Plain = 1
    modifier_contact: Plain = 2
    modifier_aim_per_turn: Plain = 1
    modifier_size_step: Plain = 1
    cover_family: Literal["exclusive", "adding"] = "exclusive"
    contact_stacks: Switch = False
    melee_uses_proximity: Switch = False
    unarmed_hits_on: Annotated[int, Field(strict=True, ge=1, le=7)] = 4
    size_steps: Literal["doubling", "linear"] = "doubling"
    aim_same_turn: Switch = False
    aim_cap: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    aim_lost_on: Annotated[tuple[Lost, ...], Field(strict=False, max_length=4)] = ("move", "retarget", "fire", "melee")
    big_mode_per_shot: Switch = False
    blast_radius: Annotated[Inches, Field(ge=0)] | None = None
    ratio_counts: Literal["guns", "figs"] = "guns"
    fire_into_melee: Literal["explicit_flag", "never"] = "explicit_flag"
    last_ditch_percent: Annotated[int, Field(strict=True, ge=0, le=100)] = 10
    last_ditch_cancels_unseen: Switch = True
