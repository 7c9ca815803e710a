"""What stands open: chains, rolls that wait, undo requests. Law: values only; `trail` moves them, the checks read."""

from dataclasses import dataclass, field

from replays.audit.verify.line import Line


@dataclass(slots=True)
class Chain:
    """A party's chain: `link` number `opened` is the last that was opened (0: the anchor), `asked` the last asked."""

    seat: str
    party: int
    key: str
    epoch: int
    length: int
    link: bytes
    opened: int = 0
    asked: int = 0


@dataclass(slots=True)
class Waiting:
    """An action that waits for its dice: for links (`RollRequested`) or to be confirmed (`DiceTyped`)."""

    head: Line
    released: dict[int, bytes] = field(default_factory=dict)
    forfeited: set[int] = field(default_factory=set)
    contested: bool = False
    confirmed: list[int] | None = None

    @property
    def chain(self) -> bool:
        """Whether it waits for links."""
        return self.head.type == "RollRequested"

    def names(self, epoch: int, index: int) -> bool:
        """Whether the request names this link of the service."""
        return (epoch, index) == (self.head.body["epoch"], self.head.body["index"])

    @property
    def missing(self) -> list[int]:
        """The parties whose links are awaited: neither released nor forfeited."""
        parties: list[int] = self.head.body["parties"] if self.chain else []
        return [p for p in parties if p not in self.released and p not in self.forfeited]

    @property
    def ready(self) -> bool:
        """Whether its dice are all there."""
        return not self.missing if self.chain else self.confirmed is not None


@dataclass(slots=True)
class Consent:
    """An open undo request and who has agreed to what it shows now."""

    request: int
    agreed: set[str] = field(default_factory=set)
