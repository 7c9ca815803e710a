"""Moves: MFD-08, the objects of MFD-16, contact of MFD-21, and what MFD-26 wants to know of a move."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events import AimLost, FigMoved, MeleeJoined, MeleeLeft
from domain.measures import Point, squared
from domain.systems.mfd.movement import advances
from tests.domain.mfd.field import BLUE, END_PHASE, END_TURN, RED, ROUND, aim, field, fig, shot, to
from tests.spec import inches, kinds, only, played, refused, when


def lone(**more: object) -> list[dict[str, object]]:
    return [fig("red-1", 10, 10, "pistol", **more), fig("blue-1", 40, 40)]


@pytest.mark.parametrize(
    ("y", "pace", "recorded"),
    [(15, None, "walk"), (15.001, None, "run"), (20, "run", "run"), (13, "run", "walk"), (15, "walk", "walk")],
)
def test_mfd_08_the_band_follows_the_inches_whatever_pace_was_said(y: float, pace: str | None, recorded: str) -> None:
    moved = only(when(field(*lone()), **to("red-1", 10, y, pace=pace)), FigMoved)
    way = inches(y) - 10_000
    assert (moved.pace, moved.inches, moved.measured, moved.total) == (recorded, way, way, way)
    assert (moved.start, moved.to) == (Point(10_000, 10_000), Point(10_000, inches(y)))


def test_mfd_08_a_charge_is_a_run_that_says_so() -> None:
    assert only(when(field(*lone()), **to("red-1", 10, 12, pace="charge")), FigMoved).pace == "charge"
    assert refused(field(*lone()), **to("red-1", 10, 20.001, pace="charge")).rule == "MFD-08"


def test_mfd_08_a_walk_stays_within_five_inches_and_the_figs_move() -> None:
    assert refused(field(*lone()), **to("red-1", 10, 15.001, pace="walk")).legal == ('5" more',)
    assert refused(field(*lone(move=4)), **to("red-1", 10, 14.001, pace="walk")).legal == ('4" more',)
    assert refused(field(*lone(move=8)), **to("red-1", 10, 15.001, pace="walk")).rule == "MFD-08"


@pytest.mark.parametrize(("move", "cap"), [(5, 10), (8, 10), (4, 8), (2.5, 5), (0, 0)])
def test_mfd_08_the_cap_is_ten_inches_or_twice_the_move(move: float, cap: float) -> None:
    battle = field(*lone(move=move))
    no = refused(battle, **to("red-1", 10, 10.001 + cap))
    assert (no.rule, no.legal) == ("MFD-08", (f'{cap:g}" more',))
    if cap:
        assert when(battle, **to("red-1", 10, 10 + cap)).battle.fig("red-1").moved == inches(cap)


def test_mfd_08_the_moves_of_a_turn_add_up() -> None:
    battle = played(field(*lone()), to("red-1", 10, 14), to("red-1", 13, 14))
    assert (battle.fig("red-1").moved, battle.fig("red-1").pace) == (7000, "run")
    assert refused(battle, **to("red-1", 13, 17.001)).legal == ('3" more',)
    assert when(battle, **to("red-1", 13, 17)).battle.fig("red-1").moved == 10_000
    fresh = played(battle, *ROUND)
    assert (fresh.fig("red-1").moved, fresh.fig("red-1").pace) == (0, "still")


def test_mfd_08_inches_may_count_more_than_the_straight_line_never_less() -> None:
    battle = field(*lone())
    moved = only(when(battle, **to("red-1", 13, 14, inches=7.5)), FigMoved)
    assert (moved.inches, moved.measured, moved.total, moved.pace) == (7500, 5000, 7500, "run")
    no = refused(battle, **to("red-1", 13, 14, inches=4.999))
    assert (no.kind, no.pointer, no.legal) == ("invalid", "/inches", ("5",))
    assert refused(battle, **to("red-1", 13, 14, inches=10.001)).rule == "MFD-08"


def test_mfd_08_a_straight_line_counts_as_thou_rounded_up() -> None:
    assert only(when(field(*lone()), **to("red-1", 11, 11)), FigMoved).inches == 1415


def test_a_move_of_nothing_is_no_move() -> None:
    assert refused(field(*lone()), **to("red-1", 10, 10)).pointer == "/to"
    assert refused(field(*lone()), **to("red-1", 10, 10, inches=0)).pointer == "/to"
    assert when(field(*lone()), **to("red-1", 10, 10, inches=2)).battle.fig("red-1").moved == 2000


def test_a_fig_stays_on_the_table_and_off_others() -> None:
    battle = field(fig("red-1", 5, 5), fig("red-2", 8, 5), fig("blue-1", 30, 30))
    assert refused(battle, **to("red-1", -0.001, 5)).rule == "TABLE-01"
    assert refused(battle, **to("red-1", 7.5, 5)).rule == "TABLE-02"
    when(battle, **to("red-1", 7, 5))


def test_mfd_16_objects_do_not_move() -> None:
    battle = field(fig("red-1", 5, 5), fig("red-wall", 8, 5, kind="object"), fig("blue-1", 30, 30))
    assert refused(battle, **to("red-wall", 9, 5)).rule == "MFD-16"


def test_cover_is_not_said_with_a_move() -> None:
    assert refused(field(*lone()), **to("red-1", 10, 12, cover="partial")).pointer == "/cover"


@pytest.mark.parametrize("command", [{"do": "turn", "facing": 90}, {"do": "hide"}, {"do": "recover"}])
def test_turning_hiding_and_recovering_are_not_of_this_system(command: dict[str, object]) -> None:
    assert refused(field(*lone()), fig="red-1", **command).rule == "TURN-05"


def test_injuries_are_not_reported_in_this_system() -> None:
    assert refused(field(*lone()), do="injure", fig="red-1", result="iced").rule == "TURN-05"


def test_moves_belong_to_the_movement_phase_and_to_the_side_in_turn() -> None:
    battle = played(field(*lone()), END_PHASE)
    assert battle.phase == "shooting"
    assert refused(battle, **to("red-1", 10, 12)).rule == "TURN-02"
    assert refused(field(*lone()), **to("blue-1", 40, 38)).rule == "TURN-01"
    assert refused(field(*lone()), BLUE, **to("red-1", 10, 12)).kind == "not-your-fig"
    when(field(*lone()), RED, **to("red-1", 10, 12))


def test_mfd_21_a_move_into_contact_joins_a_melee_and_one_away_leaves_it() -> None:
    battle = field(fig("red-1", 5, 5), fig("blue-1", 8, 5), fig("blue-wall", 7, 7, kind="object"))
    decision = when(battle, **to("red-1", 7, 5))
    assert kinds(decision) == ["FigMoved", "MeleeJoined"]
    assert only(decision, MeleeJoined).others == ("blue-1",)
    assert decision.battle.fig("blue-1").engaged == ("red-1",)
    decision = when(decision.battle, **to("red-1", 7, 6))
    assert kinds(decision) == ["FigMoved", "MeleeLeft"]
    assert only(decision, MeleeLeft).others == ("blue-1",)
    assert decision.battle.fig("blue-1").engaged == ()


def test_mfd_18_an_object_in_contact_is_no_melee() -> None:
    battle = field(fig("red-1", 5, 5), fig("blue-wall", 8, 5, kind="object"), fig("blue-1", 20, 20))
    assert kinds(when(battle, **to("red-1", 7, 5))) == ["FigMoved"]


def test_mfd_19_moving_costs_the_aim_and_drawing_somebody_into_a_melee_costs_his() -> None:
    battle = field(fig("red-1", 5, 5, "rifle"), fig("blue-1", 12, 5, "rifle"))
    battle = played(battle, aim(), END_TURN, aim("blue-1", "red-1"), END_TURN)
    decision = when(battle, **to("red-1", 11, 5))
    assert kinds(decision) == ["FigMoved", "AimLost", "MeleeJoined", "AimLost"]
    lost = [e for e in decision.events if isinstance(e, AimLost)]
    assert [(e.fig, e.target, e.reason) for e in lost] == [("red-1", "blue-1", "move"), ("blue-1", "red-1", "melee")]
    assert decision.battle.fig("red-1").aim is decision.battle.fig("blue-1").aim is None


def test_mfd_26_a_move_says_whether_it_came_closer_to_the_closest_enemy() -> None:
    battle = field(
        fig("red-1", 20, 20), fig("blue-1", 20, 30), fig("blue-2", 20, 8), fig("blue-wall", 24, 20, kind="object")
    )
    closer = when(battle, **to("red-1", 20, 20.001))
    assert only(closer, FigMoved).advanced
    assert closer.battle.fig("red-1").advanced
    assert not only(when(battle, **to("red-1", 20, 18)), FigMoved).advanced
    assert not only(when(battle, **to("red-1", 20, 20, inches=1)), FigMoved).advanced
    away = when(closer.battle, **to("red-1", 20, 20))
    assert not away.battle.fig("red-1").advanced


def test_mfd_26_of_enemies_equally_close_any_will_do() -> None:
    battle = field(fig("red-1", 20, 20), fig("blue-1", 20, 30), fig("blue-2", 20, 10))
    assert only(when(battle, **to("red-1", 20, 21)), FigMoved).advanced
    assert only(when(battle, **to("red-1", 20, 19)), FigMoved).advanced
    assert not only(when(battle, **to("red-1", 22, 20)), FigMoved).advanced


def test_mfd_26_only_enemies_in_play_are_gone_for() -> None:
    battle = field(fig("red-1", 20, 20), fig("red-2", 5, 20, "rifle"), fig("blue-1", 15, 20), fig("blue-2", 30, 20))
    battle = played(battle, shot("rifle", name="red-2", dice=[6, 10]), *ROUND)
    assert only(when(battle, **to("red-1", 21, 20)), FigMoved).advanced
    battle = field(fig("red-1", 20, 20), fig("blue-wall", 15, 20, kind="object"))
    assert not only(when(battle, **to("red-1", 19, 20)), FigMoved).advanced


PLACES = st.builds(Point, st.integers(0, 6), st.integers(0, 6))


@for_all(PLACES, PLACES, st.lists(PLACES, max_size=5))
def test_mfd_26_advancing_means_what_it_says(start: Point, to: Point, enemies: list[Point]) -> None:
    closest = min((squared(start, enemy) for enemy in enemies), default=0)
    expected = any(squared(start, e) == closest and squared(to, e) < squared(start, e) for e in enemies)
    assert advances(start, to, enemies) is expected
