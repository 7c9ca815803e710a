"""Commands: what can be asked. Law: one closed union on `do`, frozen, bounded, and used as the HTTP body as it is.

Lengths are inches here and thou from validation on. A command read back from the log validates with `FROM_LOG`.
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, TypeAdapter

from domain.words import FROM_LOG, Asked, Facing, Id, Length, Place, Plain, Said, Text, logged

NmeCover = Literal["open", "cover", "unseen"]
MfdCover = Literal["none", "partial", "full", "unseen"]
Cover = Literal["open", "cover", "unseen", "none", "partial", "full"]

MOST_FIGS = 200
"""No battle has more figs than this."""


class Action(Asked):
    """What every action may carry: `dice`, the faces thrown at the table, in the order in which the rules ask."""

    dice: Annotated[
        tuple[Annotated[int, Field(ge=1, le=100)], ...] | None,
        Field(default=None, strict=False, max_length=1000, description="faces thrown at the table, in order"),
    ] = None


class Move(Action):
    """Move a fig; `inches` is what the move counts where terrain costs more than the straight line."""

    do: Literal["move"]
    fig: Id
    to: Place
    pace: Literal["walk", "run", "charge"] | None = Field(
        default=None, description="N:ME: a walk if left out; MiniFig Death: by the inches moved in the turn"
    )
    inches: Length | None = Field(
        default=None, description="what the move counts, where that is more than the straight line"
    )
    cover: Cover | None = None


class Turn(Action):
    """N:ME: turn a fig on the spot, to a facing or toward a fig or a point."""

    do: Literal["turn"]
    fig: Id
    facing: Facing | None = None
    toward: Id | Place | None = None


class Hide(Action):
    """N:ME: a fig in cover hides; `cover` where no terrain says that it is in cover."""

    do: Literal["hide"]
    fig: Id
    cover: NmeCover | None = None


class AimAt(Action):
    """MiniFig Death: spend the turn aiming at a fig."""

    do: Literal["aim"]
    fig: Id
    target: Id


class Given(Asked):
    """A modifier that the referee gives (MFD-11)."""

    value: Plain
    reason: Said


class Touched(Asked):
    """A fig that a template or blast touches: `under` it, or within an inch of its edge."""

    fig: Id
    under: bool


class Shoot(Action):
    """Fire one shot at a fig or a point."""

    do: Literal["shoot"]
    fig: Id
    weapon: Id
    target: Id | None = Field(default=None, description="the fig that is shot at; or say `point`")
    point: Place | None = Field(default=None, description="the place that is shot at, where it is no fig")
    mode: Literal["aimed", "snap"] | None = Field(default=None, description="N:ME: how it is fired")
    cover: Cover | None = None
    sight: Annotated[
        dict[Id, Cover],
        Field(
            default_factory=dict,
            max_length=MOST_FIGS,
            description="how other figs stand that matter for the shot, by id, in the words of `cover`: those nearer "
            "than the target, those in its combat, those under a template",
        ),
    ]
    distance: Length | None = Field(
        default=None,
        description="inches by the tape, where that is not what the coordinates say; a side may differ by "
        "`tape_tolerance`, the referee by any length",
    )
    into_melee: bool = Field(default=False, description="MiniFig Death: the target is in close combat, and is shot at")
    modifiers: Annotated[
        tuple[Given, ...],
        Field(
            strict=False, max_length=10, description="MiniFig Death: what the referee gives to the roll, each with why"
        ),
    ] = ()
    touched: Annotated[
        tuple[Touched, ...],
        Field(
            strict=False,
            max_length=MOST_FIGS,
            description="N:ME: whom the template touches as it lies on the table, in the order of the saves: `under` "
            "it (hit), or within an inch of its edge (pinned)",
        ),
    ] = ()


class Bout(Asked):
    """One fig of a melee strikes at one enemy in contact."""

    fig: Id
    target: Id


class Fight(Action):
    """MiniFig Death: one simultaneous round of one melee (MFD-23)."""

    do: Literal["fight"]
    bouts: Annotated[tuple[Bout, ...], Field(strict=False, min_length=1, max_length=MOST_FIGS)]


class Recover(Action):
    """N:ME: the initiative test of a pinned fig at the start of its turn (NME-25)."""

    do: Literal["recover"]
    fig: Id


class Injure(Action):
    """N:ME: report what a hit did, where the policy says that players do."""

    do: Literal["injure"]
    fig: Id
    result: Literal["close", "clipped", "dropped", "iced"]


class LastDitch(Action):
    """MiniFig Death: call last ditch (MFD-25)."""

    do: Literal["last_ditch"]
    side: Id


class EndPhase(Action):
    """End the phase; `waive` is the referee's reason to spare a last-ditch side its advance (MFD-26)."""

    do: Literal["end_phase"]
    waive: Said | None = None


class EndTurn(Action):
    """End the turn; the next side begins."""

    do: Literal["end_turn"]
    waive: Said | None = None


class Concede(Action):
    """A side gives up."""

    do: Literal["concede"]
    side: Id
    reason: Text = ""


class EndBattle(Action):
    """The referee ends the battle; no winner is a draw."""

    do: Literal["end_battle"]
    winner: Id | None = None
    reason: Text = ""


Command = Annotated[
    Move
    | Turn
    | Hide
    | AimAt
    | Shoot
    | Fight
    | Recover
    | Injure
    | LastDitch
    | EndPhase
    | EndTurn
    | Concede
    | EndBattle,
    Discriminator("do"),
]

COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def request_of(command: Action) -> dict[str, Any]:
    """The command as `ActionDeclared` keeps it: normalised, without the dice, which stand in the events."""
    return logged(command, without={"dice"})


def command_from(request: dict[str, Any]) -> Command:
    """The command that an `ActionDeclared` keeps."""
    return COMMAND.validate_python(request, context=FROM_LOG)
