"""Dice asked for in mid-action: an even draw among figs, and a tape that runs dry."""

from collections import Counter

import pytest

from domain.dice import FACES, MOST_DICE, DiceWanted, Roll, Throw, draw_die, drawn
from domain.draft import REFEREE, Draft, Seat
from domain.systems import system_of
from tests.laws.fields import bricks
from tests.laws.game import no
from tests.spec import Script, given


def drafted(*faces: int) -> tuple[Draft, Script]:
    tape = Script(faces)
    battle = given(bricks())
    return Draft(battle, REFEREE, tape, system_of(battle.rules)), tape


@pytest.mark.parametrize(
    ("pool", "sides"),
    [(2, 2), (3, 3), (4, 4), (5, 10), (6, 6), (7, 100), (8, 8), (9, 100), (10, 10), (11, 100), (12, 12), (20, 20)],
)
def test_the_smallest_die_that_divides_is_thrown(pool: int, sides: int) -> None:
    assert draw_die(pool) == sides


def test_a_draw_is_even_among_up_to_a_hundred() -> None:
    for size in range(2, 101):
        pool, sides = [f"f{n}" for n in range(size)], draw_die(size)
        counts = Counter(drawn(pool, sides, face) for face in range(1, sides + 1))
        assert counts.pop(None, 0) == sides % size, size
        assert set(counts) == set(pool), size
        assert len(set(counts.values())) == 1, size


def test_one_fig_is_drawn_without_a_die() -> None:
    draft, tape = drafted()
    assert draft.draw("victim", ["a"]) == ("a", ())
    assert tape.rolls == []


def test_low_faces_draw_the_first_in_order() -> None:
    for face, who in zip(range(1, 7), "aabbcc", strict=True):
        assert drawn(["a", "b", "c"], 6, face) == who
    draft, _ = drafted(3)
    assert draft.draw("victim", ["a", "b", "c"])[0] == "c"


def test_a_face_above_the_last_share_is_recorded_and_thrown_again() -> None:
    draft, _ = drafted(99, 100, 98)
    pool = [f"f{n}" for n in range(7)]
    chosen, throws = draft.draw("victim", pool)
    assert chosen == "f6"
    assert throws == tuple(Throw("victim", 100, (face,)) for face in (99, 100, 98))
    assert tuple(draft.thrown) == throws


def test_an_action_throws_a_thousand_dice_and_no_more() -> None:
    draft, tape = drafted(*[6] * (MOST_DICE + 1))
    draft.throw("to_hit", MOST_DICE - 1, 6)
    draft.throw("to_hit", 1, 6)
    assert no(lambda: draft.throw("to_hit", 1, 6)).rule == "NME-15"
    assert len(tape.left) == 1
    draft, tape = drafted(*[6] * (MOST_DICE + 1))
    assert no(lambda: draft.throw("to_hit", MOST_DICE + 1, 6)).rule == "NME-15"


def test_a_dry_tape_says_what_was_taken_before() -> None:
    draft, _ = drafted(1, 2)
    draft.throw("ammo", 2, 6)
    with pytest.raises(DiceWanted) as dry:
        draft.throw("to_hit", 3, 6)
    assert (dry.value.wanted, dry.value.so_far) == (Roll("to_hit", 3, 6), (Throw("ammo", 6, (1, 2)),))
    assert str(dry.value) == "3d6 for to_hit"


def test_a_seat_is_written_and_read_as_one_word() -> None:
    for seat in (REFEREE, Seat("spectator"), Seat("side", "red")):
        assert Seat.of(seat.actor) == seat
    assert Seat.of("side:red") == Seat("side", "red")


def test_only_dice_that_exist_draw() -> None:
    assert {draw_die(n) for n in range(2, 201)} <= set(FACES)
