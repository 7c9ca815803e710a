"""The case: a bundle under a policy, and what the checks share. Law: nothing in it is a judgement."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Literal, NamedTuple

from replays.audit.bundle import Bundle
from replays.audit.checkpoint import Checkpoint
from replays.audit.dicechain import SERVER
from replays.audit.findings import Finding
from replays.audit.merkle import Frontier, leaf_hash
from replays.audit.note import Note, parsed
from replays.audit.unproven import Unproven
from replays.audit.verify.line import Line
from replays.audit.verify.policy import Policy
from replays.audit.verify.trail import Trail


class Case:
    """A bundle and a policy; `trail`, `first` and `closed` run along while the entries are read."""

    def __init__(self, bundle: Bundle, policy: Policy) -> None:
        self.bundle = bundle
        self.policy = policy
        self.trail = Trail()
        self.first: Line | None = None
        self.closed = False

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


class Step:
    """A batch, its `head`, and the `trail` as it was before it."""

    __slots__ = ("_types", "batch", "case", "head", "trail")

    def __init__(self, case: Case, batch: Sequence[Line]) -> None:
        self.case = case
        self.trail = case.trail
        self.batch = batch
        self.head = batch[0]
        self._types = {line.type for line in batch}

    @property
    def voids(self) -> bool:
        """Whether the open roll is void: the service itself forfeits it, and commits to new dice."""
        head, behind = self.head, self.batch[1:2]
        forfeits = head.type == "RollForfeited" and head.body["party"] == SERVER
        return forfeits and any(line.type == "DiceAnchored" for line in behind)

    def only(self, types: AbstractSet[str]) -> bool:
        """Whether all entries of the batch are of these types."""
        return self._types <= types

    def of(self, *types: str) -> Iterator[Line]:
        """The entries of the batch of these types."""
        return iter(()) if self._types.isdisjoint(types) else (line for line in self.batch if line.type in types)


Findings = Iterator[Finding]
"""What a check finds, the first first."""

When = Literal["notes", "line", "batch", "end"]
"""When a check is made: on the whole file, on each entry, on each action, or after the last one."""


class Check(NamedTuple):
    """A check by its name.

    `notes` and `end` look at a `Case`, `line` at a `Case`, a line and the one before it, `batch` at a `Step`.
    """

    name: str
    when: When
    look: Callable[..., Findings]
