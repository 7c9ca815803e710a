"""Fields: what the OpenAPI text says of bodies whose models belong to the rules. Law: words only, no rule is made here.

By model and field; `openapi` puts each where it belongs, and a test holds that none of them names a field that is gone.
"""

from typing import Any, Final

from domain.measures import inches
from domain.systems.nme.profiles import CATALOGUE


def catalogue() -> str:
    """The weapons of the N:ME catalogue in a line each, with where the numbers come from."""
    rows = []
    for weapon in CATALOGUE.values():
        more = f", template {weapon.template}" if weapon.template != "none" else ""
        more += ", move or fire" if weapon.move_or_fire else ""
        numbers = (
            f'effective range {inches(weapon.er)}", strength {weapon.strength}, ammo rating {weapon.ammo_rating}{more}'
        )
        rows.append(f"- `{weapon.id}`: {numbers} ({weapon.provenance})")
    return "\n".join(rows)


_NME_WEAPONS: Final = f"""Weapons in full, or names out of the catalogue:

{catalogue()}

`document`: range and strength stand in the rules. `placeholder`: made up for a demo; give a weapon in full to play with
your own numbers."""

_COVER: Final = (
    "How the target stands. N:ME: `open`, `cover`, `unseen`. MiniFig Death: `none`, `partial`, `full`, `unseen`. "
    "What is said here goes before the terrain; what nobody says is `open` or `none`."
)

_BOTH: Final = {
    "undo_dice": "`consent`: rolls and other sides' acts are taken back if every other side agrees; `referee`: by the "
    "referee alone",
    "undo_requests": "how often a side may ask in a turn for an undo or a redo",
    "what_if": "`anyone` may open a what-if at any time; `after`: before the end only the referee",
    "tape_tolerance": "inches by which a declared `distance` may differ from the coordinates",
    "private": "whether reading needs the secret of a seat, or that of the spectators",
    "contributors": "whose links are mixed into the service's dice: nobody's (`none`), those of the seats that have "
    "joined, one at least (`one`), or every seat's (`all`)",
    "table_dice": "dice that people throw: `typed` in by whoever acts, or `confirmed` by a second seat, too",
    "signed": "who signs: `optional`, the seats that have shown their keys; `required`, every side",
}

