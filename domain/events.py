"""Events: what happened. Law: a fact carries its outcome and its reasons, so that nothing is ever worked out again.

The class name is the wire name and never changes its meaning; a new shape is a new version with an upcaster. Lengths
are thou. Each rolled event keeps every die in order (`dice`), what was needed, and each modifier with its rule. No
ring of references goes through an event, so the search for garbage passes events over (`gc=False`).
"""

from typing import Any, Literal

import msgspec

from domain.battle import DiceMode, Pace, Profile, Template, Terrain, Weapon
from domain.dice import Throw
from domain.measures import Point, Vector

Cause = Literal["near_miss", "cover_save", "template", "hit", "damage", "injury", "ruling"]


class Modifier(msgspec.Struct, frozen=True, gc=False):
    """What a rule adds to a roll."""

    rule: str
    value: int
    reason: str = ""


class Sight(msgspec.Struct, frozen=True, gc=False):
    """How well a fig was seen, and who said so: the table (`declared`), the `terrain`, or nobody (`assumed`)."""

    fig: str
    cover: str
    by: Literal["declared", "terrain", "assumed"]


class PartyOf(msgspec.Struct, frozen=True, gc=False):
    """A side at the muster and its party number among those who contribute dice (0 is the server)."""

    id: str
    name: str
    party: int


class Checkpoint(msgspec.Struct, frozen=True, gc=False):
    """Size and root of a log at some moment."""

    size: int
    root: str


class BattleStarted(msgspec.Struct, frozen=True, gc=False):
    """A battle begins: its rules version, its table, its sides and every switch in force."""

    system: Literal["nme", "mfd"]
    rules: str
    title: str
    width: int
    height: int
    dice: DiceMode
    sides: tuple[PartyOf, ...]
    policy: dict[str, Any]
    tags: dict[str, str]
    after: Checkpoint | None = None


class DiceAnchored(msgspec.Struct, frozen=True, gc=False):
    """A party commits itself to a chain of `length` links before any of them is used."""

    party: int
    epoch: int
    length: int
    anchor: str


class FigMustered(msgspec.Struct, frozen=True, gc=False):
    """A fig takes its place; it `counts` (1 or 0) for the strength of its side: objects do not."""

    fig: str
    name: str
    side: str
    x: int
    y: int
    facing: Vector
    base: int
    vehicle: bool
    profile: Profile
    weapons: tuple[Weapon, ...]
    counts: int = 1


class TerrainPlaced(msgspec.Struct, frozen=True, gc=False):
    """A piece of terrain lies on the table."""

    terrain: Terrain


class TurnStarted(msgspec.Struct, frozen=True, gc=False):
    """A side's turn begins; turns are counted through, whoever's they are."""

    turn: int
    side: str


class PhaseStarted(msgspec.Struct, frozen=True, gc=False):
    """A phase of the turn begins."""

    phase: str


class TurnEnded(msgspec.Struct, frozen=True, gc=False):
    """A side's turn is over."""

    turn: int
    side: str


class ActionDeclared(msgspec.Struct, frozen=True, gc=False):
    """The accepted request, normalised: what heads the batch of every action."""

    do: str
    side: str
    request: dict[str, Any]
    sights: tuple[Sight, ...] = ()
    modifiers: tuple[Modifier, ...] = ()


class Link(msgspec.Struct, frozen=True, gc=False):
    """A contributor's opened link."""

    party: int
    link: str


class DiceDrawn(msgspec.Struct, frozen=True, gc=False):
    """Where the service's dice of this action come from: the opened link of the chain, or a what-if's key.

    `forfeit` opens the link too, but the dice are the worst that there are for who withheld its own (DICE-04).
    """

    source: Literal["chain", "whatif", "forfeit"]
    epoch: int
    index: int
    link: str
    contributors: tuple[Link, ...] = ()


class SeatJoined(msgspec.Struct, frozen=True, gc=False):
    """A seat shows its key, and commits to a chain if it contributes to the dice (`length` 0: it does not).

    `proof` is its signature over all of it; it cannot be another's key, nor another's anchor.
    """

    seat: str
    party: int
    key: str
    epoch: int
    length: int
    anchor: str
    proof: str


class SeatNamed(msgspec.Struct, frozen=True, gc=False):
    """Who sits on a seat: a salted commitment to a name that is kept beside the log and can be erased there."""

    seat: str
    person: str


class RollRequested(msgspec.Struct, frozen=True, gc=False):
    """An action whose dice these parties have to release first; `request` is the accepted request, normalised."""

    do: str
    side: str
    request: dict[str, Any]
    epoch: int
    index: int
    parties: tuple[int, ...]


