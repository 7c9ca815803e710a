"""What-ifs: a branch shares its parent's past by reference and never touches it, and may branch again."""

import sqlite3
from pathlib import Path

import pytest

from domain import events as e
from domain.draft import SPECTATOR, Seat
from domain.refusals import Refused
from replays.codec import leaf
from replays.examine import examine
from replays.referee import Asked, BranchAsked
from replays.shelf import Shelf, digest
from tests.laws.fields import bricks
from tests.laws.game import Game, no, seat
from tests.replays.rooms import Room, receipt

MISS = {"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1", "dice": [1]}


def played() -> Game:
    """A battle of three actions."""
    game = Game(bricks())
    game.does("red", do="move", fig="r1", to={"x": 10, "y": 9})
    game.does("red", **MISS)
    game.does("red", do="end_turn")
    return game


def ends(game: Game) -> list[int]:
    """Where batches end."""
    actions = [entry.action for entry in game.entries]
    return [seq for seq, action in enumerate(actions, 1) if seq == len(actions) or actions[seq] != action]


def rows(path: Path) -> dict[str, int]:
    """How many entries the store keeps under each id."""
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT originator_id, count(*) FROM stored_events GROUP BY 1"))


# --- by reference ---


def test_nothing_is_copied_three_deep(tmp_path: Path) -> None:
    path = tmp_path / "battles.db"
    game = Game(bricks(), Room(str(path)))
    game.does("red", **MISS)
    line = [game]
    written = []
    for _ in range(3):
        line.append(line[-1].branch(dice="table"))
        written.append(1 + len(line[-1].act("referee", do="end_turn").data))
    own = rows(path)
    assert own[game.id] == game.record.seq
    assert [own[branch.id] for branch in line[1:]] == written
    assert [branch.record.seq for branch in line] == [game.record.seq + sum(written[:n]) for n in range(4)]
    game.room.store.close()


def test_a_branch_is_its_parents_bytes_and_then_its_own() -> None:
    game = played()
    for at in ends(game):
        branch = game.branch(at=at)
        past = b"".join(line + b"\n" for line in game.book.data(upto=at))
        assert branch.log.startswith(past)
        assert branch.entries[:at] == game.entries[:at]
        assert branch.record.battle.figs == game.book.record_at(at).battle.figs
        assert branch.book.record_at(at) is game.book.record_at(at)


def test_the_past_of_a_branch_is_read_as_its_parents_entry_by_entry() -> None:
    game = played()
    branch = game.branch(dice="table").branch(dice="table")
    branch.does("referee", do="end_turn")
    for n in range(1, game.record.seq + 1):
        assert branch.book.record_at(n).battle == game.book.record_at(n).battle
        assert branch.book.nearest_end(n) == game.book.nearest_end(n)
        assert branch.book.leaf_at(n) == game.book.leaf_at(n)
    whole = branch.entries
    for n in range(branch.record.seq + 1):
        assert branch.book.entries(n) == whole[n:]
        assert branch.book.entries(0, n) == whole[:n]
        assert branch.book.entries(n - 1, n) == whole[max(n - 1, 0) : n]


def test_it_follows_on_the_leaf_where_it_parts_and_says_so() -> None:
    game = played()
    at = ends(game)[1]
    branch = game.branch(at=at)
    opened = branch.entries[at]
    there = leaf(game.book.data(at - 1, at)[0])
    assert isinstance(opened.body, e.BranchOpened)
    assert (opened.prev, opened.body.leaf, opened.seq) == (there, there, at + 1)
    assert (opened.body.parent, opened.body.at, opened.body.head) == (game.id, at, game.record.seq)
    assert (opened.battle, opened.action, opened.actor) == (branch.id, at + 1, "referee")


def test_a_nested_branch_is_a_good_log_of_its_whole_lineage() -> None:
    game = played()
    branch = game
    for _ in range(3):
        branch = branch.branch(dice="table")
        branch.does("referee", do="end_turn")
    assert examine(branch.log.splitlines()).findings == ()
    assert len({entry.battle for entry in branch.entries}) == 4


