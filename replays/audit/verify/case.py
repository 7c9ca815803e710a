"""The case: a bundle under a policy, and what the checks share. Law: nothing in it is a judgement."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final, Literal, NamedTuple

from replays.audit.bundle import Bundle
from replays.audit.checkpoint import Checkpoint
from replays.audit.dicechain import SERVER
from replays.audit.findings import Finding
from replays.audit.merkle import Frontier, leaf_hash
from replays.audit.note import Note, parsed
from replays.audit.unproven import Unproven
from replays.audit.verify.line import Line, Stretch, throws_of
from replays.audit.verify.policy import Policy
from replays.audit.verify.trail import Trail


class Case:
    """A bundle and a policy; `trail`, `first`, `closed` and `read` (the last good entry) run along while it is read."""

    def __init__(self, bundle: Bundle, policy: Policy) -> None:
        self.bundle = bundle
        self.policy = policy
        self.trail = Trail()
        self.first: Line | None = None
        self.closed = False
        self.read = 0

    @property
    def signed(self) -> int:
        """How many entries there should be: as many as were signed, or as are there if those are more."""
        return max(len(self.bundle.entries), 0 if self.checkpoint is None else self.checkpoint.size)

    @cached_property
    def leaves(self) -> list[bytes]:
        """The leaf hash of each entry, over its stored bytes."""
        return [leaf_hash(entry) for entry in self.bundle.entries]

    def root_over(self, size: int) -> bytes:
        """The root over the first `size` entries."""
        return Frontier().extended(self.leaves[:size]).root

    @cached_property
    def note(self) -> Note | None:
        """The note of the checkpoint, with no signature checked; None if it cannot be read."""
        try:
            return parsed(self.bundle.checkpoint)
        except Unproven:
            return None

    @cached_property
    def checkpoint(self) -> Checkpoint | None:
        """The checkpoint, with no signature checked; None if it cannot be read."""
        try:
            return None if self.note is None else Checkpoint.parse(self.note.text)
        except ValueError:
            return None


_NO_LINES: Final[tuple[Line, ...]] = ()


class Step:
    """A batch, the `types` and the dice (`throws`) in it, its `head`, and the `trail` as it was before it."""

    __slots__ = ("_by_type", "batch", "case", "head", "throws", "trail", "types")

    def __init__(self, case: Case, batch: Sequence[Line]) -> None:
        self.case = case
        self.trail = case.trail
        self.batch = batch
        self.head = batch[0]
        self._by_type: dict[str, list[Line]] = {}
        for line in batch:
            self._by_type.setdefault(line.type, []).append(line)
        self.types = frozenset(self._by_type)
        self.throws = throws_of(batch)

    @property
    def voids(self) -> bool:
        """Whether the open roll is void: the service itself forfeits it, and commits to new dice."""
        head, behind = self.head, self.batch[1:2]
        forfeits = head.type == "RollForfeited" and head.body["party"] == SERVER
        return forfeits and any(line.type == "DiceAnchored" for line in behind)

    def only(self, types: AbstractSet[str]) -> bool:
        """Whether all entries of the batch are of these types."""
        return self.types <= types

    def first(self, kind: str) -> Line | None:
        """The first entry of that type, if there is one."""
        lines = self._by_type.get(kind)
        return None if lines is None else lines[0]

    def of(self, *types: str) -> Sequence[Line]:
        """The entries of the batch of these types."""
        if len(types) == 1:
            return self._by_type.get(types[0], _NO_LINES)
        return _NO_LINES if self.types.isdisjoint(types) else [line for line in self.batch if line.type in types]


Findings = Iterable[Finding]
"""What a check finds, the first first."""

NOTHING: Final[tuple[Finding, ...]] = ()
"""What a check finds where all is well."""

When = Literal["notes", "line", "batch", "end"]
"""When a check is made: on the whole file, on each entry, on each action, or after the last one."""


Skim = Callable[[Case, Stretch], bool]
"""Whether a check has surely nothing to say of any of these entries; false says only that it has to look at each."""


class Check(NamedTuple):
    """A check by its name.

    `notes` and `end` look at a `Case`, `line` at a `Case`, a line and the one before it, `batch` at a `Step`; one that
    is `about` some types has nothing to say of a batch without them, and is not asked. A check of lines may `skim`.
    """

    name: str
    when: When
    look: Callable[..., Findings]
    about: AbstractSet[str] | None = None
    skim: Skim | None = None