class LinkReleased(msgspec.Struct, frozen=True, gc=False):
    """A party opens its link for exactly this request."""

    request: int
    party: int
    link: str
    sig: str


class RollForfeited(msgspec.Struct, frozen=True, gc=False):
    """The referee ends the wait for a party that withholds its link: the roll counts as the worst for it (DICE-04)."""

    request: int
    party: int
    reason: str


class DiceTyped(msgspec.Struct, frozen=True, gc=False):
    """An action whose dice one seat has typed in, and another has to confirm."""

    do: str
    side: str
    request: dict[str, Any]
    faces: tuple[int, ...]


class DiceContested(msgspec.Struct, frozen=True, gc=False):
    """Another seat saw other dice; the referee has to say which lay on the table."""

    request: int
    faces: tuple[int, ...]


class DiceConfirmed(msgspec.Struct, frozen=True, gc=False):
    """These are the dice that lay on the table."""

    request: int
    faces: tuple[int, ...]


class RequestSigned(msgspec.Struct, frozen=True, gc=False):
    """A seat's signature under the request that made this batch; `request` is None where the batch's head holds it."""

    kind: str
    request: dict[str, Any] | None
    sig: str


class FigMoved(msgspec.Struct, frozen=True, gc=False):
    """A fig moved; `inches` counted for it, `measured` is the straight line, `total` is its whole turn's, all thou."""

    fig: str
    start: Point = msgspec.field(name="from")
    to: Point
    inches: int
    measured: int
    total: int
    pace: Pace
    advanced: bool


class FigTurned(msgspec.Struct, frozen=True, gc=False):
    """A fig looks another way."""

    fig: str
    facing: Vector
    reason: Literal["turn", "target"]


class FigHid(msgspec.Struct, frozen=True, gc=False):
    """A fig hides and cannot be seen (NME-09)."""

    fig: str


class FigRevealed(msgspec.Struct, frozen=True, gc=False):
    """A fig hides no longer."""

    fig: str
    cause: Literal["moved", "shot", "contact"]


class AimTaken(msgspec.Struct, frozen=True, gc=False):
    """A fig spends its turn aiming (MFD-19); `turns` counts this one."""

    fig: str
    target: str
    turns: int


class AimLost(msgspec.Struct, frozen=True, gc=False):
    """A fig's aim is gone."""

    fig: str
    target: str
    reason: Literal["move", "retarget", "fire", "melee", "target_lost"]


class ShotFired(msgspec.Struct, frozen=True, gc=False):
    """A shot is taken out of a fig's allowance, whatever becomes of it; `shot` counts this turn's."""

    fig: str
    weapon: str
    mode: Literal["aimed", "snap", "fire"]
    target: str | None
    shot: int


class AmmoRolled(msgspec.Struct, frozen=True, gc=False):
    """The ammo roll before a shot (NME-11, NME-12)."""

    fig: str
    weapon: str
    dice: tuple[Throw, ...]
    faces: tuple[int, ...]
    rating: int
    passed: bool


class WeaponFailed(msgspec.Struct, frozen=True, gc=False):
    """A weapon is useless for the rest of the battle (NME-13)."""

    fig: str
    weapon: str
    rule: str


class NmeHitRolled(msgspec.Struct, frozen=True, gc=False, tag="nme", tag_field="system"):
    """An N:ME to-hit roll. `accuracy` and distances in thou."""

    fig: str
    weapon: str
    mode: Literal["aimed", "snap"]
    target: str | None
    point: Point | None
    dice: tuple[Throw, ...]
    faces: tuple[int, ...]
    hits: int
    sixes: int
    effective_range: int
    accuracy: int
    distance: int
    measured: int
    outcome: Literal["hit", "near_miss", "miss"]
    critical: bool
    point_blank: bool
    rules: tuple[str, ...]


class MfdHitRolled(msgspec.Struct, frozen=True, gc=False, tag="mfd", tag_field="system"):
    """A MiniFig Death to-hit roll: hit if `face` and all modifiers reach `needed`; `weapon` None is bare hands."""

    fig: str
    weapon: str | None
    target: str
    dice: tuple[Throw, ...]
    face: int
    modifiers: tuple[Modifier, ...]
    needed: int
    distance: int
    measured: int
    outcome: Literal["hit", "grazed", "miss"]
    melee: bool
    rules: tuple[str, ...]


HitRolled = NmeHitRolled | MfdHitRolled
"""Wire name `HitRolled`; the body's `system` tells which."""