@pytest.mark.parametrize("n", range(4))
def test_where_a_branch_inherits_one_parts_from_the_battle_that_wrote_it(n: int) -> None:
    game = played()
    at = ends(game)[n]
    between = game.branch().branch(title="between", dice="table")
    between.does("referee", do="end_turn")
    branch = between.branch(at=at, dice="table")
    row = game.room.store.branch_of(branch.id)
    assert row is not None
    assert (row.parent, row.at, branch.record.seq) == (game.id, at, at + 1)
    opened = branch.entries[-1].body
    assert isinstance(opened, e.BranchOpened)
    assert (opened.parent, opened.head) == (game.id, game.record.seq)
    branch.does("referee", do="end_turn")
    assert examine(branch.log.splitlines()).findings == ()


def test_nothing_in_a_branch_touches_its_parent_nor_the_other_way_round() -> None:
    game = played()
    log, record, summary = game.log, game.record, game.room.store.summary(game.id)
    branch, other = game.branch(dice="table"), game.branch(dice="table")
    branch.does("blue", do="end_turn")
    branch.undo(branch.record.tip.seq if branch.record.tip else 0)
    branch.does("referee", do="end_battle")
    branch.close()
    assert (game.log, game.record, game.room.store.summary(game.id)) == (log, record, summary)
    there = other.log
    game.does("blue", do="end_turn")
    game.does("referee", do="end_battle")
    game.close()
    assert other.log == there
    other.does("blue", do="end_turn")


def test_the_tree_is_known_to_the_store() -> None:
    game = played()
    at = ends(game)
    first, second = game.branch(at=at[2]), game.branch(at=at[0])
    child = first.branch()
    store = game.room.store
    assert [(row.battle, row.at) for row in store.branches(game.id)] == [(second.id, at[0]), (first.id, at[2])]
    assert [row.battle for row in store.branches(first.id)] == [child.id]
    row = store.branch_of(child.id)
    assert row is not None
    assert (row.parent, row.at) == (first.id, first.record.seq)


# --- where it may part ---


def test_it_parts_where_a_batch_ends_and_nowhere_else() -> None:
    game = played()
    good = ends(game)
    for at in range(1, game.record.seq + 1):
        if at in good:
            assert game.branch(at=at).record.seq == at + 1
        else:
            refusal = no(lambda at=at: game.branch(at=at))  # type: ignore[misc]
            nearest = max((end for end in good if end < at), default=good[0])
            assert (refusal.kind, refusal.pointer, refusal.legal) == ("invalid", "/at", (str(nearest),))


def test_past_the_head_it_names_the_head() -> None:
    game = played()
    head = game.record.seq
    assert no(lambda: game.branch(at=head + 1)).legal == (str(head),)


def test_it_parts_at_the_head_where_nothing_is_said() -> None:
    game = played()
    assert game.branch().record.seq == game.record.seq + 1


def test_it_may_part_before_what_was_undone_later() -> None:
    game = played()
    turn = game.record.tip
    assert turn is not None
    game.undo(turn.seq)
    branch = game.branch(at=turn.last)
    assert (branch.record.battle.turn, game.record.battle.turn) == (2, 1)


def test_a_battle_that_ended_is_opened_again_before_its_end() -> None:
    game = played()
    end = game.does("referee", do="end_battle", winner="red")
    dead, alive = game.branch(dice="table"), game.branch(at=end - 1, dice="table")
    assert (dead.record.status, alive.record.status) == ("ended", "playing")
    assert no(lambda: dead.act("blue", do="end_turn")).kind == "battle-over"
    assert no(lambda: dead.undo(end)).rule == "before-branch"
    alive.does("blue", do="end_turn")


def test_a_closed_battle_can_still_be_asked_what_if() -> None:
    game = played()
    end = game.does("referee", do="end_battle")
    game.close()
    branch = game.branch(at=end - 1, dice="table")
    branch.does("blue", do="end_turn")
    assert branch.record.status == "playing"


# --- who may ---


@pytest.mark.parametrize("who", ["referee", "red", "spectator"])
def test_anyone_may_ask_what_if(who: str) -> None:
    game = played()
    opened = receipt(game.room.referee.branch(game.id, BranchAsked(), Asked(seat(who))))
    assert game.room.book(opened.battle).record.status == "playing"


