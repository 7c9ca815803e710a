"""One sample of every event at least, as a log of the two small battles could hold it."""

from domain import events as e
from domain.battle import NmeProfile, NmeWeapon, Terrain
from domain.commands import COMMAND, request_of
from domain.dice import Throw
from domain.measures import Point, Vector
from tests.projections.fields import bricks, gang
from tests.projections.tale import AWAY, BLANK, Body, Tale

GANG = Tale(gang()).record.battle
BRICKS = Tale(bricks()).record.battle

ASKED: tuple[Body, ...] = (
    {"do": "move", "fig": "red-1", "to": {"x": 12, "y": 20.5}, "pace": "walk"},
    {"do": "move", "fig": "red-1", "to": {"x": 12, "y": 20.5}, "inches": 3.5},
    {"do": "turn", "fig": "red-1", "facing": 45},
    {"do": "turn", "fig": "red-1", "toward": "blue-1"},
    {"do": "turn", "fig": "red-1", "toward": {"x": 1.5, "y": 2}},
    {"do": "hide", "fig": "red-1"},
    {"do": "aim", "fig": "red-1", "target": "blue-1"},
    {"do": "shoot", "fig": "red-1", "weapon": "autogun", "target": "blue-1", "mode": "snap"},
    {"do": "shoot", "fig": "red-1", "weapon": "autogun", "target": "blue-1", "distance": 11.5, "into_melee": True},
    {"do": "shoot", "fig": "red-1", "weapon": "flamer", "point": {"x": 14, "y": 23}},
    {"do": "fight", "bouts": [{"fig": "red-1", "target": "blue-1"}]},
    {"do": "fight", "bouts": [{"fig": "red-1", "target": "blue-1"}, {"fig": "blue-1", "target": "red-1"}]},
    {"do": "recover", "fig": "red-1"},
    {"do": "injure", "fig": "red-1", "result": "clipped"},
    {"do": "last_ditch", "side": "red"},
    {"do": "end_phase"},
    {"do": "end_turn", "waive": "they are stuck"},
    {"do": "concede", "side": "red", "reason": "enough"},
    {"do": "end_battle", "winner": "red", "reason": "dark"},
    {"do": "end_battle"},
)
"""One request at least of every `do`."""


def declared(asked: Body) -> e.ActionDeclared:
    """The request as it heads a batch."""
    return e.ActionDeclared(asked["do"], "red", request_of(COMMAND.validate_python(asked)))


D6 = (Throw("save", 6, (3,)),)
AMMO = e.AmmoRolled("red-1", "autogun", (Throw("ammo", 6, (3, 3)),), (3, 3), 4, passed=False)
NEAR_MISS = e.NmeHitRolled(
    fig="red-1",
    weapon="autogun",
    mode="snap",
    target="blue-1",
    point=None,
    dice=(Throw("to_hit", 6, (6, 5)), Throw("to_hit", 6, (2,))),
    faces=(6, 5, 2),
    hits=2,
    sixes=1,
    effective_range=15_000,
    accuracy=10_000,
    distance=11_000,
    measured=11_000,
    outcome="near_miss",
    critical=False,
    point_blank=False,
    rules=("NME-14", "NME-16", "NME-21"),
)
BLOW = e.MfdHitRolled(
    fig="red-1",
    weapon=None,
    target="blue-1",
    dice=(Throw("to_hit", 6, (4,)),),
    face=4,
    modifiers=(e.Modifier("MFD-12", -3, "the shooter ran"), e.Modifier("MFD-17", 1, 'less than 3"')),
    needed=3,
    distance=2_500,
    measured=2_600,
    outcome="miss",
    melee=False,
    rules=("MFD-09",),
)
MUSTERED = e.FigMustered(
    fig="blue-9",
    name="Late",
    side="blue",
    x=1_500,
    y=2_000,
    facing=Vector(0, 1),
    base=1_000,
    vehicle=False,
    profile=NmeProfile(bs=3),
    weapons=(NmeWeapon("stub-gun", 10_000, 3, 4),),
)
RULED = e.RulingMade(
    about=8,
    rule="NME-09",
    reason="the wall hides it",
    changes=(
        e.Change("blue-1", "status", "active", "out"),
        e.Change("blue-1", "x", 22_000, 22_500),
        e.Change("blue-1", "y", 20_000, 21_500),
        e.Change("blue-1", "facing", {"x": 1, "y": 0}, {"x": 0, "y": 1}),
        e.Change("red-1", "weapon", {"id": "autogun", "usable": True}, {"id": "autogun", "usable": False}),
        e.Change("red-1", "aim", None, {"target": "blue-1", "turns": 2}),
        e.Change("red-1", "hidden", before=False, after=True),
    ),
)

