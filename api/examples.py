"""Examples. Law: every one of them works as it stands; the tests send each to the service.

`OPENINGS` open battles, `ACTIONS` are one of each kind for those battles; the page at `/docs` shows both.
"""

from typing import Any, Final

Example = dict[str, Any]

NME_OPENING: Final[Example] = {
    "system": "nme",
    "title": "Alley ambush",
    "dice": "table",
    "table": {"width": 48, "height": 48},
    "sides": [{"id": "red", "name": "Red Dogs"}, {"id": "blue", "name": "Blue Crew"}],
    "figs": [
        {
            "id": "sarge",
            "name": "Sarge",
            "side": "red",
            "x": 10,
            "y": 10,
            "bs": 3,
            "weapons": ["stub-gun", "frag-grenade"],
        },
        {
            "id": "ganger",
            "name": "Ganger",
            "side": "blue",
            "x": 17,
            "y": 10,
            "facing": 180,
            "bs": 3,
            "weapons": [{"id": "bolt-gun", "er": 15, "strength": 4, "ammo_rating": 6}],
        },
    ],
    "terrain": [
        {
            "id": "crates",
            "kind": "area",
            "points": [{"x": 20, "y": 8}, {"x": 24, "y": 8}, {"x": 24, "y": 12}],
            "cover": "cover",
        }
    ],
    "policy": {"critical_hits": True, "point_blank": True},
    "tags": {"event": "club night", "round": "1", "table": "3"},
}

MFD_OPENING: Final[Example] = {
    "system": "mfd",
    "title": "Castle yard",
    "dice": "server",
    "sides": [{"id": "knights"}, {"id": "pirates"}],
    "figs": [
        {
            "id": "roland",
            "side": "knights",
            "x": 10,
            "y": 10,
            "weapons": [{"id": "pistol", "kind": "pistol"}],
        },
        {"id": "anne", "side": "pirates", "x": 10.5, "y": 16.25, "weapons": [{"id": "rifle", "kind": "rifle"}]},
    ],
}


def _shown(summary: str, value: Example, description: str = "") -> dict[str, Any]:
    return {"summary": summary, "value": value} | ({"description": description} if description else {})


OPENINGS: Final[dict[str, Any]] = {
    "nme": _shown(
        "N:ME, dice thrown at the table",
        NME_OPENING,
        "A stub gun and a frag grenade out of the catalogue, a bolt gun in full.",
    ),
    "mfd": _shown("MiniFig Death, dice thrown by the service", MFD_OPENING),
}