def test_the_log_says_who_asked_what_if() -> None:
    game = played()
    opened = receipt(game.room.referee.branch(game.id, BranchAsked(), Asked(seat("red"))))
    assert [game.entries[0].actor, game.room.book(opened.battle).entries()[-1].actor] == ["referee", "side:red"]


def test_no_what_if_of_a_what_if_is_a_way_round_the_tournament_rule() -> None:
    game = Game(bricks(policy={"what_if": "after"}))
    at = game.record.seq
    branch = game.branch(dice="table")
    branch.does("referee", do="end_battle")
    red = Asked(seat("red"))
    assert no(lambda: game.room.referee.branch(branch.id, BranchAsked(at=at), red)).kind == "forbidden"


def test_on_a_tournament_table_only_the_referee_may_before_the_end() -> None:
    game = Game(bricks(policy={"what_if": "after"}))
    for by in (Seat("side", "red"), SPECTATOR):
        refusal = no(lambda by=by: game.room.referee.branch(game.id, BranchAsked(), Asked(by)))  # type: ignore[misc]
        assert refusal.kind == "forbidden"
    game.branch()
    game.does("referee", do="end_battle")
    game.room.referee.branch(game.id, BranchAsked(), Asked(SPECTATOR))


def test_the_parents_secrets_open_nothing_there() -> None:
    game = played()
    store = game.room.store
    opened = receipt(game.room.referee.branch(game.id, BranchAsked(), Asked(seat("red"))))
    parent, branch = store.seat_digests(game.id), store.seat_digests(opened.battle)
    assert set(parent) == set(branch) == {"referee", "side:red", "side:blue"}
    assert not set(parent.values()) & set(branch.values())
    assert branch == {who: digest(secret.encode()) for who, secret in opened.seats.items()}


def test_tags_are_not_inherited_and_the_title_says_what_it_is() -> None:
    game = Game(bricks(title="Final", tags={"event": "cup", "round": "3", "table": "7"}))
    branch, named = game.branch(), game.branch(title="Had he aimed")
    row, other = game.room.store.summary(branch.id), game.room.store.summary(named.id)
    assert row is not None
    assert other is not None
    assert (row.event, row.round, row.table, row.parent) == ("", "", "", game.id)
    assert row.title == f"What if, from {game.record.seq}: Final"
    assert other.title == named.record.battle.title == "Had he aimed"


# --- books on a small shelf ---


def test_a_shelf_that_holds_one_book_gives_the_same_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "battles.db")
    game = Game(bricks(), Room(path))
    game.does("red", **MISS)
    line = [game]
    for _ in range(3):
        line.append(line[-1].branch(dice="table"))
        line[-1].does("referee", do="end_turn")
    wanted = {battle.id: (battle.log, battle.record.battle) for battle in line}
    referee = game.room.referee
    referee.shelf = Shelf(game.room.store, referee.codec, most=1)
    for battle in [*line, *reversed(line), *line]:
        assert (battle.log, battle.record.battle) == wanted[battle.id]
        assert list(referee.shelf._books) == [battle.id]
    for battle in line:
        battle.does("referee", do="end_turn")
        assert battle.record.battle.turn == wanted[battle.id][1].turn + 1
    logs = {battle.id: battle.log for battle in line}
    game.room.store.close()
    again = Room(path)
    assert {battle.id: Game.of(again, battle.id).log for battle in line} == logs
    for battle in line:
        assert examine(logs[battle.id].splitlines()).findings == ()


def test_a_book_that_was_put_away_can_still_be_brought_up_to_date() -> None:
    game = played()
    book, referee = game.book, game.room.referee
    referee.shelf = Shelf(game.room.store, referee.codec, most=1)
    game.does("blue", do="end_turn")
    assert book.head < game.record.seq
    referee.shelf.catch_up(book)
    assert book.record.battle == game.record.battle
    assert book.data() == game.book.data()


def test_two_referees_see_each_others_branches(tmp_path: Path) -> None:
    path = str(tmp_path / "battles.db")
    here, there = Room(path), Room(path)
    game = Game(bricks(), here)
    branch = game.branch(dice="table")
    seen = Game.of(there, branch.id)
    seen.does("red", **MISS)
    assert branch.record.battle == seen.record.battle
    with pytest.raises(Refused):
        Game.of(there, "e" * 32).record  # noqa: B018 - a look is enough
