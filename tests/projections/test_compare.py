"""Compare: where two lines part, and what differs between their tables; nothing that is the same is listed."""

from projections.compare import compare, last_common
from tests.projections.fields import bricks, gang, shot
from tests.projections.tale import AWAY, HOME, Tale


def parted() -> tuple[Tale, Tale]:
    """A battle and a what-if that parts right before a shot."""
    tale = Tale(gang())
    tale.act("red", do="move", fig="red-2", to={"x": 12, "y": 24})
    branch = tale.branch(len(tale.entries))
    shot(tale, 6, 5, 2, 1)
    return tale, branch


def test_a_battle_differs_from_itself_in_nothing() -> None:
    tale, _ = parted()
    found = compare(tale.log, tale.log)
    assert (found.parted_at, found.same_table) == (len(tale.entries), True)
    assert (found.table, found.sides, found.figs) == ((), {}, {})
    assert (found.a.entries_after, found.b.entries_after) == (0, 0)


def test_a_branch_parts_where_it_was_opened() -> None:
    tale, branch = parted()
    found = compare(tale.log, branch.log)
    assert found.parted_at == branch.record.floor - 1
    assert (found.a.battle, found.b.battle, found.b.title) == (HOME, AWAY, "What if")
    assert (found.a.entries_after, found.b.entries_after) == (len(tale.entries) - found.parted_at, 1)


def test_only_what_differs_of_a_fig_is_listed() -> None:
    tale, branch = parted()
    branch.act("red", do="shoot", fig="red-1", weapon="autogun", target="blue-1", dice=[1, 1])
    branch.rule({"fig": "boss", "field": "x", "value": 31.5})
    found = compare(tale.log, branch.log)
    assert {name: [d.model_dump() for d in fig.differs] for name, fig in found.figs.items()} == {
        "red-1": [{"field": "useless", "a": (), "b": ("autogun",)}],
        "blue-1": [{"field": "status", "a": "pinned", "b": "active"}],
        "boss": [{"field": "x", "a": 30.0, "b": 31.5}],
    }
    assert (found.figs["blue-1"].name, found.figs["blue-1"].side) == ("Ganger", "blue")
    assert (found.table, found.sides, found.same_table) == ((), {}, False)


def test_turns_sides_and_casualties_are_compared() -> None:
    tale, branch = parted()
    branch.rule({"fig": "blue-1", "field": "status", "value": "out"})
    branch.act("red", do="end_turn")
    found = compare(tale.log, branch.log)
    assert [d.model_dump() for d in found.table] == [
        {"field": "turn", "a": 1, "b": 2},
        {"field": "side", "a": "red", "b": "blue"},
        {"field": "phase", "a": "shooting", "b": "recovery"},
    ]
    assert {side: [d.model_dump() for d in differs] for side, differs in found.sides.items()} == {
        "blue": [{"field": "left", "a": 2, "b": 1}]
    }
    blue, red = found.casualties["blue"], found.casualties["red"]
    assert blue.a is not None
    assert blue.b is not None
    assert (blue.a.pinned, blue.a.out, blue.b.pinned, blue.b.out) == (1, 0, 0, 1)
    assert red.a is not None
    assert red.b is not None
    assert (red.a.tally.shots, red.b.tally.shots) == (1, 0)


def test_two_battles_of_their_own_share_nothing() -> None:
    found = compare(Tale(gang()).log, Tale(bricks(), battle=AWAY).log)
    assert found.parted_at == 0
    assert found.table[0].model_dump() == {"field": "system", "a": "nme", "b": "mfd"}
    assert set(found.figs) == {"red-1", "red-2", "blue-1", "boss", "r1", "r2", "hut", "b1", "b2"}
    assert [d.a for d in found.figs["r1"].differs if d.field == "status"] == [None]


def test_the_same_words_in_another_battle_are_no_common_past() -> None:
    assert last_common(Tale(gang()).entries, Tale(gang(), battle=AWAY).entries) == 0
    assert last_common(Tale(gang()).entries, Tale(gang()).entries) == 7
