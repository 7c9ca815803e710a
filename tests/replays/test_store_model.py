"""The store against a plain dict that does the same: appends, branches, keys and windows, in any order."""

from contextlib import closing
from itertools import count
from typing import Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from replays.store import Beside, BranchRow, Conflict, KeyRow, KeyTaken, Sealed, Store

types: Final = st.sampled_from(["FigMoved", "HitRolled", "x/y"])
ends: Final = st.none() | st.integers(0, 15)
batches: Final = st.lists(st.tuples(types, st.integers(1, 3), st.binary(max_size=40)), min_size=1, max_size=4)


class StoreModel(RuleBasedStateMachine):
    def __init__(self, store: Store, run: int) -> None:
        super().__init__()
        self.store = store
        self.run = run
        self.lines: dict[str, list[Sealed]] = {}
        self.branches: dict[str, BranchRow] = {}
        self.keys: dict[str, KeyRow] = {}

    def new_battle(self) -> str:
        return f"{self.run:016x}{len(self.lines):016x}"

    def some_battle(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.lines)))

    @rule(data=st.data(), new=st.booleans(), batch=batches, late=st.integers(-1, 1), key=st.integers(0, 30))
    def append(self, data: st.DataObject, new: bool, batch: list[tuple[str, int, bytes]], late: int, key: int) -> None:
        battle = self.some_battle(data) if self.lines and not new else self.new_battle()
        line = self.lines.get(battle, [])
        entries = [Sealed(len(line) + late + n, *entry) for n, entry in enumerate(batch, 1)]
        row = KeyRow(str(self.run), "referee", str(key), b"d", battle, len(line) + 1)
        try:
            self.store.append(battle, entries, Beside(key=row))
        except KeyTaken:
            assert row.key in self.keys
        except Conflict:
            assert late
            assert row.key not in self.keys
        else:
            assert not late
            assert row.key not in self.keys
            self.keys[row.key] = row
            self.lines[battle] = line + entries

    @precondition(lambda self: self.lines)
    @rule(data=st.data(), at=st.integers(0, 12), batch=batches)
    def branch(self, data: st.DataObject, at: int, batch: list[tuple[str, int, bytes]]) -> None:
        parent, battle = self.some_battle(data), self.new_battle()
        row = BranchRow(battle, parent, at)
        entries = [Sealed(at + n, *entry) for n, entry in enumerate(batch, 1)]
        try:
            self.store.append(battle, entries, Beside(branch=row))
        except Conflict:
            assert not 1 <= at <= len(self.lines[parent])
        else:
            self.lines[battle] = self.lines[parent][:at] + entries
            self.branches[battle] = row

    @precondition(lambda self: self.lines)
    @rule(data=st.data(), after=st.integers(0, 15), upto=ends, limit=ends)
    def read(self, data: st.DataObject, after: int, upto: int | None, limit: int | None) -> None:
        battle = self.some_battle(data)
        assert self.store.read(battle, after, upto, limit) == self.lines[battle][after:upto][:limit]

    @invariant()
    def all_is_as_told(self) -> None:
        for battle, line in self.lines.items():
            assert self.store.read(battle) == line
            assert self.store.head(battle) == len(line)
            assert self.store.branch_of(battle) == self.branches.get(battle)
            children = [row for row in self.branches.values() if row.parent == battle]
            assert self.store.branches(battle) == sorted(children, key=lambda row: (row.at, row.battle))
        for key, row in self.keys.items():
            assert self.store.key(str(self.run), "referee", key) == row


@pytest.mark.parametrize(("database", "examples"), [("memory", 60), ("postgres", 25)])
def test_any_use_of_a_store_is_as_told(database: str, examples: int, request: pytest.FixtureRequest) -> None:
    where = request.getfixturevalue("postgres") if database == "postgres" else ":memory:"
    runs = count()
    with closing(Store.open(where)) as store:

        class Here(StoreModel):
            def __init__(self) -> None:
                super().__init__(store, next(runs))

        run_state_machine_as_test(Here, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None))
