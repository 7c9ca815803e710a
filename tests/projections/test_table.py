"""The table view: what stands on the table, in inches, as the contract names it."""

from dataclasses import fields
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest

from domain.measures import facing_of
from domain.policy import MfdPolicy, NmePolicy
from domain.refusals import Refused
from domain.words import Inches
from projections.casualties import casualty_report
from projections.desk import desk_row
from projections.figs import fig_view
from projections.sentences import sentence
from projections.strength import side_states
from projections.table import LENGTHS, table_view
from projections.turns import turn_history
from projections.view import View, degrees
from projections.why import why
from tests.projections.fields import bricks, gang, shot
from tests.projections.tale import AWAY, HOME, Tale


def test_a_fresh_table_says_all_that_the_muster_fixed() -> None:
    tale = Tale(gang(policy={"recovery_friend_within": 3}))
    shown = table_view(HOME, tale.record).model_dump(mode="json")
    assert shown["id"] == HOME
    assert (shown["system"], shown["rules"], shown["title"]) == ("nme", "nme.1", "Toll Bridge")
    assert (shown["seq"], shown["turn"], shown["phase"], shown["side"]) == (7, 1, "recovery", "red")
    assert (shown["status"], shown["winner"]) == ("playing", "")
    assert shown["table"] == {"width": 48.0, "height": 36.0}
    assert shown["tags"] == {"event": "Autumn Cup", "round": "2", "table": "7"}
    assert (shown["policy"]["recovery_friend_within"], shown["policy"]["tape_tolerance"]) == (3.0, 1.0)
    assert shown["policy"]["recovery_friend_excludes"] == ["juve", "down"]
    assert shown["dice"] == {"mode": "table", "epoch": -1, "used": 0, "undone_dice": 0}
    assert (shown["branch"], shown["what_if"], shown["undo_request"], shown["disputes"]) == (False, None, None, [])
    assert shown["sides"]["red"] == {
        "name": "House Red",
        "start": 2,
        "left": 2,
        "last_ditch": False,
        "conceded": False,
    }


def test_a_fig_is_shown_in_inches_and_degrees() -> None:
    tale = Tale(gang())
    tale.act("red", do="move", fig="red-1", to={"x": 10.5, "y": 21.125}, pace="walk")
    tale.act("red", do="turn", fig="red-1", facing=45)
    fig = table_view(*tale.log).figs["red-1"]
    assert (fig.x, fig.y, fig.base) == (10.5, 21.125, 1.0)
    assert (fig.moved, fig.pace) == (1.232, "walk")
    assert (fig.facing.degrees, fig.facing.x, fig.facing.y) == (45, facing_of(45).x, facing_of(45).y)
    assert fig.profile.model_dump() == {
        "system": "nme",
        "bs": 3,
        "initiative": 3,
        "move": 4.0,
        "run": 8.0,
        "charge": 8.0,
        "leader": True,
        "juve": False,
    }
    assert [(w.id, w.usable) for w in fig.weapons] == [("autogun", True), ("flamer", True)]
    assert fig.weapons[0].model_dump()["er"] == 15.0


def test_a_failed_weapon_is_shown_as_useless() -> None:
    tale = Tale(gang())
    tale.act("red", do="shoot", fig="red-1", weapon="autogun", target="blue-1", dice=[1, 1])
    assert [(w.id, w.usable) for w in table_view(*tale.log).figs["red-1"].weapons] == [
        ("autogun", False),
        ("flamer", True),
    ]


def test_a_minifig_shows_its_aim_and_an_object_counts_for_nobody() -> None:
    tale = Tale(bricks())
    tale.act("red", do="aim", fig="r1", target="b1")
    table = table_view(*tale.log)
    assert table.figs["r1"].model_dump()["aim"] == {"target": "b1", "turns": 1}
    assert table.figs["hut"].profile.model_dump()["height"] == 16
    assert (table.sides["red"].start, table.sides["red"].left) == (2, 2)


