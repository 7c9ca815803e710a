"""Undo against a naive oracle. It knows one thing only: what was undone was never typed.

Both systems are played at random, with undo, redo, requests, answers and rulings, through a real referee and store. The
oracle keeps the requests that survive, with their dice, and types them again on a fresh battle.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from domain import events as e
from domain.entry import Entry
from domain.record import line_of
from domain.refusals import Refused
from domain.timeline import batches, effective, recorded
from replays.codec import Fingerprint
from replays.examine import examine
from replays.referee import Receipt
from tests.laws.fields import COLOURS
from tests.laws.game import Body, Game, effort, seat
from tests.laws.play import attempt, next_idea, skirmish

seeds = st.integers(0, 2**16)
seats = st.sampled_from(["referee", *COLOURS])
words = st.sampled_from(
    ["play"] * 4 + ["undo"] * 4 + ["redo"] * 3 + ["withdraw", "refuse", "rule", "butt_in", "give_up"],
)
"""What is asked next. Where a request is open it is mostly the answer to that: yes, unless it is a no."""


class Typed(NamedTuple):
    """What somebody typed, an action with its dice or a ruling's change, and the seq under which it stands."""

    seq: int
    by: str
    command: Body | None
    change: Body | None


def facts(entries: Sequence[Entry]) -> list[e.Event]:
    """What happened on the table: without procedure, and without how it is numbered."""
    told: list[e.Event] = []
    for batch in batches(effective(entries)):
        head = batch[0].body
        if isinstance(head, e.BattleStarted | e.ActionDeclared) or (isinstance(head, e.RulingMade) and head.changes):
            told += [entry.body for entry in batch]
    return told


def retyped(body: Body, line: Sequence[Typed]) -> Game:
    """A battle in which only this was ever typed."""
    game = Game(body)
    for typed in line:
        if typed.command is not None:
            game.act(typed.by, **typed.command)
        elif typed.change is not None:
            game.rules(typed.change)
    return game