class VictimDrawn(msgspec.Struct, frozen=True, gc=False):
    """Who of those in a combat stops the shot that hit (MFD-22, NME-26)."""

    fig: str
    target: str
    pool: tuple[str, ...]
    dice: tuple[Throw, ...]
    victim: str
    rule: str


class CoverSaveRolled(msgspec.Struct, frozen=True, gc=False):
    """A fig in cover saves on 4 or more (NME-20)."""

    fig: str
    dice: tuple[Throw, ...]
    face: int
    needed: int
    saved: bool
    rule: str


class TemplatePlaced(msgspec.Struct, frozen=True, gc=False):
    """A template lies on the table: who is under it, and who is within an inch of its edge (NME-24)."""

    fig: str
    weapon: str
    template: Template
    point: Point
    under: tuple[str, ...]
    near: tuple[str, ...]


class FigHit(msgspec.Struct, frozen=True, gc=False):
    """A fig is hit; `strength` is 0 where the system knows none."""

    fig: str
    by: str
    weapon: str | None
    strength: int
    critical: bool
    distance: int
    rule: str


class DamageRolled(msgspec.Struct, frozen=True, gc=False):
    """Damage against armour."""

    fig: str
    by: str
    weapon: str | None
    dice: tuple[Throw, ...]
    faces: tuple[int, ...]
    total: int
    armour: int
    modifiers: tuple[Modifier, ...]
    penetrated: bool
    rule: str


class InjuryRolled(msgspec.Struct, frozen=True, gc=False):
    """An injury by the strength charts; `wounds` is what it adds to the fig's wound markers."""

    fig: str
    by: str
    strength: int
    dice: tuple[Throw, ...]
    face: int
    result: Literal["close", "clipped", "dropped", "iced"]
    wounds: int


class InjuryReported(msgspec.Struct, frozen=True, gc=False):
    """The players say what a hit did."""

    fig: str
    by: str
    result: Literal["close", "clipped", "dropped", "iced"]
    wounds: int


class InjuryAwaited(msgspec.Struct, frozen=True, gc=False):
    """A hit waits for the players to say what it did."""

    fig: str
    by: str
    weapon: str
    strength: int
    critical: bool
    origin: Point
    distance: int


class FigPinned(msgspec.Struct, frozen=True, gc=False):
    """A fig goes to ground (NME-20 to 24)."""

    fig: str
    cause: Cause
    rule: str
    by: str


class RecoveryRolled(msgspec.Struct, frozen=True, gc=False):
    """An initiative test with a friend near (NME-25)."""

    fig: str
    friend: str
    dice: tuple[Throw, ...]
    face: int
    needed: int
    passed: bool
    rule: str


class FigRecovered(msgspec.Struct, frozen=True, gc=False):
    """A pinned fig gets up."""

    fig: str
    how: Literal["test", "turn_missed", "charged"]


class FigDowned(msgspec.Struct, frozen=True, gc=False):
    """A fig goes down."""

    fig: str
    cause: Cause
    rule: str
    by: str
    weapon: str | None
    origin: Point = msgspec.field(name="from")
    distance: int


class FigRemoved(msgspec.Struct, frozen=True, gc=False):
    """A fig leaves the table for good."""

    fig: str
    cause: Cause
    rule: str
    by: str
    weapon: str | None
    origin: Point = msgspec.field(name="from")
    distance: int


class MeleeJoined(msgspec.Struct, frozen=True, gc=False):
    """A fig comes into contact with enemies who fight back."""

    fig: str
    others: tuple[str, ...] = msgspec.field(name="with")


class MeleeLeft(msgspec.Struct, frozen=True, gc=False):
    """A fig is no longer in contact with these."""

    fig: str
    others: tuple[str, ...] = msgspec.field(name="with")


class MeleeFought(msgspec.Struct, frozen=True, gc=False):
    """A melee's one round of this turn is fought (MFD-23)."""

    figs: tuple[str, ...]


class LastDitchCalled(msgspec.Struct, frozen=True, gc=False):
    """A side fights to the death (MFD-25 to 28)."""

    side: str
    start: int
    left: int
    because: Literal["outnumbered", "outgunned"]
    rule: str


class SideConceded(msgspec.Struct, frozen=True, gc=False):
    """A side gives up; its figs stay where they are."""

    side: str
    reason: str


class Change(msgspec.Struct, frozen=True, gc=False):
    """One thing that a ruling changes, as it was and as it is."""

    fig: str
    field: Literal["x", "y", "facing", "status", "weapon", "aim", "hidden"]
    before: Any
    after: Any