def test_a_fig_that_is_out_counts_no_longer_and_one_that_is_pinned_does() -> None:
    tale = Tale(gang())
    tale.rule({"fig": "boss", "field": "status", "value": "out"})
    tale.rule({"fig": "blue-1", "field": "status", "value": "pinned"})
    assert side_states(tale.record.battle)["blue"].left == 1


def test_hits_that_wait_for_a_report_are_shown() -> None:
    tale = Tale(gang(policy={"injury": "reported_by_players"}))
    shot(tale, 5, 5, 5)
    (wound,) = table_view(*tale.log).figs["blue-1"].injuries
    assert wound.model_dump() == {
        "by": "red-1",
        "weapon": "autogun",
        "strength": 3,
        "critical": False,
        "origin": {"x": 10.0, "y": 20.0},
        "distance": 12.0,
    }


def test_terrain_is_shown_in_inches() -> None:
    points = [{"x": 1.5, "y": 2}, {"x": 4, "y": 2}]
    tale = Tale(gang(terrain=[{"id": "w1", "kind": "wall", "points": points, "cover": "cover"}]))
    (wall,) = table_view(*tale.log).terrain
    assert wall.model_dump() == {
        "id": "w1",
        "kind": "wall",
        "points": ({"x": 1.5, "y": 2.0}, {"x": 4.0, "y": 2.0}),
        "cover": "cover",
    }


def test_the_docket_is_shown_until_it_is_settled() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    asked = tale.undo(fired, "red", "wrong fig")
    opened = tale.dispute("blue", fired)
    table = table_view(*tale.log)
    assert table.undo_request is not None
    assert table.undo_request.model_dump() == {
        "number": 1,
        "what": "undo",
        "by": "red",
        "to_before": fired,
        "head": table.head,
        "ask": ("blue",),
        "agreed": (),
        "reason": "wrong fig",
        "seq": asked,
    }
    assert [(d.dispute, d.about, d.by, d.seq) for d in table.disputes] == [(1, fired, "side:blue", opened)]
    tale.answer("blue")
    tale.settle(1, "blue", withdrawn=True)
    settled = table_view(*tale.log)
    assert settled.undo_request is None
    assert settled.disputes == ()
    assert settled.dice.undone_dice == 5


def test_a_what_if_is_marked_and_has_no_tags() -> None:
    tale = Tale(gang())
    moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    branch = tale.branch(moved - 1, title="Had Sarge stayed")
    table = table_view(*branch.log)
    assert (table.branch, table.title, table.id, table.tags) == (True, "Had Sarge stayed", AWAY, {})
    assert table.what_if is not None
    assert table.what_if.model_dump() == {"parent": HOME, "at": 7, "head": len(tale.entries), "dice": "fresh"}
    assert table.figs["red-1"].x == 10


def test_the_end_and_the_close_are_told_apart() -> None:
    tale = Tale(gang())
    tale.act("referee", do="end_battle", winner="red")
    ended = table_view(*tale.log)
    tale.close()
    assert (ended.status, ended.winner, table_view(*tale.log).status) == ("ended", "red", "closed")


def test_the_last_entry_is_told_where_the_log_is_at_hand() -> None:
    tale = Tale(gang())
    assert table_view(HOME, tale.record).last is None
    muster = table_view(*tale.log).last
    assert muster is not None
    assert muster.sentence == "The recovery phase begins."
    tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    moved = table_view(*tale.log).last
    assert moved is not None
    assert (moved.seq, moved.actor, moved.type) == (len(tale.entries), "side:red", "FigMoved")
    assert moved.sentence == 'Sarge (red-1) walks 2" to (12, 20) from (10, 20).'
    tale.dispute("blue", 1)
    disputed = table_view(*tale.log).last
    assert disputed is not None
    assert disputed.sentence == sentence(tale.record.battle, tale.entries[-1].body)
    cut = table_view(*tale.upto(moved.seq - 1)).last
    assert cut is not None
    assert (cut.seq, cut.type) == (moved.seq - 1, "PhaseStarted")


