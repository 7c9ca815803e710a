"""The referee's word: rulings with before and after, disputes, and the closing of a battle."""

import pytest
from pydantic import ValidationError

from domain import events as e
from domain.contact import melee_of
from domain.measures import Vector
from domain.procedure import Resolution, Ruling
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body, Game, no


def ruling(game: Game) -> e.RulingMade:
    """The latest ruling."""
    made = [entry.body for entry in game.entries if isinstance(entry.body, e.RulingMade)]
    return made[-1]


# --- rulings ---


@pytest.mark.parametrize(
    ("field", "value", "before", "after"),
    [
        ("x", 8.5, 10_000, 8500),
        ("y", 0, 10_000, 0),
        ("facing", 180, {"x": 0, "y": 1_000_000}, {"x": -1_000_000, "y": 0}),
        ("status", "down", "active", "down"),
        (
            "weapon",
            {"id": "rusty", "usable": False},
            {"id": "rusty", "usable": True},
            {"id": "rusty", "usable": False},
        ),
        ("aim", {"target": "b1", "turns": 2}, None, {"target": "b1", "turns": 2}),
        ("hidden", True, False, True),
    ],
)
def test_a_ruling_keeps_before_and_after(field: str, value: object, before: object, after: object) -> None:
    game = Game(gangs())
    table = game.record.battle
    made = game.rules({"fig": "r1", "field": field, "value": value}, about=1)
    assert ruling(game) == e.RulingMade(1, "HOUSE", "so it is", (e.Change("r1", field, before, after),))  # type: ignore[arg-type]
    assert game.record.battle != table
    game.undo(made)
    assert game.record.battle is table


def test_rulings_do_as_they_say() -> None:
    game = Game(gangs())
    game.rules(
        {"fig": "r1", "field": "x", "value": 3},
        {"fig": "r1", "field": "y", "value": 4},
        {"fig": "r1", "field": "facing", "value": 180},
        {"fig": "r2", "field": "weapon", "value": {"id": "rusty", "usable": False}},
        {"fig": "b1", "field": "status", "value": "pinned"},
    )
    figs = game.record.battle.figs
    assert (figs["r1"].x, figs["r1"].y, figs["r1"].facing) == (3000, 4000, Vector(-1_000_000, 0))
    assert (figs["r2"].useless, figs["b1"].status, figs["b1"].pinned_turn) == (("rusty",), "pinned", 1)
    game.rules(
        {"fig": "r2", "field": "weapon", "value": {"id": "rusty", "usable": True}},
        {"fig": "b1", "field": "status", "value": "active"},
    )
    figs = game.record.battle.figs
    assert (figs["r2"].useless, figs["b1"].status, figs["b1"].pinned_turn) == ((), "active", 0)


def test_a_ruling_is_one_entry_however_much_it_changes() -> None:
    game = Game(gangs())
    before = game.record.seq
    game.rules({"fig": "r1", "field": "x", "value": 3}, {"fig": "r2", "field": "y", "value": 4})
    assert [entry.type for entry in game.entries[before:]] == ["RulingMade"]


def test_nobody_aims_any_longer_at_whom_a_ruling_takes_out() -> None:
    game = Game(bricks())
    game.does("red", do="aim", fig="r1", target="b1")
    game.rules({"fig": "b2", "field": "aim", "value": {"target": "r1", "turns": 1}})
    before = game.record.seq
    game.rules({"fig": "b1", "field": "status", "value": "out"})
    assert [entry.body for entry in game.entries[before + 1 :]] == [e.AimLost("r1", "b1", "target_lost")]
    assert game.record.battle.figs["r1"].aim is None


def test_whom_a_ruling_takes_out_neither_aims_nor_hides() -> None:
    game = Game(gangs())
    game.rules(
        {"fig": "r1", "field": "aim", "value": {"target": "b1", "turns": 1}},
        {"fig": "r1", "field": "hidden", "value": True},
    )
    game.rules({"fig": "r1", "field": "status", "value": "out"})
    out = game.record.battle.figs["r1"]
    assert (out.status, out.aim, out.hidden) == ("out", None, False)


