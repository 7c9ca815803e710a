"""Casualties: who, by whom, with what, from where and how far, in which turn and entry; what was undone is no loss."""

import pytest

from domain import events as e
from projections.casualties import casualty_report
from projections.tally import Tally, summed
from tests.projections.fields import bricks, fire, gang, shot
from tests.projections.tale import Tale


def entry_of(tale: Tale, kind: type[e.Event]) -> int:
    """The seq of the latest entry of that kind."""
    return next(entry.seq for entry in reversed(tale.entries) if isinstance(entry.body, kind))


def test_a_loss_says_everything_about_itself() -> None:
    tale = Tale(gang())
    act = shot(tale, 5, 5, 5, 5)
    (loss,) = casualty_report(*tale.log).losses
    shown = loss.model_dump(exclude={"history"})
    assert shown == {
        "fig": "blue-1",
        "name": "Ganger",
        "side": "blue",
        "counts": True,
        "wounds": 0,
        "seq": entry_of(tale, e.FigDowned),
        "action": act,
        "time": act * 1000,
        "actor": "side:red",
        "turn": 1,
        "phase": "shooting",
        "status": "down",
        "cause": "injury",
        "rule": "INJURY-01",
        "reason": "",
        "by": "red-1",
        "by_side": "red",
        "weapon": "autogun",
        "place": {"x": 22.0, "y": 20.0},
        "origin": {"x": 10.0, "y": 20.0},
        "distance": 12.0,
        "friendly": False,
    }


def test_numbers_add_up_from_figs_to_sides_to_totals() -> None:
    tale = Tale(gang())
    shot(tale, 6, 5, 2, 1)  # pins Ganger by a near miss
    shot(tale, 1, 2, 3, 4, 1, 2, fig="red-2", target="boss", mode="aimed")
    report = casualty_report(*tale.log)
    assert report.figs["red-1"].tally == Tally(shots=1, near_misses=1, pins_caused=1)
    assert report.figs["red-2"].tally.shots == 1
    assert report.figs["blue-1"].tally == Tally(pins_suffered=1)
    assert report.sides["red"].tally == summed([report.figs["red-1"].tally, report.figs["red-2"].tally])
    assert report.totals == summed(side.tally for side in report.sides.values())
    assert (report.sides["blue"].active, report.sides["blue"].pinned, report.sides["blue"].in_play) == (1, 1, 2)


def test_a_critical_and_a_jam_are_counted() -> None:
    tale = Tale(gang())
    shot(tale, 6, 6, 6, 1, 1, 1, 1)  # three sixes reach 15" by themselves; injury 1 at strength 6 clips
    tale.act("red", do="shoot", fig="red-1", weapon="autogun", target="boss", dice=[1, 1])
    report = casualty_report(*tale.log)
    mine = report.figs["red-1"].tally
    assert (mine.shots, mine.hits, mine.criticals, mine.jams) == (2, 1, 1, 1)
    assert (mine.hits_dealt, mine.injury_rolls, mine.pins_caused) == (1, 1, 1)
    assert (report.figs["blue-1"].wounds, report.sides["blue"].wounds) == (1, 1)
    assert report.figs["red-1"].useless == ("autogun",)
    assert report.losses == ()


def test_a_cover_save_is_counted_for_who_was_saved() -> None:
    tale = Tale(gang())
    shot(tale, 5, 5, 5, 4, cover="cover")
    report = casualty_report(*tale.log)
    assert report.figs["blue-1"].tally == Tally(saves=1, pins_suffered=1)
    assert report.figs["red-1"].tally.hits_dealt == 0


def test_what_was_struck_out_is_no_loss_and_its_dice_are_a_number() -> None:
    tale = Tale(gang())
    fired = shot(tale, 5, 5, 5, 5)
    tale.undo(fired, "red")
    tale.answer("blue")
    report = casualty_report(*tale.log)
    assert report.losses == ()
    assert report.figs["blue-1"].history == ()
    assert report.totals == Tally()
    assert report.dice_undone == 6
    tale.redo()
    again = casualty_report(*tale.log)
    assert [loss.fig for loss in again.losses] == ["blue-1"]
    assert again.dice_undone == 0


def test_a_fig_that_went_down_and_then_out_is_one_loss_with_both_entries() -> None:
    tale = Tale(gang())
    first = shot(tale, 5, 5, 5, 5)
    tale.act("red", do="end_turn")
    tale.act("blue", do="end_turn")
    tale.rule({"fig": "blue-1", "field": "x", "value": 14})
    shot(tale, 6, 6, 5, 5, 5, 6, fig="red-2")  # 4.7" away, and down: twice as strong, iced
    report = casualty_report(*tale.log)
    (loss,) = report.losses
    assert (loss.status, loss.by, loss.turn) == ("out", "red-2", 3)
    assert [(entry.status, entry.by, entry.turn) for entry in loss.history] == [
        ("down", "red-1", 1),
        ("out", "red-2", 3),
    ]
    assert loss.history[0].action == first
    assert (report.figs["red-1"].tally.downs, report.figs["red-1"].tally.kills) == (0, 0)
    assert (report.figs["red-2"].tally.downs, report.figs["red-2"].tally.kills) == (0, 1)
    assert (report.sides["blue"].down, report.sides["blue"].out) == (0, 1)