@pytest.mark.parametrize("policy", [NmePolicy, MfdPolicy])
def test_every_switch_that_is_a_length_is_shown_in_inches(policy: type[NmePolicy | MfdPolicy]) -> None:
    hints = get_type_hints(policy, include_extras=True)
    lengths = {f.name for f in fields(policy) if _is_length(hints[f.name])}
    assert lengths == LENGTHS & set(hints)


def _is_length(hint: object) -> bool:
    """Whether a type is `Inches`, with whatever stands round it."""
    mark = get_args(Inches)[1]
    if get_origin(hint) is Annotated and mark in get_args(hint):
        return True
    return any(_is_length(part) for part in get_args(hint) if get_origin(part) is Annotated)


def test_every_whole_degree_is_shown_as_it_was_said() -> None:
    assert [degrees(facing_of(whole)) for whole in range(360)] == list(range(360))


class TestFigView:
    def test_tells_what_made_a_fig_as_it_is(self) -> None:
        tale = Tale(gang())
        missed = shot(tale, 6, 5, 2, 1)
        tale.act("red", do="end_turn")
        tale.act("blue", do="end_turn")
        found = fig_view(*tale.log, "blue-1")
        assert found.state.status == "active"
        assert [made.type for made in found.made_by] == ["FigMustered", "FigPinned", "FigRecovered"]
        assert found.made_by[1].action == missed
        assert found.made_by[1].sentence.startswith("Ganger (blue-1) is pinned to the ground")

    def test_leaves_out_what_was_struck_out(self) -> None:
        tale = Tale(gang())
        wrong = tale.act("red", do="move", fig="red-1", to={"x": 13, "y": 20})
        tale.undo(wrong, "red")
        right = tale.act("red", do="move", fig="red-1", to={"x": 11, "y": 20})
        assert [made.action for made in fig_view(*tale.log, "red-1").made_by] == [1, right]

    def test_ends_with_the_record_it_is_given(self) -> None:
        tale = Tale(gang())
        tale.act("red", do="move", fig="red-1", to={"x": 13, "y": 20})
        found = fig_view(*tale.upto(7), "red-1")
        assert (found.seq, found.state.x, len(found.made_by)) == (7, 10, 1)

    def test_a_ruling_is_part_of_the_story(self) -> None:
        tale = Tale(gang())
        ruled = tale.rule({"fig": "boss", "field": "hidden", "value": True})
        assert fig_view(*tale.log, "boss").made_by[-1].seq == ruled

    def test_an_unknown_fig_is_not_found(self) -> None:
        tale = Tale(gang())
        with pytest.raises(Refused) as caught:
            fig_view(*tale.log, "nobody")
        assert caught.value.refusal.kind == "not-found"
        assert "boss" in caught.value.refusal.legal


def test_every_answer_reads_back_from_its_json() -> None:
    tale = Tale(gang())
    fired = shot(tale, 6, 5, 2, 1)
    tale.dispute("blue", fired)
    tale.undo(fired, "red")
    log = tale.log
    answers: list[View] = [
        table_view(*log),
        fig_view(*log, "blue-1"),
        casualty_report(*log),
        turn_history(*log),
        why(tale.entries, len(tale.entries)),
        desk_row(log.battle, log.record),
    ]
    for answer in answers:
        assert type(answer).model_validate_json(answer.model_dump_json()) == answer
        assert type(answer).model_json_schema(mode="serialization")["additionalProperties"] is False


def test_views_are_frozen_and_closed() -> None:
    table = table_view(*Tale(bricks()).log)
    with pytest.raises(ValueError, match="frozen"):
        table.turn = 9  # type: ignore[misc]
    with pytest.raises(ValueError, match="Extra"):
        type(table.dice)(mode="table", epoch=0, used=0, undone_dice=0, more=1)  # type: ignore[call-arg]