SAMPLES: tuple[e.Event, ...] = (
    e.BattleStarted(
        system="nme",
        rules="nme.1",
        title="Toll Bridge",
        width=48_000,
        height=36_500,
        dice="table",
        sides=(e.PartyOf("red", "House Red", 1), e.PartyOf("blue", "blue", 2)),
        policy={},
        tags={},
    ),
    e.DiceAnchored(0, 0, 4096, BLANK),
    e.DiceAnchored(1, 0, 64, BLANK),
    e.DiceAnchored(0, 1, 0, BLANK),
    MUSTERED,
    e.TerrainPlaced(Terrain("w1", "wall", (Point(0, 0), Point(4_000, 0)), "cover")),
    e.TurnStarted(3, "red"),
    e.PhaseStarted("close_combat"),
    e.TurnEnded(3, "red"),
    *map(declared, ASKED),
    e.DiceDrawn("chain", 0, 7, BLANK),
    e.DiceDrawn("forfeit", 0, 8, BLANK),
    e.SeatJoined("side:red", 1, "ab" * 32, 0, 4096, BLANK, "00" * 64),
    e.SeatJoined("referee", 3, "cd" * 32, 0, 0, "", "00" * 64),
    e.SeatNamed("side:blue", "ef" * 32),
    e.RollRequested("recover", "red", {"do": "recover", "fig": "red-1"}, 0, 8, (1, 2)),
    e.LinkReleased(31, 2, BLANK, "00" * 64),
    e.RollForfeited(31, 2, "gone home"),
    e.DiceTyped("recover", "red", {"do": "recover", "fig": "red-1"}, (3,)),
    e.DiceContested(31, (4,)),
    e.DiceConfirmed(31, (3,)),
    e.RequestSigned("undo", {"to_before": 9, "reason": ""}, "ab" * 64),
    e.FigMoved("red-1", Point(10_000, 20_000), Point(12_500, 20_000), 3_500, 2_500, 4_500, "walk", advanced=False),
    e.FigTurned("red-1", Vector(0, 1), "target"),
    e.FigHid("red-1"),
    e.FigRevealed("red-1", "moved"),
    e.AimTaken("red-1", "blue-1", 2),
    e.AimLost("red-1", "blue-1", "move"),
    e.ShotFired("red-1", "autogun", "snap", "blue-1", 2),
    AMMO,
    e.WeaponFailed("red-1", "autogun", "NME-13"),
    NEAR_MISS,
    BLOW,
    e.VictimDrawn("red-1", "blue-1", ("blue-1", "boss"), (Throw("victim", 2, (2,)),), "boss", "NME-26"),
    e.CoverSaveRolled("blue-1", D6, 3, 4, saved=False, rule="NME-20"),
    e.TemplatePlaced("red-1", "flamer", "flamer", Point(14_500, 21_000), ("blue-1",), ()),
    e.FigHit("blue-1", "red-1", "autogun", 3, critical=True, distance=7_500, rule="NME-17"),
    e.DamageRolled(
        fig="blue-1",
        by="red-1",
        weapon=None,
        dice=(Throw("damage", 6, (2, 5)),),
        faces=(2, 5),
        total=7,
        armour=4,
        modifiers=(e.Modifier("MFD-27", -1, "blue is in last ditch"),),
        penetrated=True,
        rule="MFD-02",
    ),
    e.InjuryRolled("blue-1", "red-1", 3, D6, 4, "clipped", 1),
    e.InjuryReported("blue-1", "red-1", "dropped", 0),
    e.InjuryAwaited("blue-1", "red-1", "autogun", 3, critical=False, origin=Point(0, 0), distance=7_500),
    e.FigPinned("blue-1", "near_miss", "NME-21", "red-1"),
    e.RecoveryRolled("blue-1", "boss", D6, 3, 3, passed=True, rule="NME-25"),
    e.FigRecovered("blue-1", "turn_missed"),
    e.FigDowned("blue-1", "injury", "INJURY-01", "red-1", "autogun", Point(10_000, 20_000), 12_500),
    e.FigRemoved("blue-1", "injury", "INJURY-01", "red-1", None, Point(10_000, 20_000), 12_500),
    e.MeleeJoined("red-1", ("blue-1", "boss")),
    e.MeleeLeft("red-1", ("blue-1",)),
    e.MeleeFought(("blue-1", "red-1")),
    e.LastDitchCalled("red", 20, 2, "outgunned", "MFD-25"),
    e.SideConceded("red", "enough"),
    RULED,
    e.DisputeOpened(1, 8, "it was hidden"),
    e.DisputeClosed(1, "ruling", 12, "referee"),
    e.UndoAsked(2, "undo", "red", 8, 14, 1, ("blue",), "wrong target"),
    e.UndoAgreed(2, "blue", 14),
    e.UndoRefused(2, "blue"),
    e.UndoWithdrawn(2, "red"),
    e.ActionsUndone(8, (8, 12), 5, 2, ("blue",), "wrong target"),
    e.ActionsRestored(8, (8,), 0, (), "it was right"),
    e.BranchOpened(AWAY, 8, BLANK, 20, "recorded", "table", "What if", ""),
    e.BattleEnded("red", "dark", "referee"),
    e.BattleClosed("all done"),
)
"""Every event, and every request."""