class RulingMade(msgspec.Struct, frozen=True, gc=False):
    """The referee decides."""

    about: int | None
    rule: str
    reason: str
    changes: tuple[Change, ...]


class DisputeOpened(msgspec.Struct, frozen=True, gc=False):
    """Somebody questions an entry."""

    dispute: int
    about: int
    reason: str


class DisputeClosed(msgspec.Struct, frozen=True, gc=False):
    """A dispute is settled: by the ruling of that seq, by agreement, or withdrawn; `by` is the seat that says so."""

    dispute: int
    how: Literal["ruling", "agreed", "withdrawn"]
    ruling: int | None
    by: str


class UndoAsked(msgspec.Struct, frozen=True, gc=False):
    """A side asks to take back (or restore) what follows; `ask` are those who have to agree, `head` what was seen."""

    request: int
    what: Literal["undo", "redo"]
    side: str
    to_before: int
    head: int
    turn: int
    ask: tuple[str, ...]
    reason: str


class UndoAgreed(msgspec.Struct, frozen=True, gc=False):
    """A side agrees to what it was shown."""

    request: int
    side: str
    head: int


class UndoRefused(msgspec.Struct, frozen=True, gc=False):
    """A side does not agree; the request is closed."""

    request: int
    side: str


class UndoWithdrawn(msgspec.Struct, frozen=True, gc=False):
    """Who asked does not ask any longer."""

    request: int
    side: str


class ActionsUndone(msgspec.Struct, frozen=True, gc=False):
    """Actions are struck out: `dice` of theirs had been seen; `request` is 0 where nobody had to be asked."""

    to_before: int
    actions: tuple[int, ...]
    dice: int
    request: int
    agreed: tuple[str, ...]
    reason: str


class ActionsRestored(msgspec.Struct, frozen=True, gc=False):
    """The span struck out last counts again."""

    to_before: int
    actions: tuple[int, ...]
    request: int
    agreed: tuple[str, ...]
    reason: str


class BranchOpened(msgspec.Struct, frozen=True, gc=False):
    """A what-if parts from its parent after entry `at`; `leaf` is that entry's hash, `head` the parent's then."""

    parent: str
    at: int
    leaf: str
    head: int
    dice: Literal["fresh", "recorded", "table"]
    mode: DiceMode
    title: str
    commitment: str


class BattleEnded(msgspec.Struct, frozen=True, gc=False):
    """The battle is over; `winner` is empty for a draw."""

    winner: str
    reason: str
    cause: Literal["referee", "concession"]


class BattleClosed(msgspec.Struct, frozen=True, gc=False):
    """Nothing more is ever written."""

    reason: str


Event = (
    BattleStarted
    | DiceAnchored
    | FigMustered
    | TerrainPlaced
    | TurnStarted
    | PhaseStarted
    | TurnEnded
    | ActionDeclared
    | DiceDrawn
    | SeatJoined
    | SeatNamed
    | RollRequested
    | LinkReleased
    | RollForfeited
    | DiceTyped
    | DiceContested
    | DiceConfirmed
    | RequestSigned
    | FigMoved
    | FigTurned
    | FigHid
    | FigRevealed
    | AimTaken
    | AimLost
    | ShotFired
    | AmmoRolled
    | WeaponFailed
    | NmeHitRolled
    | MfdHitRolled
    | VictimDrawn
    | CoverSaveRolled
    | TemplatePlaced
    | FigHit
    | DamageRolled
    | InjuryRolled
    | InjuryReported
    | InjuryAwaited
    | FigPinned
    | RecoveryRolled
    | FigRecovered
    | FigDowned
    | FigRemoved
    | MeleeJoined
    | MeleeLeft
    | MeleeFought
    | LastDitchCalled
    | SideConceded
    | RulingMade
    | DisputeOpened
    | DisputeClosed
    | UndoAsked
    | UndoAgreed
    | UndoRefused
    | UndoWithdrawn
    | ActionsUndone
    | ActionsRestored
    | BranchOpened
    | BattleEnded
    | BattleClosed
)


def dice_of(event: Event) -> tuple[Throw, ...]:
    """The throws that stand in an event, in order."""
    return getattr(event, "dice", ()) if isinstance(event, ROLLED) else ()


ROLLED = (
    AmmoRolled,
    NmeHitRolled,
    MfdHitRolled,
    VictimDrawn,
    CoverSaveRolled,
    DamageRolled,
    InjuryRolled,
    RecoveryRolled,
)
"""The events that hold dice."""