def test_a_ruling_joins_and_parts_melees() -> None:
    game = Game(bricks())
    game.rules({"fig": "b1", "field": "y", "value": 11})
    assert isinstance(game.entries[-1].body, e.MeleeJoined)
    assert melee_of(game.record.battle, "r1") == ("b1", "r1")
    game.rules({"fig": "b1", "field": "status", "value": "out"})
    assert isinstance(game.entries[-1].body, e.MeleeLeft)
    assert melee_of(game.record.battle, "r1") == ()
    game.rules({"fig": "b1", "field": "status", "value": "active"})
    assert melee_of(game.record.battle, "r1") == ("b1", "r1")


def test_two_figs_may_change_places_in_one_ruling() -> None:
    game = Game(bricks())
    game.rules({"fig": "b1", "field": "x", "value": 14}, {"fig": "b2", "field": "x", "value": 10})
    assert [game.record.battle.figs[name].x for name in ("b1", "b2")] == [14_000, 10_000]


def test_a_fig_may_be_moved_on_both_axes_past_where_nobody_may_stand() -> None:
    game = Game(bricks())
    game.rules({"fig": "b1", "field": "y", "value": 10}, {"fig": "b1", "field": "x", "value": 20})
    assert game.record.battle.figs["b1"].at.x == 20_000


@pytest.mark.parametrize(
    ("change", "kind", "rule"),
    [
        ({"fig": "x1", "field": "x", "value": 1}, "invalid", "UNKNOWN"),
        ({"fig": "r1", "field": "x", "value": 10}, "invalid", "INVALID"),
        ({"fig": "r1", "field": "status", "value": "active"}, "invalid", "INVALID"),
        ({"fig": "r1", "field": "status", "value": "pinned"}, "invalid", "INVALID"),
        ({"fig": "r1", "field": "weapon", "value": {"id": "spoon", "usable": False}}, "invalid", "UNKNOWN"),
        ({"fig": "r1", "field": "weapon", "value": {"id": "gun", "usable": True}}, "invalid", "INVALID"),
        ({"fig": "r1", "field": "aim", "value": {"target": "x1", "turns": 1}}, "invalid", "UNKNOWN"),
        ({"fig": "r1", "field": "aim", "value": None}, "invalid", "INVALID"),
        ({"fig": "r1", "field": "x", "value": -1}, "rule-refused", "TABLE-01"),
        ({"fig": "r1", "field": "y", "value": 18}, "rule-refused", "TABLE-02"),
    ],
    ids=str,
)
def test_a_ruling_that_is_none_is_refused(change: Body, kind: str, rule: str) -> None:
    game = Game(bricks())
    log = game.log
    refusal = no(lambda: game.rules(change))
    assert (refusal.kind, refusal.rule) == (kind, rule)
    assert game.log == log


def test_a_fault_in_a_ruling_is_named_where_it_stands() -> None:
    game = Game(bricks())
    changes: list[Body] = [
        {"fig": "r1", "field": "x", "value": 9},
        {"fig": "r1", "field": "weapon", "value": {"id": "spoon", "usable": False}},
    ]
    refusal = no(lambda: game.rules(*changes))
    assert (refusal.pointer, refusal.legal) == ("/changes/1/value/id", ("gun",))
    assert no(lambda: game.rules(changes[0], {"fig": "x1", "field": "x", "value": 1})).pointer == "/changes/1/fig"


def test_not_even_who_is_out_lies_off_the_table() -> None:
    game = Game(bricks())
    out: Body = {"fig": "b1", "field": "status", "value": "out"}
    assert no(lambda: game.rules(out, {"fig": "b1", "field": "x", "value": -1})).rule == "TABLE-01"


def test_who_is_out_may_be_put_anywhere_and_comes_back_only_where_there_is_room() -> None:
    game = Game(bricks())
    game.rules({"fig": "b1", "field": "status", "value": "out"}, {"fig": "b1", "field": "x", "value": 14})
    assert no(lambda: game.rules({"fig": "b1", "field": "status", "value": "active"})).rule == "TABLE-02"


@pytest.mark.parametrize("who", ["red", "spectator"])
def test_only_the_referee_rules(who: str) -> None:
    assert no(lambda: Game(bricks()).rules(by=who)).kind == "forbidden"