FIELDS: Final[dict[str, dict[str, str]]] = {
    "NmePolicy": {
        **_BOTH,
        "bonus_dice": "a six brings a bonus die, and so does a six on a bonus die (`explode`) or not (`once`) (NME-15)",
        "critical_hits": "whether there are critical hits (NME-28)",
        "point_blank": "whether the highest die counts as the accuracy where no die hits at 4 inches or less (NME-29)",
        "proximity_trigger": "which enemies within 10 inches bind the choice of the target: active ones that are seen, "
        "or any (NME-06)",
        "hidden_pinned_targetable": "whether a fig that is pinned in cover can be shot at",
        "pin_in_combat": "whether figs in combat are pinned",
        "hit_pins": "whether a hit pins who stays active (NME-21b)",
        "flamer_pins_firer": "whether a flamer pins its firer when the template touches him",
        "recovery_friend_within": "inches within which a friend steadies a pinned fig (NME-25)",
        "recovery_leader_self": "whether a leader steadies itself",
        "recovery_friend_excludes": "who steadies nobody: `juve`, `down`",
        "injury": "injuries by the strength charts, or reported by the players with the action `injure`",
        "strength_cap": "no strength counts more than this",
    },
    "MfdPolicy": {
        **_BOTH,
        "base_to_hit": "the roll to hit of a fig that does not say its own",
        "armour": "the armour of a fig that does not say its own",
        "penetration": "damage goes through if it is greater than the armour (`gt`), or as great (`ge`)",
        "natural_rules": "whether a natural one always misses and a natural six always hits",
        "modifier_ran": "to-hit modifier: the shooter ran",
        "modifier_cover_partial": "to-hit modifier: the target is partly behind cover",
        "modifier_cover_full": "to-hit modifier: the target is fully behind cover",
        "modifier_unseen": "to-hit modifier: the target is out of sight",
        "modifier_cannot_dodge": "to-hit modifier: the target cannot dodge",
        "modifier_under_3in": "to-hit modifier: the target is less than 3 inches away (MFD-17)",
        "modifier_contact": "to-hit modifier: the target stands base to base",
        "modifier_aim_per_turn": "to-hit modifier for each turn of aiming (MFD-19)",
        "modifier_size_step": "to-hit modifier for each step of size (MFD-20)",
        "cover_family": "a target out of sight counts as that alone (`exclusive`), or as fully behind cover, "
        "too (`adding`)",
        "contact_stacks": "whether a target in contact counts as less than 3 inches away, too",
        "melee_uses_proximity": "whether the modifiers for nearness count in close combat",
        "unarmed_hits_on": "the roll to hit with bare hands (MFD-24)",
        "size_steps": "a step at 8, 16, 32, ... blocks (`doubling`), or at 8, 16, 24, ... (`linear`) (MFD-20)",
        "aim_same_turn": "whether a fig may aim and fire in the same turn",
        "aim_cap": "no more turns of aiming than this count; null: no limit",
        "aim_lost_on": "what makes a fig lose its aim",
        "big_mode_per_shot": "always false: no request could say which mode is meant",
        "blast_radius": "inches about the fig that was struck in which an explosive weapon harms; null: no blasts",
        "ratio_counts": "of what there are ten for each big gun: other `guns`, or `figs` without one (MFD-07)",
        "fire_into_melee": "`explicit_flag`: with `into_melee`; `never`: not at all (MFD-22)",
        "last_ditch_percent": "a side that is down to this percentage of its figs may call last ditch (MFD-25)",
        "last_ditch_cancels_unseen": "whether the last ditch takes away the modifier for targets out of sight, too",
    },
    "NmeRecruit": {
        "weapons": _NME_WEAPONS,
        "bs": "ballistic skill: the dice of a snap shot; an aimed shot has twice as many (NME-14, NME-19)",
        "base": "diameter of the base in inches",
        "facing": "degrees, counter-clockwise; 0 looks along +x",
    },
    "MfdRecruit": {
        "weapons": "Each with a `kind` (MFD-02 to MFD-07); the `id` is a name of your own.",
        "to_hit": "its roll to hit; that of the policy if left out",
        "armour": "that of the policy if left out",
        "height": "in blocks",
        "base": "diameter of the base in inches",
        "facing": "degrees, counter-clockwise; 0 looks along +x",
    },
    "NmeWeaponIn": {
        "er": "effective range in inches, a multiple of 5 (NME-18)",
        "ammo_rating": "a double below it on the ammo roll jams the weapon for the battle (NME-11, NME-12)",
        "move_or_fire": "whether who has moved may not fire it",
        "provenance": "where the numbers come from; `table` if the players say so",
    },
    "TerrainIn": {
        "cover": "What it gives. N:ME: `open`, `cover`, `unseen`. MiniFig Death: `none`, `partial`, `full`, `unseen`.",
        "points": "corners of an area (three at least), or points along a wall, in inches",
    },
    "Shoot": {"cover": _COVER},
    "Move": {"cover": "N:ME: how the fig stands where it arrives, on tables without mustered terrain"},
}
"""What is said of each field."""

EXAMPLES: Final[dict[str, dict[str, list[Any]]]] = {
    "NmeRecruit": {"weapons": [["stub-gun", {"id": "bolt-gun", "er": 15, "strength": 4, "ammo_rating": 6}]]},
    "MfdRecruit": {"weapons": [[{"id": "pistol", "kind": "pistol"}]]},
    "NmeWeaponIn": {"id": ["bolt-gun"], "er": [15]},
    "MfdWeaponIn": {"id": ["pistol"]},
    "Usable": {"id": ["stub-gun"]},
    "SideIn": {"id": ["red"]},
    "TerrainIn": {"id": ["crates"]},
    "Shoot": {"weapon": ["stub-gun"]},
}
"""Examples of fields whose general one would mislead."""
