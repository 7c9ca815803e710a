"""The roller. Law: chance comes in here and nowhere else, and no tape answers the same question twice.

`new_seed` is the only draw of entropy; every die of a server follows from such a seed by the dice chain. The tapes
answer the rules (`domain.dice.Tape`) for one action or one re-adjudication. A tape that raises has handed out nothing
and stands where it stood.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence

from domain.dice import DiceWanted, Purpose, Roll, Tape, Throw
from replays.audit.dicechain import HASH_BYTES, DiceStream, need_dice

Queues = Mapping[tuple[Purpose, int], Sequence[int]]
"""Faces that are still to be handed out, in order, by (purpose, sides)."""


class BadFace(Exception):  # noqa: N818 - says what happened, like DiceWanted
    """Somebody read `value` off a die with `sides` sides; it is the face at `position` (from 0) of those sent in."""

    def __init__(self, value: int, position: int, sides: int) -> None:
        super().__init__(f"the {_ordinal(position + 1)} die is a {value}; a d{sides} has no such face")
        self.value = value
        self.position = position
        self.sides = sides


def _ordinal(number: int) -> str:
    teens = 11 <= number % 100 <= 13
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


class TapeMismatch(Exception):  # noqa: N818 - says what happened, like DiceWanted
    """The rules want other dice than were recorded: `at` counts throws from 0, `recorded` is None past the last one."""

    def __init__(self, at: int, wanted: Roll, recorded: Throw | None) -> None:
        want = f"{wanted.count}d{wanted.sides} for {wanted.purpose}"
        had = f"{_words(recorded)}, faces {list(recorded.faces)}" if recorded else "no more throws"
        super().__init__(f"throw {at}: the rules want {want}, recorded: {had}")
        self.at = at
        self.wanted = wanted
        self.recorded = recorded


def new_seed() -> bytes:
    """Draw 32 random bytes: the seed of a chain or the secret of a branch. The only entropy of the dice."""
    return secrets.token_bytes(HASH_BYTES)


class StreamTape:
    """The server throws: one stream of dice for one action, read on by every further roll (decision 2.1).

    `key` is 32 bytes of `roll_key` or `whatif_key`, or what works them out for the first die: most actions throw none.
    Raises `TooManyDice` beyond `MOST_DICE` in the action.
    """

    def __init__(self, key: bytes | Callable[[], bytes]) -> None:
        self._key = key
        self._stream = DiceStream(key) if isinstance(key, bytes) else None

    def throw(self, roll: Roll) -> Throw:
        """Throw the next dice of the stream."""
        if self._stream is None:
            assert not isinstance(self._key, bytes)
            self._stream = DiceStream(self._key())
        return Throw(roll.purpose, roll.sides, self._stream.dice(roll.count, roll.sides))

    @property
    def dice(self) -> int:
        """How many dice were thrown."""
        return self._stream.thrown if self._stream is not None else 0

    @property
    def used(self) -> bool:
        """Whether any die was thrown, so that the commit uses up the link (decision 2.2)."""
        return self.dice > 0


class TableTape:
    """People throw: `faces` as read off the table, in the order in which the rules ask for them.

    Raises `BadFace` for a face that the die has not, `DiceWanted` for the dice that are missing when too few are left,
    and `TooManyDice` beyond `MOST_DICE`. Faces that are `left` at the end are for the caller to refuse.
    """

    def __init__(self, faces: Sequence[int]) -> None:
        self._faces = tuple(faces)
        self._taken = 0
        self._throws: tuple[Throw, ...] = ()

    def throw(self, roll: Roll) -> Throw:
        """Hand out the next faces that people read."""
        need_dice(roll.count, roll.sides, self._taken)
        faces = self._faces[self._taken : self._taken + roll.count]
        bad = _impossible(faces, roll.sides)
        if bad is not None:
            raise BadFace(faces[bad], self._taken + bad, roll.sides)
        if len(faces) < roll.count:
            # What is there counts: people throw only the dice that are missing.
            here = (Throw(roll.purpose, roll.sides, faces),) if faces else ()
            missing = Roll(roll.purpose, roll.count - len(faces), roll.sides)
            raise DiceWanted(missing, (*self._throws, *here))
        throw = Throw(roll.purpose, roll.sides, faces)
        self._taken += roll.count
        self._throws += (throw,)
        return throw

    @property
    def left(self) -> int:
        """How many faces nobody asked for."""
        return len(self._faces) - self._taken


def remaining(recorded: Iterable[Throw], used: Iterable[Throw]) -> dict[tuple[Purpose, int], tuple[int, ...]]:
    """Queues of a `recorded` branch: the faces of its parent's later throws, less as many as it threw itself.

    Less by (purpose, sides), not by value. `used` are all throws of the branch, struck-out ones included, so that an
    undo never hands out the same dice again (decision 2.6). Empty queues are left out.
    """
    queues: dict[tuple[Purpose, int], list[int]] = {}
    for throw in recorded:
        queues.setdefault((throw.purpose, throw.sides), []).extend(throw.faces)
    thrown: dict[tuple[Purpose, int], int] = {}
    for throw in used:
        kind = (throw.purpose, throw.sides)
        thrown[kind] = thrown.get(kind, 0) + len(throw.faces)
    rest = {kind: tuple(faces[thrown.get(kind, 0) :]) for kind, faces in queues.items()}
    return {kind: faces for kind, faces in rest.items() if faces}


class RecordedTape:
    """A branch throws what its parent threw: `recorded` faces by (purpose, sides) in order, then those of `then`.

    It goes over in the middle of a roll too. Raises what `then` raises; a `DiceWanted` with all throws of this tape as
    `so_far`, wanting only the dice that are not recorded. Raises `TooManyDice` beyond `MOST_DICE` in all, and at once
    `ValueError` for a recorded face that the die has not.
    """

    def __init__(self, recorded: Queues, then: Tape) -> None:
        for (purpose, sides), faces in recorded.items():
            if _impossible(faces, sides) is not None:
                raise ValueError(f"the recording has a d{sides} for {purpose} with a face that it has not")
        self._queues = {kind: tuple(faces) for kind, faces in recorded.items()}
        self._then = then
        self._thrown = 0
        self._throws: tuple[Throw, ...] = ()

    def throw(self, roll: Roll) -> Throw:
        """Hand out the next recorded faces of this purpose and die, and let `then` throw what is missing."""
        need_dice(roll.count, roll.sides, self._thrown)
        kind = (roll.purpose, roll.sides)
        queue = self._queues.get(kind, ())
        faces = queue[: roll.count]
        if len(faces) < roll.count:
            faces += self._fresh(Roll(roll.purpose, roll.count - len(faces), roll.sides))
        throw = Throw(roll.purpose, roll.sides, faces)
        self._queues[kind] = queue[roll.count :]
        self._thrown += roll.count
        self._throws += (throw,)
        return throw

    def _fresh(self, rest: Roll) -> tuple[int, ...]:
        try:
            return self._then.throw(rest).faces
        except DiceWanted as dry:
            raise DiceWanted(dry.wanted, self._throws) from None


class ReplayTape:
    """Re-adjudication: the `throws` of a log in order, for rules that must ask for just these.

    Raises `TapeMismatch` if they ask for another purpose, count or die, or for more than was recorded, and for a
    recorded face that the die has not. Whether they asked for all of it is `exhausted`.
    """

    def __init__(self, throws: Sequence[Throw]) -> None:
        self._throws = tuple(throws)
        self._at = 0

    def throw(self, roll: Roll) -> Throw:
        """Hand out the next recorded throw, if it answers `roll`."""
        recorded = self._throws[self._at] if self._at < len(self._throws) else None
        if recorded is None or not _answers(recorded, roll):
            raise TapeMismatch(self._at, roll, recorded)
        self._at += 1
        return recorded

    @property
    def exhausted(self) -> bool:
        """Whether every recorded throw was handed out."""
        return self._at == len(self._throws)


class DryTape:
    """A dry run: nobody throws, so the first roll raises `DiceWanted`."""

    def throw(self, roll: Roll) -> Throw:
        """Say which dice are wanted."""
        raise DiceWanted(roll)


def _answers(throw: Throw, roll: Roll) -> bool:
    same = (throw.purpose, throw.sides, len(throw.faces)) == (roll.purpose, roll.sides, roll.count)
    return same and _impossible(throw.faces, throw.sides) is None


def _impossible(faces: Sequence[int], sides: int) -> int | None:
    return next((at for at, face in enumerate(faces) if not 1 <= face <= sides), None)


def _words(throw: Throw) -> str:
    return f"{len(throw.faces)}d{throw.sides} for {throw.purpose}"
