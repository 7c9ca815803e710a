"""A short history that really happened, told by a diary, for tests of the checker. Law: untouched, it is without fault.

A referee on a store in memory plays; who asked, when, and what was answered is written as clients write it. Tests then
change a line of the diary or of the log, as a service would that does wrong.
"""

from itertools import count
from typing import Any

from replays.referee import Receipt
from tests.history.diary import digest
from tests.history.justified import unjustified
from tests.history.laws import Finding, findings
from tests.history.logs import Log
from tests.history.past import Line, told
from tests.history.whole import table_digest, whole
from tests.laws.fields import bricks
from tests.laws.game import Game

END = {"do": "end_turn"}


class Tale:
    """Somebody plays a battle, and writes everything down."""

    def __init__(self) -> None:
        self.game = Game(bricks(title="opening"))
        self.lines: list[Line] = []
        self.branches: list[Game] = []
        self._clock = count(10, 10)
        body = self.game.log.splitlines()
        self.asks("opening", "battles", {"title": "opening"}, "spectator", battle="")
        self._told("opening", 1, len(body), digest(body))

    # --- what happens ----------------------------------------------------------------------------------------------

    def ends_turn(self, key: str, seat: str = "referee", *, heard: bool = True, times: int = 1) -> None:
        """The turn is ended, so many `times`; `heard` says whether the answer arrived."""
        self.asks(key, "actions", END, seat)
        for _ in range(times):
            self._done(key, self.game.act(seat.removeprefix("side:"), do="end_turn"), heard=heard)
            heard = False

    def rules(self, key: str, *, heard: bool = True, times: int = 1) -> None:
        """A ruling, likewise."""
        self.asks(key, "rulings", {"rule": "HOUSE", "reason": key, "changes": []})
        for _ in range(times):
            seq = self.game.rules(reason=key)
            self._done(key, Receipt(self.game.id, seq, seq, (self.game.log.splitlines()[-1],)), heard=heard)
            heard = False

    def parts(self, key: str) -> Game:
        """A branch of the battle as it is."""
        self.asks(key, "branches", {"title": key})
        branch = self.game.branch(title=key)
        self.branches.append(branch)
        self._told(key, branch.record.seq, branch.record.seq, digest(branch.log.splitlines()[-1:]), branch.id)
        return branch

    def asks(self, key: str, path: str, body: Any, seat: str = "referee", *, battle: str | None = None) -> None:
        """A request is sent."""
        about = {"path": path, "seat": seat, "key": key, "body": body}
        self._note("asks", battle=self.game.id if battle is None else battle, **about)

    def answers(self, key: str, status: int) -> None:
        """An answer that shows nothing."""
        self._note("told", key=key, status=status)

    def looks(self, who: str = "ann") -> None:
        """Somebody looks at the table."""
        since = next(self._clock)
        seen = {"seq": self.game.record.seq, "digest": table_digest(self.game.book, self.game.record.seq)}
        self._note("saw", who=who, battle=self.game.id, since=since, **seen)

    def follows(self, who: str = "bob") -> None:
        """Somebody gets the whole log, frame by frame."""
        self._note("follows", who=who, battle=self.game.id)
        for seq, line in enumerate(self.game.log.splitlines(), 1):
            self._note("frame", who=who, seq=seq, digest=digest([line]))

    def _done(self, key: str, receipt: Receipt, *, heard: bool) -> None:
        if heard:
            self._told(key, receipt.action, receipt.seq, digest(receipt.data))

    def _told(self, key: str, action: int, seq: int, shown: str, battle: str = "") -> None:
        what = {"battle": battle or self.game.id, "action": action, "seq": seq, "digest": shown}
        self._note("told", key=key, status=201, **what)

    def _note(self, what: str, **more: Any) -> None:
        self.lines.append({"t": next(self._clock), "what": what, "who": "cid", **more})

    # --- what is told of it ----------------------------------------------------------------------------------------

    @property
    def logs(self) -> dict[str, Log]:
        """The logs."""
        return {game.id: Log.of(game.id, game.log.splitlines()) for game in (self.game, *self.branches)}

    def line(self, what: str, key: str = "", nth: int = 0) -> Line:
        """A line of the diary, to be changed."""
        return [line for line in self.lines if line["what"] == what and line.get("key", key) == key][nth]

    def laws(self, logs: dict[str, Log] | None = None) -> set[str]:
        """Which laws the checker says were broken."""
        return {finding.law for finding in self.findings(logs)}

    def findings(self, logs: dict[str, Log] | None = None) -> list[Finding]:
        """The same, in full."""
        past, logs = told(self.lines), self.logs if logs is None else logs
        return [*findings(past, logs), *unjustified(past, logs), *whole(past, logs)]
