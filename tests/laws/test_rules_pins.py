"""A rules version never changes: its tables, its defaults and what comes of some thousand actions are pinned by a hash.

If this fails, a battle that was played under the version would go another way now. Then the old version stays as it
was, and the new rules get a number of their own (`VERSIONS` in `domain/systems/__init__.py`) and a pin of their own.
Only a version that no release ever had may have its pin replaced by the one that the failure names.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from decimal import Decimal
from functools import cache
from itertools import product

import pytest
from msgspec.structs import replace

from domain import events as e
from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import Roll, Throw
from domain.draft import REFEREE, Seat
from domain.evolve import evolved
from domain.muster import NEW_BATTLE, muster
from domain.policy import Policy
from domain.refusals import Refused
from domain.systems import VERSIONS
from domain.systems.mfd.table import BARE_HANDS, DAMAGE, TABLE
from domain.systems.nme.injuries import CHARTS
from domain.systems.nme.profiles import CATALOGUE
from replays.codec import canonical
from tests.laws.game import Body

PINS = {
    "nme.1": "741523cb7438800a718e9e3e4bb2193ceaaf05ae36dc5b0c5f0f8a519bd90e9b",
    "mfd.1": "bdb57ef97e94343a0cc9f967bbc7f40cb5992fc5d633ae508d5bfc1d3b1577fd",
}

HOUSE = {field.name for field in fields(Policy)} - {"tape_tolerance"}
"""Switches of the service, which no rule looks at."""

Cases = Iterator[tuple[Body, Sequence[Body]]]
"""Battles, and what is asked in each, one after the other."""


def inches(words: str) -> tuple[Decimal, ...]:
    """Lengths, exact."""
    return tuple(Decimal(word) for word in words.split())


class Fixed:
    """Dice that always fall the same way for the same case, on every machine and Python."""

    def __init__(self, case: str) -> None:
        self._case = case
        self._thrown = 0

    def throw(self, roll: Roll) -> Throw:
        """The next faces."""
        faces = []
        for _ in range(roll.count):
            self._thrown += 1
            digest = hashlib.sha256(f"{self._case} {self._thrown}".encode()).digest()
            faces.append(digest[0] % roll.sides + 1)
        return Throw(roll.purpose, roll.sides, tuple(faces))


# --- N:ME ---

NME_POLICIES: tuple[Body, ...] = (
    {},
    {"bonus_dice": "once"},
    {"critical_hits": False},
    {"point_blank": False},
    {"proximity_trigger": "any"},
    {"hidden_pinned_targetable": True},
    {"pin_in_combat": True},
    {"hit_pins": False},
    {"flamer_pins_firer": True},
    {"recovery_friend_within": 20},
    {"recovery_leader_self": False},
    {"recovery_friend_excludes": []},
    {"injury": "reported_by_players"},
    {"strength_cap": 3},
    {"tape_tolerance": 0},
)
HEAVY: Body = {"id": "heavy", "er": 20, "strength": 5, "ammo_rating": 3, "move_or_fire": True}
WOOD: Body = {
    "id": "wood",
    "kind": "area",
    "cover": "cover",
    "points": [{"x": 12, "y": 12}, {"x": 16, "y": 12}, {"x": 14, "y": 17}],
}


def nme_cases() -> Cases:
    """Shots from point blank to far off, at all there is, and what follows from them."""
    distances = inches("1 2.5 4 4.001 5 7 10 10.001 12 15 21")
    grid = [*product(distances, ("aimed", "snap"), ("open", "cover", "unseen"), NME_POLICIES[:1])]
    grid += product(inches("3 7 11"), ("aimed", "snap"), ("open", "cover"), NME_POLICIES[1:])
    for gap, mode, cover, policy in grid:
        shared: Body = {"bs": 3, "weapons": ["stub-gun", "autogun", "boltgun", HEAVY, "flamer", "frag-grenade"]}
        figs: list[Body] = [
            {"id": "r1", "side": "red", "x": 10, "y": 10, "facing": 90, "leader": True} | shared,
            {"id": "r2", "side": "red", "x": 11.5, "y": 10, "facing": 80, "juve": True} | shared,
            {"id": "b1", "side": "blue", "x": 10, "y": 10 + gap, "facing": 270} | shared,
            {"id": "b2", "side": "blue", "x": 14, "y": 13 + gap, "facing": 270, "initiative": 5} | shared,
            {"id": "g1", "side": "green", "x": 15, "y": 13 + gap, "bs": 1},
        ]
        sides = [{"id": "red"}, {"id": "blue"}, {"id": "green"}]
        body: Body = {"system": "nme", "sides": sides, "figs": figs, "terrain": [WOOD], "policy": policy}
        yield body, [*_nme_turn("r1", "b1", mode, cover, gap), *_nme_turn("b1", "r1", mode, cover, gap)]


def _nme_turn(me: str, foe: str, mode: str, cover: str, gap: Decimal) -> list[Body]:
    other, mate = me[0] + "2", foe[0] + "2"
    shot: Body = {"do": "shoot", "fig": me, "weapon": "stub-gun", "target": foe, "mode": mode, "cover": cover}
    towards = 10 + gap - 1 if me == "r1" else 11
    blast = [{"fig": foe, "under": True}, {"fig": mate, "under": False}, {"fig": other, "under": True}]
    return [
        {"do": "injure", "fig": foe, "result": "clipped"},
        {"do": "recover", "fig": me},
        {"do": "recover", "fig": other},
        {"do": "turn", "fig": other, "toward": foe},
        {"do": "move", "fig": other, "to": {"x": 13, "y": towards}, "pace": "walk"},
        {"do": "hide", "fig": other, "cover": cover if cover != "unseen" else None},
        {"do": "move", "fig": other, "to": {"x": 11, "y": towards}, "pace": "charge", "inches": 8},
        shot,
        shot | {"weapon": "autogun"},
        {"do": "injure", "fig": foe, "result": "close"},
        {"do": "injure", "fig": me, "result": "dropped"},
        shot | {"weapon": "frag-grenade"},
        shot | {"weapon": "boltgun", "distance": gap + Decimal("1.001")},
        shot | {"weapon": "boltgun", "distance": gap + Decimal("0.5")},
        shot | {"fig": other, "weapon": "heavy", "target": mate, "sight": {foe: "open"}},
        shot | {"fig": other, "weapon": "frag-grenade", "touched": blast},
        shot | {"fig": other, "weapon": "frag-grenade", "target": mate, "touched": blast[:1], "cover": None},
        shot | {"fig": other, "weapon": "flamer", "touched": blast[:1], "cover": None, "sight": {foe: cover}},
        {"do": "shoot", "fig": me, "weapon": "autogun", "point": {"x": 20, "y": 20}},
        {"do": "injure", "fig": foe, "result": "iced"},
        {"do": "end_turn"},
    ]


# --- MiniFig Death ---

MFD_POLICIES: tuple[Body, ...] = (
    {},
    {"base_to_hit": 5},
    {"armour": 2},
    {"penetration": "ge"},
    {"natural_rules": "one_misses_six_hits"},
    {"modifier_ran": -1, "modifier_cover_partial": -2, "modifier_cover_full": -4, "modifier_unseen": -5},
    {"modifier_cannot_dodge": 2, "modifier_under_3in": 0, "modifier_contact": 3, "modifier_aim_per_turn": 2},
    {"modifier_size_step": 3},
    {"cover_family": "adding"},
    {"contact_stacks": True},
    {"melee_uses_proximity": True},
    {"unarmed_hits_on": 6},
    {"size_steps": "linear"},
    {"aim_same_turn": True},
    {"aim_cap": 1},
    {"aim_lost_on": []},
    {"big_mode_per_shot": True},
    {"blast_radius": 3},
    {"ratio_counts": "figs"},
    {"fire_into_melee": "never"},
    {"last_ditch_percent": 100, "last_ditch_cancels_unseen": False},
    {"last_ditch_percent": 100},
    {"tape_tolerance": 0},
)


def mfd_cases() -> Cases:
    """Shots of every weapon after every move at every distance and cover, fights, aim, blasts, last ditch."""
    kinds, usual = ("pistol", "rifle", "big_solid", "big_explosive", "ccw"), MFD_POLICIES[:1]
    moves, near, covers = inches("0 0.001 5 5.001 10 10.001"), inches("1 2.999 3 9"), ("none", "full", "unseen")
    grid = [*product(kinds, moves, inches("2.9 10 15.001"), ("partial",), (4,), usual)]
    grid += product(kinds[:2], inches("0 4"), near, covers, (7, 8, 32), usual)
    grid += product(("pistol", "big_explosive"), inches("0 4"), inches("2.5 9"), covers[::2], (16,), MFD_POLICIES[1:])
    for kind, moved, gap, cover, height, policy in grid:
        mine: Body = {"weapons": [{"id": "gun", "kind": kind}]}
        blade: Body = {"weapons": [{"id": "blade", "kind": "ccw"}]}
        pistols: list[Body] = [
            {"id": f"r{n}", "side": "red", "x": 2 * n, "y": 1, "weapons": [{"id": "gun", "kind": "pistol"}]}
            for n in range(3, 13)
        ]
        figs: list[Body] = [
            {"id": "r1", "side": "red", "x": 10, "y": 10, "to_hit": 4 if height == 8 else None} | mine,
            {"id": "r2", "side": "red", "x": 20, "y": 10} | blade,
            *pistols,
            {"id": "b1", "side": "blue", "x": 10, "y": 10 + gap, "height": height} | blade,
            {"id": "b2", "side": "blue", "x": 12, "y": 11 + gap, "cannot_dodge": True, "armour": 1},
            {"id": "hut", "side": "blue", "x": 8, "y": 10 + gap, "kind": "object", "armour": 0},
        ]
        body: Body = {"system": "mfd", "sides": [{"id": "red"}, {"id": "blue"}], "figs": figs, "policy": policy}
        yield body, _mfd_story(moved, gap, cover)
        if policy in ({}, {"ratio_counts": "figs"}):
            yield body | {"figs": figs[1:3] + figs[-3:] + figs[:1]}, [{"do": "end_turn"}]
            yield body | {"figs": [*figs[:-1], figs[-1] | blade]}, [{"do": "end_turn"}]


def _mfd_story(moved: Decimal, gap: Decimal, cover: str) -> list[Body]:
    shot: Body = {"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1", "cover": cover}
    away = [{"do": "move", "fig": "r1", "to": {"x": 10 + moved, "y": 10}}] if moved else []
    bouts = [{"fig": "r2", "target": "b2"}, {"fig": "b2", "target": "r2"}]
    lenient = {"modifiers": [{"value": 0, "reason": "the referee measured"}]}
    return [
        *away,
        {"do": "move", "fig": "r2", "to": {"x": 13, "y": 11 + gap}, "pace": "run", "inches": 10},
        {"do": "aim", "fig": "r1", "target": "b1"},
        {"do": "aim", "fig": "r1", "target": "b1"},
        shot | {"target": None, "point": {"x": 1, "y": 1}},
        shot | {"mode": "snap"},
        shot | {"distance": gap + Decimal("1.001")},
        shot,
        shot | {"modifiers": [{"value": 2, "reason": "dusk"}]},
        shot | {"target": "hut", "distance": gap + 1},
        shot | {"target": "b2", "into_melee": True},
        {"do": "shoot", "fig": "r3", "weapon": "gun", "target": "b2", "into_melee": True, "distance": 9} | lenient,
        {"do": "fight", "bouts": bouts[:1]},
        {"do": "fight", "bouts": [*bouts, bouts[0]]},
        {"do": "fight", "bouts": bouts},
        {"do": "fight", "bouts": bouts},
        {"do": "end_turn"},
        {"do": "last_ditch", "side": "blue"},
        {"do": "last_ditch", "side": "blue"},
        {"do": "move", "fig": "b1", "to": {"x": 10, "y": gap + Decimal("10.5")}},
        {"do": "move", "fig": "b1", "to": {"x": 10, "y": 9 + gap}},
        {"do": "end_phase"},
        {"do": "fight", "bouts": bouts},
        {"do": "end_turn"},
        {"do": "end_turn", "waive": "cornered"},
        {"do": "aim", "fig": "r1", "target": "b1"},
        {"do": "end_turn"},
        {"do": "end_turn", "waive": "cornered"},
        shot,
        {"do": "end_turn"},
    ]


# --- the pin ---

SURFACES: dict[str, tuple[object, Callable[[], Cases]]] = {
    "nme.1": ([CATALOGUE, list(CHARTS.items())], nme_cases),
    "mfd.1": ([TABLE, DAMAGE, BARE_HANDS], mfd_cases),
}


def begun(body: Body, rules: str) -> Battle:
    """The table after the muster, under that version."""
    first, *rest = muster(NEW_BATTLE.validate_python(body | {"dice": "table"}))
    assert isinstance(first, e.BattleStarted)
    return evolved(None, [replace(first, rules=rules), *rest])


def outcomes(body: Body, commands: Sequence[Body], rules: str, case: str) -> Iterator[object]:
    """What comes of each command: its events, or the rule that refused it."""
    try:
        battle = begun(body, rules)
    except Refused as no:
        yield [no.refusal.kind, no.refusal.rule]
        return
    for n, command in enumerate(commands):
        by = REFEREE if command.get("waive") or command.get("modifiers") else Seat("side", battle.side)
        try:
            decision = decide(battle, COMMAND.validate_python(command), by, Fixed(f"{case} {n}"))
        except Refused as no:
            yield [no.refusal.kind, no.refusal.rule]
        else:
            yield decision.events
            battle = decision.battle


@cache
def surface(rules: str) -> tuple[object, ...]:
    """All that a version stands for."""
    tables, cases = SURFACES[rules]
    found: list[object] = [[VERSIONS[rules].name, VERSIONS[rules].phases, tables]]
    for n, (body, commands) in enumerate(cases()):
        if n == 0:
            first = muster(NEW_BATTLE.validate_python(body))[0]
            assert isinstance(first, e.BattleStarted)
            found.append({name: value for name, value in first.policy.items() if name not in HOUSE})
        found += outcomes(body, commands, rules, f"{rules} {n}")
    return tuple(found)


def test_every_version_is_pinned() -> None:
    assert set(PINS) == set(SURFACES) == set(VERSIONS)


@pytest.mark.parametrize("rules", VERSIONS)
def test_a_rules_version_is_what_it_was(rules: str) -> None:
    found = hashlib.sha256()
    for outcome in surface(rules):
        found.update(canonical(outcome) + b"\n")
    name, _, number = rules.partition(".")
    changed = f"rules changed: make {name}.{int(number) + 1}. (If no release ever had {rules}: {found.hexdigest()})"
    assert found.hexdigest() == PINS[rules], changed


EVENTS = {
    "nme.1": "AmmoRolled CoverSaveRolled FigDowned FigHid FigHit FigMoved FigPinned FigRecovered FigRemoved "
    "FigRevealed FigTurned InjuryAwaited InjuryReported InjuryRolled MeleeJoined MeleeLeft NmeHitRolled "
    "RecoveryRolled ShotFired TemplatePlaced VictimDrawn WeaponFailed",
    "mfd.1": "AimLost AimTaken DamageRolled FigHit FigMoved FigRemoved LastDitchCalled MeleeFought MeleeJoined "
    "MeleeLeft MfdHitRolled ShotFired VictimDrawn",
}
TURNS = {"ActionDeclared", "PhaseStarted", "TurnEnded", "TurnStarted"}
REFUSALS = {
    "nme.1": "NME-01 NME-02 NME-03 NME-04 NME-05 NME-06 NME-09 NME-10 NME-23 NME-25 NME-26 TURN-07",
    "mfd.1": "MFD-02 MFD-07 MFD-08 MFD-09 MFD-19 MFD-21 MFD-22 MFD-23 MFD-25 MFD-26",
}


@pytest.mark.parametrize("rules", VERSIONS)
def test_what_is_pinned_reaches_every_event_of_the_rules_and_their_refusals(rules: str) -> None:
    decided = [outcome for outcome in surface(rules) if isinstance(outcome, tuple)]
    refused = {outcome[-1] for outcome in surface(rules) if isinstance(outcome, list) and len(outcome) == 2}
    assert {type(event).__name__ for events in decided for event in events} == set(EVENTS[rules].split()) | TURNS
    assert refused >= set(REFUSALS[rules].split())
    assert len(decided) > 1000