def test_a_loss_by_ruling_has_the_referees_reason_and_no_culprit() -> None:
    tale = Tale(gang())
    ruled = tale.rule({"fig": "boss", "field": "status", "value": "out"}, reason="it left the table", rule="HOUSE")
    report = casualty_report(*tale.log)
    (loss,) = report.losses
    assert (loss.seq, loss.cause, loss.rule, loss.reason) == (ruled, "ruling", "HOUSE", "it left the table")
    assert loss.place.model_dump() == {"x": 30.0, "y": 20.0}
    assert (loss.by, loss.weapon, loss.origin, loss.distance, loss.friendly) == (None, None, None, None, False)
    assert report.totals.kills == 0


def test_a_fig_that_a_ruling_puts_back_is_no_loss_but_keeps_its_history() -> None:
    tale = Tale(gang())
    shot(tale, 5, 5, 5, 5)
    tale.rule({"fig": "blue-1", "field": "status", "value": "active"})
    report = casualty_report(*tale.log)
    assert report.losses == ()
    assert [entry.status for entry in report.figs["blue-1"].history] == ["down", "active"]
    assert report.figs["red-1"].tally.downs == 0


def test_a_ruling_that_pins_counts_as_a_pin_of_nobodys() -> None:
    tale = Tale(gang())
    tale.rule({"fig": "boss", "field": "status", "value": "pinned"})
    report = casualty_report(*tale.log)
    assert (report.figs["boss"].tally.pins_suffered, report.totals.pins_caused) == (1, 0)
    assert report.losses == ()


def test_friendly_fire_is_marked_and_is_no_kill() -> None:
    tale = Tale(gang())
    under = [{"fig": "red-2", "under": True}]
    point = {"x": 13, "y": 21}
    tale.act(
        "red", do="shoot", fig="red-1", weapon="flamer", point=point, touched=under, dice=[1, 2, 6]
    )  # strength 4, injury 6: iced
    report = casualty_report(*tale.log)
    (loss,) = report.losses
    assert (loss.fig, loss.friendly, loss.by_side, loss.distance) == ("red-2", True, "red", 2.5)
    mine = report.figs["red-1"].tally
    assert (mine.friendly_fire, mine.kills, mine.hits, mine.hits_dealt) == (1, 0, 0, 1)


def test_minifigs_fall_by_damage_and_objects_are_no_figs() -> None:
    tale = Tale(bricks())
    fire(tale, 6, 6)
    tale.act("red", do="end_turn")
    tale.act("blue", do="move", fig="b2", to={"x": 10, "y": 12})
    tale.rule({"fig": "b2", "field": "x", "value": 6}, {"fig": "b2", "field": "y", "value": 6})
    fire(tale, 6, 6, fig="b2", target="hut")
    report = casualty_report(*tale.log)
    man, hut = report.losses
    assert (man.fig, man.cause, man.rule, man.counts) == ("b1", "damage", "MFD-03", True)
    assert (hut.fig, hut.counts, hut.side) == ("hut", False, "red")
    assert (report.figs["b2"].tally.kills, report.figs["b2"].tally.objects) == (0, 1)
    assert (report.sides["red"].start, report.sides["red"].in_play, report.sides["red"].out) == (2, 2, 0)
    assert report.sides["blue"].out == 1
    assert report.totals.damage_rolls == report.totals.penetrations == 2


def test_a_melee_counts_blows_and_both_may_fall() -> None:
    tale = Tale(bricks())
    tale.act("red", do="end_turn")
    tale.act("blue", do="move", fig="b2", to={"x": 14, "y": 10})
    bouts = [{"fig": "b2", "target": "r2"}, {"fig": "r2", "target": "b2"}]
    tale.act("blue", do="fight", bouts=bouts, dice=[6, 6, 6, 6, 6])
    report = casualty_report(*tale.log)
    assert [(loss.fig, loss.by, loss.weapon) for loss in report.losses] == [("r2", "b2", "gun"), ("b2", "r2", None)]
    assert report.totals == Tally(blows=2, hits=2, hits_dealt=2, hits_taken=2, damage_rolls=2, penetrations=2, kills=2)


def test_the_report_of_an_earlier_entry_knows_nothing_of_later_ones() -> None:
    tale = Tale(gang())
    shot(tale, 6, 5, 2, 1)
    seq = len(tale.entries)
    shot(tale, 1, 2, 3, fig="red-2", target="boss")
    report = casualty_report(*tale.upto(seq))
    assert (report.seq, report.totals.shots, report.losses) == (seq, 1, ())


def test_a_what_if_reports_what_it_inherits_and_its_parent_does_not_report_the_what_if() -> None:
    tale = Tale(gang())
    shot(tale, 6, 5, 2, 1)
    branch = tale.branch(len(tale.entries))
    branch.rule({"fig": "boss", "field": "status", "value": "out"})
    assert casualty_report(*branch.log).totals.shots == 1
    assert [loss.fig for loss in casualty_report(*branch.log).losses] == ["boss"]
    assert casualty_report(*tale.log).losses == ()


@pytest.mark.parametrize("result", ["iced", "dropped"])
def test_an_injury_that_players_report_credits_the_shooter(result: str) -> None:
    tale = Tale(gang(policy={"injury": "reported_by_players"}))
    shot(tale, 5, 5, 5)
    tale.act("blue", do="injure", fig="blue-1", result=result)
    report = casualty_report(*tale.log)
    (loss,) = report.losses
    assert (loss.by, loss.weapon, loss.rule, loss.actor) == ("red-1", "autogun", "INJURY-02", "side:blue")
    assert report.figs["red-1"].tally.injury_rolls == 1
    assert (report.totals.kills, report.totals.downs) == ((1, 0) if result == "iced" else (0, 1))
