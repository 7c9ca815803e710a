"""The dice of a what-if: fresh from its own secret, read off the table, or those that its parent threw, in order."""

from hashlib import sha256

import pytest

from domain import events as e
from domain.dice import DiceWanted, Roll
from replays.audit.dicechain import DiceStream, whatif_key
from replays.examine import examine
from replays.imports import import_log
from replays.referee import Asked
from tests.laws.fields import bricks, gangs, shooting_range, shot_by
from tests.laws.game import Body, Game, no, seat
from tests.replays.rooms import Room

SHOT: Body = {"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1"}


def faces(game: Game, action: int) -> dict[str, list[int]]:
    """The dice of an action, by purpose."""
    found: dict[str, list[int]] = {}
    for entry in game.entries:
        if entry.action == action:
            for throw in e.dice_of(entry.body):
                found.setdefault(throw.purpose, []).extend(throw.faces)
    return found


def draws(game: Game) -> list[e.DiceDrawn]:
    """The links and keys that were opened, in the branch's own part."""
    return [entry.body for entry in game.book.entries(game.book.at) if isinstance(entry.body, e.DiceDrawn)]


def good(game: Game) -> bool:
    return examine(game.log.splitlines()).findings == ()


# --- fresh ---


def test_fresh_dice_come_from_the_branchs_own_committed_secret() -> None:
    branch = Game(shooting_range()).branch(dice="fresh")
    opened = branch.entries[-1].body
    secret, me = branch.room.store.secret(branch.id, "whatif", 0), bytes.fromhex(branch.id)
    assert secret is not None
    assert isinstance(opened, e.BranchOpened)
    assert opened.commitment == sha256(b"wlog/v1/whatif-commit\n" + me + secret).hexdigest()
    for n in range(1, 4):
        thrown = faces(branch, branch.does("red", **shot_by(f"r{n}")))
        key = whatif_key(secret, me, n)
        assert draws(branch)[-1] == e.DiceDrawn("whatif", 0, n, key.hex())
        assert list(DiceStream(key).dice(2, 6)) == thrown["ammo"]
    assert good(branch)


def test_fresh_dice_are_not_those_that_the_parent_threw_later() -> None:
    game = Game(shooting_range())
    start = game.record.seq
    for n in range(5):
        game.does("red", **shot_by(f"r{n}"))
    branch = game.branch(at=start, dice="fresh")
    for n in range(5):
        branch.does("red", **shot_by(f"r{n}"))
    assert [drawn.index for drawn in draws(branch)] == [1, 2, 3, 4, 5]
    assert good(branch)


def test_a_branch_from_elsewhere_rolls_after_it_committed_to_a_new_secret() -> None:
    here = Game(shooting_range()).branch()
    here.does("red", **shot_by("r1"))
    room = Room()
    import_log(room.store, examine(here.log.splitlines()), lambda: "secret")
    there = Game.of(room, here.id)
    assert no(lambda: there.act("red", **shot_by("r2"))).rule == "DICE-07"
    room.referee.renew(there.id, "it moved here", Asked(seat("referee")))
    anchor = there.entries[-1].body
    there.does("red", **shot_by("r2"))
    assert isinstance(anchor, e.DiceAnchored)
    secret, me = room.store.secret(here.id, "whatif", 1), bytes.fromhex(here.id)
    assert secret is not None
    committed = sha256(b"wlog/v1/whatif-commit\n" + me + secret).hexdigest()
    assert anchor == e.DiceAnchored(0, 1, 0, committed)
    assert draws(there)[-1] == e.DiceDrawn("whatif", 1, 1, whatif_key(secret, me, 1).hex())


def test_no_undo_puts_a_branchs_ordinal_back() -> None:
    branch = Game(shooting_range()).branch()
    for _ in range(3):
        branch.undo(branch.does("red", **shot_by("r1")))
    assert [drawn.index for drawn in draws(branch)] == [1, 2, 3]
    assert good(branch)


def test_a_branch_uses_up_no_link_of_its_parent() -> None:
    game = Game(shooting_range())
    game.does("red", **shot_by("r1"))
    branch = game.branch()
    branch.does("red", **shot_by("r2"))
    game.does("red", **shot_by("r2"))
    parents = [entry.body for entry in game.entries if isinstance(entry.body, e.DiceDrawn)]
    assert [(drawn.source, drawn.index) for drawn in parents] == [("chain", 1), ("chain", 2)]
    assert game.room.store.secret(branch.id, "chain", 0) is None


@pytest.mark.parametrize("dice", ["fresh", "recorded"])
def test_a_branch_of_real_dice_throws_its_own_and_wants_none(dice: str) -> None:
    branch = Game(bricks()).branch(dice=dice)
    assert no(lambda: branch.act("red", **SHOT, dice=[1])).pointer == "/dice"
    branch.does("red", **SHOT)
    assert branch.record.battle.dice == "server"
    assert good(branch)


# --- from the table ---