class UndoModel(RuleBasedStateMachine):
    """Play with undo, and the oracle beside it."""

    @initialize(
        system=st.sampled_from(["nme", "mfd"]),
        count=st.sampled_from([2, 3]),
        reported=st.booleans(),
        some=st.lists(seeds, min_size=3, max_size=12),
    )
    def open(self, system: str, count: int, reported: bool, some: list[int]) -> None:
        policy = {"injury": "reported_by_players"} if reported and system == "nme" else {}
        self.body = skirmish(system, count, undo_requests=100, **policy)
        self.game = Game(self.body)
        self.line: list[Typed] = []
        self.undone: list[list[Typed]] = []
        for seed in some:
            self.play(seed)

    @rule(some=st.lists(st.tuples(words, seeds, seats), min_size=3, max_size=9))
    def go_on(self, some: list[tuple[str, int, str]]) -> None:
        for word, n, by in some:
            request = self.game.record.docket.request
            if word in ("play", "butt_in", "give_up") and self.game.record.status != "playing":
                self.reopen()
            elif word == "play":
                self.play(n)
            elif word == "rule":
                self.rule_on(n)
            elif word == "butt_in":
                self.butt_in(n, by)
            elif word == "give_up" and n % 4 == 0:
                self.give_up(by)
            elif request is not None and n % 4:
                self.answer(word, by)
            elif word == "redo" or (self.undone and n % 2):
                self.try_it(partial(self.game.redo, by, "after all" if n % 5 else ""))
            elif self.line:
                first = self.line[-1 - n % min(6, len(self.line))].seq
                self.try_it(partial(self.game.undo, first, by, "in error" if n % 5 else ""))

    # --- what people do ----------------------------------------------------------------------------------------------

    def play(self, seed: int) -> None:
        if self.game.record.status != "playing":
            return
        table = self.game.record.battle
        idea = next_idea(table, seed)
        by = "referee" if seed % 3 == 0 or idea.get("waive") else table.side
        found = attempt(table, idea, seed, seat(by))
        assert found is not None
        decision, dice = found
        idea |= {"dice": list(dice)} if dice else {}
        self.type_it(partial(self.game.does, by, **idea), by, idea, None)
        assert self.game.record.battle == decision.battle

    def butt_in(self, seed: int, by: str) -> None:
        table, before = self.game.record.battle, self.game.record.seq
        idea = next_idea(table, seed)
        if by not in ("referee", table.side) and idea["do"] != "injure":
            self.try_it(partial(self.game.act, by, **idea))
            assert self.game.record.seq == before
        self.try_it(partial(self.game.dispute, 1, by))

    def rule_on(self, n: int) -> None:
        figs = list(self.game.record.battle.figs)
        what: Body = {"field": "status", "value": "out"} if n % 2 else {"field": "x", "value": 1 + n % 22}
        change = {"fig": figs[n % len(figs)]} | what
        self.type_it(partial(self.game.rules, change), "referee", None, change)

    def give_up(self, by: str) -> None:
        command: Body = {"do": "end_battle"} if by == "referee" else {"do": "concede", "side": by}
        self.type_it(partial(self.game.does, by, **command), by, command, None)

    def reopen(self) -> None:
        self.try_it(partial(self.game.undo, self.line[-1].seq))

    def answer(self, word: str, by: str) -> None:
        request = self.game.record.docket.request
        assert request is not None
        if word == "withdraw":
            self.try_it(partial(self.game.withdraw, by))
            return
        waiting = next((side for side in request.ask if side not in request.agreed), by)
        head = request.head if word == "redo" else None
        self.try_it(partial(self.game.answer, waiting, agree=word != "refuse", head=head))

    # --- what becomes of it ------------------------------------------------------------------------------------------

    def type_it(self, asking: Callable[[], int], by: str, command: Body | None, change: Body | None) -> None:
        """Ask for something new. A refusal leaves the log byte for byte as it was."""
        log = self.game.log
        try:
            seq = asking()
        except Refused:
            assert self.game.log == log
        else:
            self.line.append(Typed(seq, by, command, change))
            self.undone.clear()

    def try_it(self, asking: Callable[[], Receipt]) -> None:
        """Ask for procedure, and compare where that moved the line."""
        before, log = self.game.record.seq, self.game.log
        try:
            asking()
        except Refused:
            assert self.game.log == log
        assert self.game.log.startswith(log)
        for entry in self.game.entries[before:]:
            match entry.body:
                case e.ActionsUndone(to_before=first):
                    cut = next(n for n, typed in enumerate(self.line) if typed.seq == first)
                    self.undone.append(self.line[cut:])
                    del self.line[cut:]
                    self.compare()
                case e.ActionsRestored():
                    self.line += self.undone.pop()
                    self.compare()
                case _:
                    pass

    def compare(self) -> None:
        """The oracle agrees on the line, on what happened on it, and on the table."""
        assert [act.seq for act in line_of(self.game.record)] == [typed.seq for typed in self.line]
        oracle = retyped(self.body, self.line)
        assert facts(self.game.entries) == facts(oracle.entries)
        assert Fingerprint().of(self.game.record.battle) == Fingerprint().of(oracle.record.battle)

    def teardown(self) -> None:
        """Law 5: the log replays, and so does any prefix of it; the state on each line is of the table after it."""
        if not hasattr(self, "game"):
            return
        self.compare()
        entries, fingerprint = self.game.entries, Fingerprint()
        whole = recorded(None, entries)
        assert (whole.battle, whole.docket) == (self.game.record.battle, self.game.record.docket)
        for n, entry in enumerate(entries, start=1):
            assert fingerprint.of(self.game.book.record_at(n).battle) == entry.state
            assert recorded(None, entries[:n]).seq == n
        # Law 2: decided again from its own requests and dice, every battle that was played gives the same entries.
        assert examine(self.game.book.data()).findings == ()


UndoModel.TestCase.settings = effort(60, stateful_step_count=6)
TestUndoModel = UndoModel.TestCase