def test_a_ruling_is_about_an_entry_that_is_there() -> None:
    game = Game(bricks())
    assert no(lambda: game.rules(about=game.record.seq + 1)).pointer == "/about"
    game.rules(about=game.record.seq)


def test_after_the_end_nothing_is_changed_but_notes_may_be_made() -> None:
    game = Game(bricks())
    game.does("referee", do="end_battle")
    assert no(lambda: game.rules({"fig": "r1", "field": "x", "value": 1})).kind == "battle-over"
    game.rules()


@pytest.mark.parametrize(
    "body",
    [
        {"changes": [{"fig": "r1", "field": "armour", "value": 9}]},
        {"changes": [{"fig": "r1", "field": "status", "value": "dead"}]},
        {"changes": [{"fig": "r1", "field": "facing", "value": 361}]},
        {"changes": [{"fig": "r1", "field": "hidden", "value": 1}]},
        {"changes": [{"fig": "r1", "field": "aim", "value": {"target": "b1", "turns": 0}}]},
        {"changes": [{"fig": "r1", "field": "aim", "value": {"target": "b1", "turns": 1001}}]},
        {"changes": [{"fig": "r1", "field": "x", "value": 1}] * 101},
        {"rule": ""},
        {"reason": ""},
        {"rule": "x" * 81},
        {"about": 0},
    ],
    ids=str,
)
def test_a_ruling_out_of_bounds_is_refused(body: Body) -> None:
    with pytest.raises(ValidationError):
        Ruling.model_validate({"rule": "HOUSE", "reason": "so it is"} | body)


def test_a_ruling_at_its_bounds_is_taken() -> None:
    aim = {"fig": "r1", "field": "aim", "value": {"target": "b1", "turns": 1000}}
    body = {"rule": "X", "reason": "y", "changes": [{"fig": "r1", "field": "x", "value": 1}] * 99 + [aim]}
    assert len(Ruling.model_validate(body).changes) == 100


# --- disputes ---


def test_disputes_are_numbered_and_open_until_settled() -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    game.dispute(2, by="referee")
    asked = game.record.docket.disputes
    assert [(d.dispute, d.about, d.by, d.status) for d in asked.values()] == [
        (1, 1, "side:red", "open"),
        (2, 2, "referee", "open"),
    ]


@pytest.mark.parametrize(
    ("who", "how"),
    [
        ("blue", {"agreed": True}),
        ("red", {"withdrawn": True}),
        ("referee", {"withdrawn": True}),
    ],
    ids=str,
)
def test_who_may_settle_a_dispute_and_how(who: str, how: Body) -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    game.resolve(1, by=who, **how)
    assert game.record.docket.disputes[1].status == next(iter(how))


@pytest.mark.parametrize(
    ("who", "how", "kind"),
    [
        ("red", {"agreed": True}, "forbidden"),
        ("referee", {"agreed": True}, "forbidden"),
        ("blue", {"withdrawn": True}, "forbidden"),
        ("red", {"ruling": 1}, "forbidden"),
        ("spectator", {"agreed": True}, "forbidden"),
        ("spectator", {"withdrawn": True}, "forbidden"),
        ("referee", {"ruling": 1}, "invalid"),
        ("referee", {"ruling": 9999}, "invalid"),
        ("referee", {}, "invalid"),
        ("referee", {"agreed": True, "withdrawn": True}, "invalid"),
    ],
    ids=str,
)
def test_who_may_not(who: str, how: Body, kind: str) -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    assert no(lambda: game.resolve(1, by=who, **how)).kind == kind


def test_who_agrees_is_the_side_whose_act_is_in_question() -> None:
    sides = [{"id": "red"}, {"id": "blue"}, {"id": "green"}]
    figs = [*bricks()["figs"], {"id": "g1", "side": "green", "x": 40, "y": 40}]
    game = Game(bricks() | {"sides": sides, "figs": figs})
    moved = game.act("red", do="end_phase").action
    game.dispute(moved, by="blue")
    assert no(lambda: game.resolve(1, by="green", agreed=True)).kind == "forbidden"
    game.resolve(1, by="red", agreed=True)
    closed = game.entries[-1].body
    assert isinstance(closed, e.DisputeClosed)
    assert (closed.how, closed.by) == ("agreed", "side:red")