def test_people_may_throw_in_a_branch_of_server_dice() -> None:
    branch = Game(shooting_range()).branch(dice="table")
    with pytest.raises(DiceWanted) as dry:
        branch.act("red", **shot_by("r1"))
    assert dry.value.wanted == Roll("ammo", 2, 6)
    shot = branch.does("red", **shot_by("r1"), dice=[1, 2, 3, 4])
    assert faces(branch, shot) == {"ammo": [1, 2], "to_hit": [3, 4]}
    assert draws(branch) == []
    assert good(branch)


# --- recorded ---


def fought() -> tuple[Game, int]:
    """Red missed with a 2, hit with a 5 for 1 damage; blue missed with a 1. And where it began."""
    game = Game(bricks())
    start = game.record.seq
    game.does("red", **SHOT, dice=[2])
    game.does("red", **SHOT, dice=[5, 1])
    game.does("red", do="end_turn")
    game.does("blue", **SHOT | {"fig": "b1", "target": "r1"}, dice=[1])
    return game, start


def test_recorded_faces_are_handed_out_by_purpose_in_order_and_then_fresh_ones() -> None:
    game, start = fought()
    branch = game.branch(at=start, dice="recorded")
    first, second = branch.does("red", **SHOT), branch.does("red", **SHOT)
    assert (faces(branch, first), faces(branch, second)) == ({"to_hit": [2]}, {"to_hit": [5], "damage": [1]})
    assert draws(branch) == []
    branch.does("red", do="end_turn")
    third = branch.does("blue", **SHOT | {"fig": "b1", "target": "r1"})
    assert faces(branch, third) == {"to_hit": [1]}
    fourth = branch.does("blue", **SHOT | {"fig": "b1", "target": "r1"})
    assert [drawn.index for drawn in draws(branch)] == [1]
    secret = branch.room.store.secret(branch.id, "whatif", 0)
    assert secret is not None
    fresh = DiceStream(whatif_key(secret, bytes.fromhex(branch.id), 1)).dice(1, 6)
    assert tuple(faces(branch, fourth)["to_hit"]) == fresh
    assert good(branch)


def test_only_dice_after_the_parting_are_handed_out() -> None:
    game, start = fought()
    first = next(entry.seq for entry in game.entries[start:] if entry.action != start + 1) - 1
    branch = game.branch(at=first, dice="recorded")
    assert faces(branch, branch.does("red", **SHOT)) == {"to_hit": [5], "damage": [1]}


def test_the_cursor_never_goes_back_on_undo() -> None:
    game, start = fought()
    branch = game.branch(at=start, dice="recorded")
    seen = []
    for _ in range(3):
        shot = branch.does("red", **SHOT)
        seen.append(faces(branch, shot)["to_hit"])
        branch.undo(shot)
    assert seen == [[2], [5], [1]]
    branch.does("red", **SHOT)
    assert len(draws(branch)) == 1
    assert good(branch)


def test_dice_that_the_parent_undid_are_not_handed_out_nor_those_it_threw_later() -> None:
    game, start = fought()
    last = game.record.tip
    assert last is not None
    game.undo(last.seq)
    branch = game.branch(at=start, dice="recorded")
    game.redo()
    game.does("blue", **SHOT | {"fig": "b1", "target": "r1"}, dice=[4, 1])
    first, second = branch.does("red", **SHOT), branch.does("red", **SHOT)
    assert (faces(branch, first)["to_hit"], faces(branch, second)["to_hit"]) == ([2], [5])
    branch.undo(second)
    branch.does("red", **SHOT)
    assert len(draws(branch)) == 1


def test_a_roll_goes_over_from_recorded_to_fresh_dice_in_its_middle() -> None:
    game = Game(gangs())
    start = game.record.seq
    shot: Body = {"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1", "mode": "snap"}
    game.does("red", **shot, dice=[1, 2, 1, 1])
    branch = game.branch(at=start, dice="recorded")
    aimed = branch.does("red", **shot | {"mode": "aimed"})
    thrown = faces(branch, aimed)
    assert (thrown["ammo"], thrown["to_hit"][:2]) == ([1, 2], [1, 1])
    assert len(thrown["to_hit"]) >= 4
    assert len(draws(branch)) == 1
    assert good(branch)


def test_a_branch_of_a_recorded_branch_is_handed_what_that_one_threw() -> None:
    game, start = fought()
    branch = game.branch(at=start, dice="recorded")
    at = branch.record.seq
    branch.does("red", **SHOT)
    inner = branch.branch(at=at, dice="recorded")
    assert faces(inner, inner.does("red", **SHOT)) == {"to_hit": [2]}
    inner.does("red", **SHOT)
    assert len(draws(inner)) == 1
    assert good(inner)


def test_a_dry_run_in_a_recorded_branch_shows_no_face() -> None:
    game, start = fought()
    branch = game.branch(at=start, dice="recorded")
    told = branch.preview("red", **SHOT)
    assert (told.events, told.wanted, told.so_far) == ((), (Roll("to_hit", 1, 6),), ())