ACTIONS: Final[dict[str, Any]] = {
    "nme_move": _shown("N:ME: walk", {"do": "move", "fig": "sarge", "to": {"x": 12, "y": 10.5}, "pace": "walk"}),
    "nme_turn": _shown("N:ME: turn toward a fig", {"do": "turn", "fig": "sarge", "toward": "ganger"}),
    "nme_turn_degrees": _shown("N:ME: turn to a facing in degrees", {"do": "turn", "fig": "sarge", "facing": 45}),
    "nme_hide": _shown("N:ME: hide, where nobody drew the cover", {"do": "hide", "fig": "sarge", "cover": "cover"}),
    "nme_shoot": _shown(
        "N:ME: an aimed shot at 7 inches",
        {
            "do": "shoot",
            "fig": "sarge",
            "weapon": "stub-gun",
            "target": "ganger",
            "mode": "aimed",
            "cover": "open",
            "dice": [3, 5, 5, 5, 2, 1, 3, 4, 4],
        },
        "Ammo 3 5; to hit 5 5 2 1 3 4 (two Hits reach 10 inches); injury 4. Leave `dice` out and the answer is "
        "`dice-wanted`: the service says roll by roll what to throw.",
    ),
    "nme_template": _shown(
        "N:ME: a frag grenade; the table says who is touched",
        {
            "do": "shoot",
            "fig": "sarge",
            "weapon": "frag-grenade",
            "target": "ganger",
            "touched": [{"fig": "ganger", "under": True}],
            "dice": [3, 5, 4],
        },
        "Ammo 3 5; then for each fig under the template a save, if it is in cover, and its injury: 4. A fig within an "
        "inch of the edge is sent with `under: false`, and is pinned.",
    ),
    "nme_recover": _shown("N:ME: try to get up", {"do": "recover", "fig": "sarge", "dice": [2]}),
    "nme_injure": _shown("N:ME: report an injury (policy)", {"do": "injure", "fig": "ganger", "result": "clipped"}),
    "mfd_move": _shown("MiniFig Death: move", {"do": "move", "fig": "roland", "to": {"x": 10, "y": 13}}),
    "mfd_aim": _shown("MiniFig Death: aim", {"do": "aim", "fig": "roland", "target": "anne"}),
    "mfd_shoot": _shown(
        "MiniFig Death: fire a pistol; the tape says 6 inches",
        {"do": "shoot", "fig": "roland", "weapon": "pistol", "target": "anne", "cover": "partial", "distance": 6},
    ),
    "mfd_fight": _shown("MiniFig Death: fight", {"do": "fight", "bouts": [{"fig": "roland", "target": "anne"}]}),
    "mfd_last_ditch": _shown("MiniFig Death: call last ditch", {"do": "last_ditch", "side": "knights"}),
    "end_phase": _shown("End the phase", {"do": "end_phase"}),
    "end_turn": _shown("End the turn", {"do": "end_turn"}),
    "concede": _shown("Give up", {"do": "concede", "side": "red", "reason": "it is late"}),
    "end_battle": _shown("The referee ends it", {"do": "end_battle", "winner": "red", "reason": "time is up"}),
}

RULINGS: Final[dict[str, Any]] = {
    "move": _shown(
        "Put a fig back",
        {
            "rule": "TABLE-01",
            "reason": "it was knocked over",
            "changes": [{"fig": "sarge", "field": "x", "value": 11.5}],
        },
    ),
    "status": _shown(
        "Say how a fig is, about an entry",
        {
            "about": 1,
            "rule": "NME-20",
            "reason": "the crates cover him: pinned, not down",
            "changes": [{"fig": "ganger", "field": "status", "value": "pinned"}],
        },
    ),
    "weapon": _shown(
        "Make a weapon useless",
        {
            "rule": "house rule",
            "reason": "it fell into the sump",
            "changes": [{"fig": "sarge", "field": "weapon", "value": {"id": "stub-gun", "usable": False}}],
        },
    ),
    "words": _shown(
        "Decide without changing anything", {"rule": "NME-09", "reason": "the hedge is cover", "changes": []}
    ),
}

UNDOS: Final[dict[str, Any]] = {
    "last": _shown("Take back the action that begins at entry 42, and all after it", {"to_before": 42}),
    "reason": _shown("With a reason, as the referee has to", {"to_before": 42, "reason": "the wrong target"}),
}

REDOS: Final[dict[str, Any]] = {
    "plain": _shown("Restore what was undone last", {}),
    "reason": _shown("With a reason", {"reason": "it was right after all"}),
}

DISPUTES: Final[dict[str, Any]] = {
    "about": _shown("Question an entry", {"about": 1, "reason": "was that really in the arc?"}),
}

RESOLUTIONS: Final[dict[str, Any]] = {
    "ruling": _shown("The referee: settled by the ruling at that entry", {"ruling": 57}),
    "agreed": _shown("The side whose act is questioned: it is as the other side says", {"agreed": True}),
    "withdrawn": _shown("Who opened it takes it back", {"withdrawn": True}),
}

BRANCHES: Final[dict[str, Any]] = {
    "now": _shown("What if, from here on", {"title": "What if they charge?"}),
    "earlier": _shown(
        "From an earlier entry, with the dice that fell",
        {"at": 1, "dice": "recorded", "title": "What if he had not fired?"},
        "`at` is the last entry that both share; it has to end an action.",
    ),
    "table": _shown("With dice thrown at the table", {"dice": "table"}),
}