def test_a_dispute_is_open_again_when_the_ruling_that_settled_it_is_undone() -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    made = game.rules({"fig": "r1", "field": "x", "value": 11})
    game.resolve(1, ruling=made)
    game.undo(made, reason="the wrong fig")
    undone = game.record.docket.disputes[1].status
    game.redo(reason="the right one after all")
    assert (undone, game.record.docket.disputes[1].status) == ("open", "ruling")


def test_a_battle_is_not_closed_over_an_open_dispute() -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    game.act(do="end_battle")
    assert no(game.close).rule == "DISPUTE-04"
    game.resolve(1, withdrawn=True)
    game.close()
    assert game.record.docket.closed


def test_a_dispute_is_settled_by_the_ruling_it_led_to() -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    made = game.rules()
    game.resolve(1, ruling=made)
    settled = game.record.docket.disputes[1]
    assert (settled.status, settled.ruling) == ("ruling", made)


def test_a_dispute_is_settled_once() -> None:
    game = Game(bricks())
    game.dispute(1, by="red")
    game.resolve(1, by="blue", agreed=True)
    assert no(lambda: game.resolve(1, withdrawn=True)).rule == "DISPUTE-03"
    assert no(lambda: game.resolve(2, withdrawn=True)).kind == "not-found"


def test_only_what_a_struck_ruling_settled_is_open_again() -> None:
    game = Game(bricks())
    first, second = (game.rules({"fig": "r1", "field": "x", "value": x}) for x in (11, 12))
    for number, made in ((1, first), (2, second)):
        game.dispute(1, by="red")
        game.resolve(number, ruling=made)
    game.dispute(1, by="red")

    def how() -> list[str]:
        return [dispute.status for dispute in game.record.docket.disputes.values()]

    game.undo(second)
    assert how() == ["ruling", "open", "open"]
    game.redo()
    assert how() == ["ruling", "ruling", "open"]


def test_spectators_dispute_nothing_and_nobody_what_is_not_there() -> None:
    game = Game(bricks())
    assert no(lambda: game.dispute(1, by="spectator")).kind == "forbidden"
    assert no(lambda: game.dispute(game.record.seq + 1)).pointer == "/about"


def test_a_hundred_disputes_may_be_open() -> None:
    game = Game(bricks())
    for _ in range(100):
        game.dispute(1)
    assert no(lambda: game.dispute(1)).rule == "DISPUTE-01"
    game.resolve(50, withdrawn=True)
    game.dispute(1)


def test_a_resolution_names_one_way_and_says_true() -> None:
    for body in ({"agreed": False}, {"ruling": 0}, {"ruling": "1"}, {"settled": True}):
        with pytest.raises(ValidationError):
            Resolution.model_validate(body)


# --- closing ---


def test_a_battle_is_closed_after_its_end_by_the_referee() -> None:
    game = Game(bricks())
    assert no(game.close).rule == "TURN-08"
    game.does("referee", do="end_battle")
    assert no(lambda: game.close(by="red")).kind == "forbidden"
    game.close()
    assert game.record.status == "closed"


def test_a_closed_battle_is_written_to_no_more() -> None:
    game = Game(bricks())
    end = game.does("referee", do="end_battle")
    game.dispute(1)
    game.resolve(1, withdrawn=True)
    game.close()
    log = game.log
    for asking in (
        lambda: game.does("referee", do="end_turn"),
        lambda: game.undo(end),
        game.redo,
        lambda: game.answer("blue", request=1),
        lambda: game.withdraw("red", request=1),
        game.rules,
        lambda: game.dispute(1),
        lambda: game.resolve(1, withdrawn=True),
        game.close,
    ):
        assert no(asking).kind == "battle-over"
    assert game.log == log


def test_closing_leaves_no_request_open() -> None:
    game = Game(bricks())
    shot = game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])
    game.undo(shot, by="red")
    game.does("referee", do="end_battle")
    game.close()
    assert game.record.docket.request is None
